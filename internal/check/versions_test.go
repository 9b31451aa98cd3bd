package check

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Each file in testdata/versions is an object that not all versions of Kubernetes treat alike. Comments at its start say
// what is found in which versions, and where; other versions have no findings:
//
//	# 1.29 to 1.33: warning spec.template.spec.containers
//	# since 1.34: error spec.template.spec.containers
//
// A line "--- # old" begins the object before an update.
func TestVersionsOfKubernetesDiffer(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "versions", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	engines := map[int]*Engine{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		now, before, isUpdate := strings.Cut(string(text), "--- # old\n")
		want := wantedByVersion(t, name, now)
		for minor := catalog.OldestKubernetes; minor <= catalog.NewestKubernetes; minor++ {
			e := engines[minor]
			if e == nil || isUpdate {
				server := catalog.Server{Minor: minor}
				known := catalog.For(server, catalog.ServerKinds(server), catalog.BuiltInKinds())
				var old *OldObjects
				if isUpdate {
					old = NewOldObjects()
					old.Add("old.yaml", before)
				}
				e = New(Options{Catalog: known, Old: old, UnknownKinds: Auto})
			}
			if !isUpdate {
				engines[minor] = e
			}
			have := found(e.Check(&Memory{}, &source.Source{Name: name, Text: now}, File{}).Violations)
			if !slices.Equal(have, want[minor]) {
				t.Errorf("%s: 1.%d: have %q, want %q", name, minor, have, want[minor])
			}
		}
	}
}

// found returns the severities and paths of violations, sorted.
func found(violations []diag.Violation) []string {
	var all []string
	for _, v := range violations {
		if v.Severity != diag.Info {
			all = append(all, fmt.Sprintf("%s %s", v.Severity, v.Path))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var wantedLine = regexp.MustCompile(`^# (?:1\.(\d+) to 1\.(\d+)|since 1\.(\d+)|until 1\.(\d+)|1\.(\d+)): (.+)$`)

// wantedByVersion reads the comments at the start of a file, by minor version.
func wantedByVersion(t *testing.T, name, text string) map[int][]string {
	t.Helper()
	want := map[int][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "#") {
			break
		}
		m := wantedLine.FindStringSubmatch(line)
		if m == nil {
			continue // a comment
		}
		first, last := catalog.OldestKubernetes, catalog.NewestKubernetes
		number := func(i int, of *int) {
			if m[i] != "" {
				*of, _ = strconv.Atoi(m[i])
			}
		}
		number(1, &first)
		number(2, &last)
		number(3, &first)
		number(4, &last)
		number(5, &first)
		number(5, &last)
		if first > last || first < catalog.OldestKubernetes {
			t.Errorf("%s: no versions: %s", name, line)
		}
		for minor := first; minor <= last; minor++ {
			want[minor] = append(want[minor], m[6])
		}
	}
	for minor := range want {
		slices.Sort(want[minor])
	}
	if len(want) == 0 {
		t.Errorf("%s: no comment says what is found", name)
	}
	return want
}
