package parity

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

func TestOnlyShapeIsComparedAfterDecoding(t *testing.T) {
	at := func(rule diag.Rule, severity diag.Severity, path ...string) diag.Violation {
		return diag.Violation{Rule: rule, Severity: severity, Path: diag.Fields(path...)}
	}
	accepted := Verdict{Accepted: true}
	invalid := Verdict{Stage: "validation", Causes: []Cause{{Field: "spec.a", Reason: "FieldValueInvalid"}}}
	decode := Verdict{Stage: "decode", Causes: []Cause{{Field: "spec.list.a", Reason: "BadRequest"}}}
	noPlace := Verdict{Stage: "decode", Causes: []Cause{{Reason: "BadRequest"}}}
	strict := Verdict{Stage: "strict", Causes: []Cause{{Field: "spec.a", Reason: "Unknown"}}}
	inList := at(diag.WrongType, diag.Error)
	inList.Path = diag.Fields("spec", "list").Item(3).Field("a")
	for _, c := range []struct {
		name    string
		kind    string
		verdict Verdict
		ours    []diag.Violation
		want    int
	}{
		{"both accept", "", accepted, nil, 0},
		{"only a warning", "", accepted, []diag.Violation{at(diag.BadName, diag.Warning, "a")}, 0},
		{"only we reject", "", accepted, []diag.Violation{at(diag.BadName, diag.Error, "a")}, 1},
		{"a missed validation", "", invalid, nil, 0},
		{"a found validation", "", invalid, []diag.Violation{at(diag.OutOfRange, diag.Error, "spec", "a")}, 0},
		{
			"shape, but the server decodes it", "", invalid,
			[]diag.Violation{at(diag.UnknownField, diag.Error, "spec", "b")}, 1,
		},
		{"a missed error on decoding", "", decode, nil, 1},
		{"an error on decoding", "", decode, []diag.Violation{inList}, 0},
		{
			"an error on decoding at another place", "", decode,
			[]diag.Violation{at(diag.WrongType, diag.Error, "spec", "b")}, 2,
		},
		{
			"an error on decoding without a place", "", noPlace,
			[]diag.Violation{at(diag.WrongType, diag.Error, "spec", "b")}, 0,
		},
		{
			"an error on decoding in a list", "v1 ConfigMapList", decode,
			[]diag.Violation{at(diag.WrongType, diag.Error, "items")}, 0,
		},
		{"an unknown field", "", strict, []diag.Violation{at(diag.UnknownField, diag.Error, "spec", "a")}, 0},
		{"another unknown field", "", strict, []diag.Violation{at(diag.UnknownField, diag.Error, "spec", "b")}, 2},
		{"not served", "", Verdict{Stage: "not served"}, nil, 0},
		{
			"a type that only the validation checks", "", invalid,
			[]diag.Violation{at(diag.WrongType, diag.Error, "spec", "a")}, 0,
		},
		{"a duplicate key hides others", "", decode, []diag.Violation{at(diag.DuplicateKey, diag.Error, "spec")}, 0},
	} {
		have := BuiltinDifferences(Case{Kind: c.kind, Verdict: c.verdict}, c.ours)
		if len(have) != c.want {
			t.Errorf("%s: have %q, want %d differences", c.name, have, c.want)
		}
	}
}

var update = flag.Bool("update", false, "write the allowed misses anew")

// For every recorded object of a built-in kind, our verdict is the server's, except for the misses that are allowed:
// rejections by validation that we do not find, or find elsewhere. There must be no more of them, and no other
// difference.
func TestVerdictsOnBuiltinKindsAreThoseOfTheServer(t *testing.T) {
	dir := filepath.Join(root, "internal", "oracle", "builtin", "testdata")
	var cases []Case
	for _, file := range []string{"cases.jsonl.gz", "sites.jsonl.gz"} {
		some, err := ReadCases(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, some...)
	}
	different := 0
	rejected, found, misses := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range cases {
		ours := CheckBuiltin(0, c.Request)
		rejected[c.Verdict.Stage]++
		if isRefused(ours) {
			found[c.Verdict.Stage]++
		}
		if what := missed(c, ours); what != "" {
			misses[what+"\t"+strings.TrimSuffix(c.Kind, "List")+"\t"+FieldOf(c.Verdict)+"\t"+c.Verdict.Causes[0].Reason]++
		}
		if diffs := BuiltinDifferences(c, ours); len(diffs) > 0 {
			different++
			if different <= 20 {
				t.Errorf("%s: %s: %v\nnew: %sold: %sstage %s, causes %v", c.Kind, c.Name, diffs, c.New, c.Old, c.Verdict.Stage,
					c.Verdict.Causes)
			}
		}
	}
	t.Logf("%d cases, rejected %v, of these found %v: %d differences", len(cases), rejected, found, different)
	claimed(t, "compares ", len(cases), " recorded requests")
	checkMisses(t, filepath.Join(dir, "misses.tsv"), misses)
}

// differenceIn is how many of the verdicts of an older version are different, or rejections by validation that we miss,
// and why.
type differenceIn struct {
	different, missed int
	cause             string
}

// everywhere are the differences of all versions; misses.tsv has them, too.
var everywhere = []differenceIn{
	{0, 2, "without a namespace, that of a LocalSubjectAccessReview is the one of the request"},
	{0, 1, "the addresses of a Node are in its status"},
	{0, 1, "the token of a Pod that names no service account, which an admission plugin sets"},
	{0, 1, "managedFields are only decoded"},
}

var differencesIn = map[int][]differenceIn{
	30: append([]differenceIn{
		{0, 3, "a live PersistentVolume has the class of attributes that the server drops from new ones"},
		{0, 3, "a live Service has the trafficDistribution that the server drops from new ones"},
		{0, 2, "the allocation of addresses to a Service"},
	}, everywhere...),
	32: append([]differenceIn{
		{0, 2, "a live PersistentVolumeClaim has the class of attributes that the server drops from new ones"},
	}, everywhere...),
	34: append([]differenceIn{
		{4, 0, "the path of an unknown field in an attribute of a device lacks the key of the attribute"},
		{0, 3, "a ResourceClaim with distinctAttribute loses a capacity on creation, but not on an update"},
		{0, 2, "the allocation of addresses to a Service"},
	}, everywhere...),
	36: append([]differenceIn{
		{0, 2, "the allocation of addresses to a Service"},
	}, everywhere...),
}

// For the same objects, our verdict for an older version of Kubernetes is that of its server.
func TestVerdictsForOlderVersionsAreThoseOfTheirServers(t *testing.T) {
	dir := filepath.Join(root, "internal", "oracle", "builtin")
	for minor, differences := range differencesIn {
		t.Run(strconv.Itoa(minor), func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(dir, "testdata", "versions", "1."+strconv.Itoa(minor)+".jsonl.gz")
			recorded, err := readLines[Difference](record)
			if err != nil {
				t.Fatal(err)
			}
			all := NewComparison()
			for _, file := range []string{"testdata/cases.jsonl.gz", "testdata/sites.jsonl.gz"} {
				cases, err := ReadCases(filepath.Join(dir, filepath.FromSlash(file)))
				if err == nil {
					cases, err = OlderCases(recorded, file, cases)
				}
				if err != nil {
					t.Fatalf("%v; run '.ci/oracle 1.%d'", err, minor)
				}
				for _, c := range cases {
					all.Add(c, CheckBuiltin(minor, c.Request))
				}
			}
			different, missed := 0, 0
			for _, d := range differences {
				different, missed = different+d.different, missed+d.missed
			}
			if all.Different != different || all.Missed != missed {
				t.Errorf("%d different, %d missed, want %d and %d:\n%s", all.Different, all.Missed, different, missed,
					strings.Join(append(all.Groups(), all.MissedGroups()...), "\n"))
			}
			t.Logf("%d of the verdicts are not those of the newest version; %s", len(recorded)-2, all.Rates())
		})
	}
}

// missed says how we miss a rejection by validation: "missed", "elsewhere", or "" if we find it.
func missed(c Case, ours []diag.Violation) string {
	switch {
	case c.Verdict.Stage != "validation":
		return ""
	case IsMissed(c, ours):
		return "missed"
	case BuiltinPlace(c, ours) == Elsewhere:
		return "elsewhere"
	}
	return ""
}

const missesHeader = "# how\tkind\tfield\treason\tcases at most\n"

// checkMisses compares misses with the allowed ones in a file: a line of how, kind, field, reason and number.
func checkMisses(t *testing.T, file string, misses map[string]int) {
	t.Helper()
	if *update {
		lines := missesHeader
		for _, what := range slices.Sorted(maps.Keys(misses)) {
			lines += what + "\t" + strconv.Itoa(misses[what]) + "\n"
		}
		if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	allowed, total := map[string]int{}, 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), missesHeader)) {
		i := strings.LastIndexByte(line, '\t')
		if allowed[line[:max(i, 0)]], err = strconv.Atoi(strings.TrimSpace(line[i+1:])); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(misses)) {
		total += misses[what]
		if misses[what] > allowed[what] {
			t.Errorf("%d cases, at most %d allowed: %s", misses[what], allowed[what], strings.ReplaceAll(what, "\t", " "))
		}
		allowed[what] -= misses[what]
	}
	fewer := 0
	for _, left := range allowed {
		fewer += max(0, left)
	}
	t.Logf("%d misses; %d fewer than allowed ('-update' writes them to misses.tsv)", total, fewer)
}

func TestPlacesAreThoseOfTheServerOrNextToThem(t *testing.T) {
	for _, c := range []struct {
		theirs string
		ours   diag.Path
		kind   string
		want   Place
	}{
		{"spec.ports[0].name", diag.Fields("spec", "ports").Item(0).Field("name"), "", Same},
		{"spec.ports[0].name", diag.Fields("spec", "ports").Item(1).Field("name"), "", Elsewhere},
		{"spec.ports[0]", diag.Fields("spec", "ports").Item(0).Field("name"), "", Near},
		{"spec.ports", diag.Fields("spec", "ports").Item(0), "", Near},
		{"spec.ports[0].name", diag.Fields("spec"), "", Elsewhere},
		{"spec.ports.name", diag.Fields("spec", "ports").Item(1).Field("name"), "", Same},
		{"data[a b]", diag.Fields("data", "a b"), "", Same},
		{"spec.selector.matchLabels", diag.Fields("spec", "selector", "matchLabels", "a.b/c"), "", Same},
		{"metadata.name", diag.Fields("items").Item(2).Field("metadata").Field("name"), "v1 List", Same},
		{"metadata.name", diag.Fields("items").Item(2).Field("metadata").Field("name"), "v1 Pod", Elsewhere},
	} {
		k := Case{Kind: c.kind, Verdict: Verdict{Causes: []Cause{{Field: c.theirs}}}}
		if have := BuiltinPlace(k, []diag.Violation{{Path: c.ours}}); have != c.want {
			t.Errorf("%s and %s: have %d, want %d", c.ours.String(), c.theirs, have, c.want)
		}
	}
}
