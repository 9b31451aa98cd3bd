package upstream

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// maxTypes bounds types.yaml, which is embedded as it is.
const maxTypes = 350_000

func TestTypesReferToTypesAndAllAreReached(t *testing.T) {
	types := readYAML(t, "types.yaml")
	wanted := column(readTSV(t, "kinds.tsv", 11), 7)
	reached := map[string]bool{}
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		if reached[name] {
			continue
		}
		reached[name] = true
		of, ok := types.Field(name)
		if !ok {
			t.Errorf("unknown type %s", name)
			continue
		}
		wanted = append(wanted, refsOf(of)...)
	}
	for of := range types.Children() {
		if !reached[of.Key()] {
			t.Errorf("no kind has the type %s", of.Key())
		}
	}
}

// refsOf returns the values of $ref here and below.
func refsOf(n manifest.Node) []string {
	var refs []string
	for field := range n.Children() {
		if field.Key() == "$ref" {
			refs = append(refs, field.Text())
		}
		refs = append(refs, refsOf(field)...)
	}
	return refs
}

// A reader of one type takes the lines from its name to the next line that begins without a space.
func TestTypesCanBeReadAlone(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(directory, "types.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxTypes {
		t.Errorf("types.yaml has %d bytes, more than %d", len(text), maxTypes)
	}
	names := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") && names == 0 || strings.HasPrefix(line, "  ") {
			continue
		}
		names++
		if !regexp.MustCompile(`^[a-z0-9]+\.v[0-9a-z]+\.[A-Za-z0-9]+:\n$`).MatchString(line) {
			t.Errorf("unexpected line %q", line)
		}
	}
	if types := readYAML(t, "types.yaml"); names != types.Len() {
		t.Errorf("%d lines with names for %d types", names, types.Len())
	}
}

func TestMarksAreSupportedVersions(t *testing.T) {
	gates := map[string]bool{}
	for of := range readYAML(t, "types.yaml").Children() {
		for p := range of.At("properties").Children() {
			path := of.Key() + "." + p.Key()
			since, until := checkMark(t, path, p.At("since")), checkMark(t, path, p.At("until"))
			if since == Releases[0].Minor || until == last(Releases[:]).Minor {
				t.Errorf("%s: a mark at an open end", path)
			}
			if until != 0 && since > until {
				t.Errorf("%s: since %d until %d", path, since, until)
			}
			if gate := p.TextAt("gate"); gate != "" {
				gates[gate] = true
			}
			checkEnumMarks(t, path, p)
		}
	}
	known := column(readTSV(t, "gates.tsv", 4), 0)
	for gate := range gates {
		if !slices.Contains(known, gate) {
			t.Errorf("gates.tsv does not have %s", gate)
		}
	}
}

// checkMark returns the minor version of a mark, or 0 if there is none.
func checkMark(t *testing.T, path string, mark manifest.Node) int {
	t.Helper()
	if !mark.Valid() {
		return 0
	}
	digits, ok := strings.CutPrefix(mark.Text(), "1.")
	minor, err := strconv.Atoi(digits)
	isSupported := minor >= Releases[0].Minor && minor <= last(Releases[:]).Minor
	if !ok || err != nil || !isSupported || mark.Type() != manifest.String {
		t.Errorf("%s: %s is not a supported version", path, mark.Text())
	}
	return minor
}

// checkEnumMarks checks the marks of enum values of a property, here and below.
func checkEnumMarks(t *testing.T, path string, p manifest.Node) {
	t.Helper()
	if !p.Valid() {
		return
	}
	values := texts(p.At("enum"))
	for _, marks := range []string{"enumSince", "enumUntil"} {
		for mark := range p.At(marks).Children() {
			checkMark(t, path, mark)
			if !slices.Contains(values, mark.Key()) {
				t.Errorf("%s: %s of %q, which is not a value", path, marks, mark.Key())
			}
		}
	}
	checkEnumMarks(t, path, p.At("items"))
	checkEnumMarks(t, path, p.At("additionalProperties"))
}

func TestKindsAreThoseOfTheVersions(t *testing.T) {
	newest, seen := 0, map[string]bool{}
	for _, k := range readTSV(t, "kinds.tsv", 11) {
		if k[9] == "-" && k[10] == "on" {
			newest++
		}
		id := strings.Join(k[:3], " ")
		if seen[id] {
			t.Errorf("%s twice", id)
		}
		seen[id] = true
		if k[5] != "Namespaced" && k[5] != "Cluster" {
			t.Errorf("%s: scope %s", id, k[5])
		}
		if k[3] != "-" && k[3] != k[2]+"List" {
			t.Errorf("%s: list kind %s", id, k[3])
		}
	}
	if newest != 70 {
		t.Errorf("the newest version has %d kinds, want 70", newest)
	}
	for _, id := range []string{"apps v1 Deployment", "- v1 Pod", "apiregistration.k8s.io v1 APIService"} {
		if !seen[id] {
			t.Errorf("no %s", id)
		}
	}
}

// A version is in one of the two files, and what replaces it is served by the newest version.
func TestLifecyclesLeadToServedVersions(t *testing.T) {
	served := map[string]bool{"apiextensions.k8s.io/v1/CustomResourceDefinition": true}
	for _, k := range readTSV(t, "kinds.tsv", 11) {
		if k[9] == "-" && k[10] == "on" {
			served[strings.TrimPrefix(strings.TrimPrefix(strings.Join(k[:3], "/"), "-"), "/")] = true
		}
	}
	// These kinds are not resources: they are subresources, or gone themselves.
	notServed := []string{"DeploymentRollback", "Scale"}
	seen := map[string]bool{}
	for _, l := range slices.Concat(readTSV(t, "lifecycle.tsv", 7), readTSV(t, "removed.tsv", 7)) {
		id := strings.Join(l[:3], "/")
		if seen[id] {
			t.Errorf("%s twice", id)
		}
		seen[id] = true
		if l[6] != "-" && !served[l[6]] && !slices.Contains(notServed, l[2]) {
			t.Errorf("%s: replacement %s, which is not served", id, l[6])
		}
		introduced, _ := strconv.Atoi(l[3])
		deprecated, _ := strconv.Atoi(l[4])
		removed, _ := strconv.Atoi(l[5])
		if removed != 0 && max(introduced, deprecated) >= removed || deprecated != 0 && introduced > deprecated {
			t.Errorf("%s: versions %v out of order", id, l[3:6])
		}
	}
	for _, id := range []string{"extensions/v1beta1/Ingress", "policy/v1beta1/PodSecurityPolicy"} {
		if !seen[id] {
			t.Errorf("no %s", id)
		}
	}
}

// readYAML returns the root of a file.
func readYAML(t *testing.T, name string) manifest.Node {
	t.Helper()
	src := &source.Source{Name: name, Text: fileText(t, name)}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatalf("%s: %s", name, vs[0].Message)
		}
	}
	return tree.Root()
}

// fileText returns the text of a file.
func fileText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(directory, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// readTSV returns the fields of each line of a file. The number of fields is a minimum.
func readTSV(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, name))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		l := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(l) < fields || slices.Contains(l, "") {
			t.Fatalf("%s: line %q", name, line)
		}
		lines = append(lines, l)
	}
	return lines
}

func column(lines [][]string, i int) []string {
	var all []string
	for _, l := range lines {
		all = append(all, l[i])
	}
	return all
}
