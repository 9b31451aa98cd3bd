package cel

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

var versionLine = regexp.MustCompile(`^(\d+) (\d+) (?:(\d+) )?(.*)$`)

// selfOfVersions is the schema of self in testdata/versions.txt.
const selfOfVersions = `
type: object
properties:
  labels: {type: object, additionalProperties: {type: string}}
  format: {type: string}
  ip: {type: string}
  isIP: {type: string}
  items: {type: array, items: {type: object, properties: {import: {type: string}}}}
  "n": {type: integer}
  names: {type: array, items: {type: string}}
  namespace: {type: string}
  package: {type: string}
  semver: {type: string}
  sets: {type: string}
`

// A server allows what the table says, from the first version on, in new and in stored expressions, and the fault is at the
// first use.
func TestAServerAllowsWhatItsVersionHas(t *testing.T) {
	file, err := os.Open("testdata/versions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	used := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := versionLine.FindStringSubmatch(lines.Text())
		if f == nil {
			continue
		}
		firstNew, _ := strconv.Atoi(f[1])
		firstStored, _ := strconv.Atoi(f[2])
		last, err := strconv.Atoi(f[3])
		if err != nil {
			last = 37
		}
		text, at := strings.Replace(f[4], "^", "", 1), strings.Index(f[4], "^")
		checked, faults := Check(text, Signature{Environment: environmentOf(t, strings.Contains(text, "authorizer")), Result: Bool})
		if len(faults) > 0 {
			t.Errorf("%s: %v", text, faults)
			continue
		}
		for minor := 29; minor <= 37; minor++ {
			server := Server{minor, func(gate string) bool { return gate != "AuthorizeWithSelectors" || minor < 32 }}
			for _, isStored := range []bool{false, true} {
				first := firstNew
				if isStored {
					first = firstStored
				}
				switch faults := checked.Absent(server, isStored); {
				case first <= minor && minor <= last && len(faults) > 0:
					t.Errorf("1.%d, stored %v: %s: have %v", minor, isStored, text, faults)
				case (minor < first || last < minor) && (len(faults) != 1 || faults[0].Offset != at):
					t.Errorf("1.%d, stored %v: %s: have %v, want a fault at %d", minor, isStored, text, faults, at)
				case minor < first || last < minor:
					l, _ := library.LifetimeOf(firstOverload(checked))
					used[l.Library] = true
				}
			}
		}
		if faults := checked.Absent(Server{}, false); len(faults) > 0 {
			t.Errorf("%s: an unknown server allows everything, have %v", text, faults)
		}
	}
	for _, l := range library.Lifetimes() {
		if l.New > 29 && !used[l.Library] && l.Overloads[0][0] != '@' {
			t.Errorf("testdata/versions.txt has nothing of %s", l.Library)
		}
	}
}

// firstOverload returns an overload of the expression that has a lifetime.
func firstOverload(c *Checked) string {
	for _, to := range c.ast.NativeRep().ReferenceMap() {
		for _, overload := range append(to.OverloadIDs, to.Name) {
			if _, ok := library.LifetimeOf(overload); ok {
				return overload
			}
		}
	}
	return ""
}

func environmentOf(t *testing.T, isPolicy bool) *Environment {
	t.Helper()
	if isPolicy {
		return DeclaredEnvironment([]string{"object", "authorizer"}, Bool)
	}
	s, violations := schema.Compile(manifesttest.Root(t, selfOfVersions), true)
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	return NewEnvironment(Variable{Name: "self", Type: SizedTypeOf(s, false, 0).Type()})
}

// Each message names the function, the version and what to do.
func TestAbsentFunctionsAreExplained(t *testing.T) {
	off := func(string) bool { return true }
	for _, c := range []struct {
		text   string
		server Server
		want   string
	}{
		{"isIP(self.ip)", Server{29, off}, "Kubernetes 1.29 does not have isIP: it is new in 1.31"},
		{"isIP(self.ip)", Server{30, off}, "Kubernetes 1.30 does not allow isIP in new expressions: it is new in 1.31"},
		{"sets.contains([1], [2])", Server{29, off}, "Kubernetes 1.29 does not allow sets.contains in new expressions: it is new in 1.30"},
		{"type(self.ip) == net.IP", Server{29, off}, "Kubernetes 1.29 does not have net.IP: it is new in 1.31"},
		{"self.names.all(i, v, true)", Server{31, off}, "Kubernetes 1.31 does not have all with two variables: it is new in 1.33"},
		{"self.names.transformMap(i, v, v) == {}", Server{32, off}, "Kubernetes 1.32 does not allow transformMap in new expressions: it is new in 1.33"},
		{"self.names.sortBy(x, x) == []", Server{34, off}, "Kubernetes 1.34 does not allow sortBy in new expressions: it is new in 1.35"},
		{"self.namespace == ''", Server{30, off}, "Kubernetes 1.30 does not allow the keyword namespace as the name of a field: use __namespace__, which all versions have"},
		{"duration(self.n) > duration('1s')", Server{37, off}, "Kubernetes 1.37 does not have duration of an integer: it was removed in 1.37"},
		{"authorizer.group('').resource('a').fieldSelector('b').check('c').allowed()", Server{31, off}, "Kubernetes 1.31 does not allow fieldSelector in new expressions: gate AuthorizeWithSelectors"},
	} {
		checked, faults := Check(c.text, Signature{Environment: environmentOf(t, strings.Contains(c.text, "authorizer")), Result: Bool})
		if len(faults) > 0 {
			t.Errorf("%s: %v", c.text, faults)
			continue
		}
		faults = checked.Absent(c.server, false)
		if len(faults) != 1 {
			t.Errorf("%s: have %v", c.text, faults)
			continue
		}
		have := faults[0].Message + ": " + faults[0].Help
		if faults[0].Gate != "" {
			have += "gate " + faults[0].Gate
		}
		if have != c.want {
			t.Errorf("%s: have %s, want %s", c.text, have, c.want)
		}
	}
}

// The table has everything that the environment has in addition to the libraries that all supported versions have.
func TestTheTableOfVersionsHasEachNewOverload(t *testing.T) {
	base, err := environment.Base()
	if err != nil {
		t.Fatal(err)
	}
	old, err := cel.NewEnv(library.URLs(), library.Regex(), library.Lists(), library.Authorizer(), cel.OptionalTypes(),
		library.Quantity(), ext.Strings(ext.StringsVersion(0)))
	if err != nil {
		t.Fatal(err)
	}
	isOld, known := map[string]bool{}, map[string]bool{}
	for _, f := range old.Functions() {
		for _, o := range f.OverloadDecls() {
			isOld[o.ID()] = true
		}
	}
	for _, f := range base.Functions() {
		for _, o := range f.OverloadDecls() {
			known[o.ID()] = true
			if _, ok := library.LifetimeOf(o.ID()); !ok && !isOld[o.ID()] && !strings.HasPrefix(f.Name(), "cel.@") {
				t.Errorf("the table of versions does not have %s of %s", o.ID(), f.Name())
			}
		}
	}
	for _, l := range library.Lifetimes() {
		for _, name := range l.Overloads {
			_, isType := base.CELTypeProvider().FindIdent(name)
			if !known[name] && !isType && name[0] != '@' {
				t.Errorf("%s: the environment does not have %s", l.Library, name)
			}
		}
		if l.Stored > l.New || l.New < 29 {
			t.Errorf("%s: new in 1.%d, stored in 1.%d", l.Library, l.New, l.Stored)
		}
	}
}
