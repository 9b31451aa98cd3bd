package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// otherNames are built-in names and their names on the platform of the test. They include fields with rules, in lists,
// maps and alternatives, and names that several kinds have as fields.
const otherNames = `names:
  groups:
    elbv2.platform.cloud: elb.k8s.example
    networking.platform.cloud: net.k8s.example
    resources.vendor.dev: resources.acme.example
    agentcorecontrol.services.platform.cloud: agents.k8s.example
    events.platform.io: events.k8s.example
    authentication.platform.io: auth.k8s.example
  kinds:
    VendorAppV3: AcmeAppV3
    TargetGroupBinding: TargetBinding
    DeleteOptions: DropOptions
    Event: Occurrence
  fields:
    targetType: targetSort
    networking: network
    ipBlock: range4
    securityGroup: firewall
    serviceRef: service-ref
    portRange: portSpan
    namedPort: portName
    domainNames: hosts
    endPort: lastPort
    inboundCIDRs: inboundRanges
    subnets: nets
    matchExpressions: expressions
    operator: in
    podSelector: podChoice
    orphanDependents: orphans
    propagationPolicy: propagation
    objectStore: s3Location
    tcp_ports: tcpPorts
    uri: url
    reportingController: by
    lastTransitionTime: since
    vendorResourceID: acmeResourceID
    controllerResourceMetadata: ackResourceMetadata
    BrowserProfile.spec.tags: labels2
`

// The examples of the kinds have the same findings in a platform's names as in built-in names.
func TestRenamedKindsHaveTheViolationsOfTheNeutralOnes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".kindvet.yaml", otherNames)
	examples, err := filepath.Glob(filepath.Join("..", "..", "testdata", "kinds", "*", "*", "*", "*.*"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	want := map[string][]string{}
	for i, path := range examples {
		isNear := slices.Contains([]string{
			"group-misspelt.yaml", "kind-misspelt.yaml", "egress-misspelled.yaml", "named-like-a-field.yaml",
		}, filepath.Base(path))
		if !isManifest(path) || strings.Contains(path, "BrowserProfile") || isNear {
			continue // their names are renamed in only one place, or so that none nearly matches another
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strconv.Itoa(i) + "-" + filepath.Base(path)
		write(name, inOtherNames(string(text)))
		want[name] = wanted(t, path)
	}
	var all []string
	for _, lines := range want {
		all = append(all, lines...)
	}
	result, err := runHere(context.Background(), Options{Files: find.Options{Paths: []string{dir}}, Settings: settings.Options{Lint: lintWanted(all)}})
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]string{}
	for _, v := range result.Report.Violations {
		name := filepath.Base(v.Place.File)
		if isLint := strings.Contains(string(v.Rule), "/"); isLint &&
			!slices.Contains(lintWanted(want[name]).Enable, string(v.Rule)) {
			continue // enabled for another example
		}
		have[name] = append(have[name], lineAndRule(v.Place.Start().Line, string(v.Rule)))
	}
	for name, want := range want {
		slices.Sort(have[name])
		if !slices.Equal(have[name], want) {
			t.Errorf("%s\n have %q\n want %q", name, have[name], want)
		}
	}
}

// inOtherNames converts a text to the names of the test's platform.
func inOtherNames(text string) string {
	for line := range strings.Lines(otherNames) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(from, "BrowserProfile.") {
			continue
		}
		whole := regexp.MustCompile(`(^|[^\w.-])` + regexp.QuoteMeta(from) + `(List\b|[^\w-]|$)`)
		text = whole.ReplaceAllString(text, "${1}"+to+"${2}")
	}
	return text
}
