package podsecurity

import (
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/parity"
)

var (
	mutate     = flag.Int("mutate", 2000, "how many mutated objects to compare")
	mutateSeed = flag.Uint64("mutate-seed", 1, "where to start drawing")
)

func standards(t *testing.T) *Standards {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Upstream's fixtures state themselves whether a level allows them. They end before the newest version of the standards,
// to which those of the last version apply.
func TestFixturesGetTheSameVerdict(t *testing.T) {
	s, dir := standards(t), fixtures(t)
	compared, invalid := 0, 0
	for minor := catalog.OldestKubernetes; minor <= Newest; minor++ {
		for _, level := range Levels {
			of := filepath.Join(dir, level, fmt.Sprintf("v1.%d", min(minor, newestFixture)))
			files, err := filepath.Glob(filepath.Join(of, "*", "*.yaml"))
			if err != nil || len(files) < 20 {
				t.Fatalf("%s: %d files, %v", of, len(files), err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				p := s.pod(t, level, minor, withValidName(file, string(text)))
				isAllowed := filepath.Base(filepath.Dir(file)) == "pass"
				isDropped := minor < gated && strings.Contains(string(text), "procMount: Unmasked") // upstream turns the gate on
				if isAllowed != (len(p.Forbids) == 0) && !isDropped {
					t.Errorf("%s: upstream forbids %v", file, p.Forbids)
				}
				differences, isValid := parity.PodDifferences(p)
				if !isValid {
					invalid++
					t.Logf("not valid: %s for 1.%d", file, minor)
				}
				if len(differences) > 0 {
					t.Errorf("%s for 1.%d: %v", file, minor, differences)
				}
				compared++
			}
		}
	}
	t.Logf("%d fixtures, %d of them not valid", compared, invalid)
}

// withValidName returns the text of a fixture with a name that an API server accepts. The name of a fixture is that of its
// file.
func withValidName(file, text string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	return strings.Replace(text, "\n  name: "+name+"\n", "\n  name: "+strings.ReplaceAll(name, "_", "-")+"\n", 1)
}

// newestFixture is the newest version of the standards with fixtures.
const newestFixture = 35

// fixtures returns the directory of upstream's fixtures.
func fixtures(t *testing.T) string {
	t.Helper()
	found, err := build.Import("k8s.io/pod-security-admission/test", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(found.Dir, "testdata")
}

// pod returns a pod with upstream's verdict.
func (s *Standards) pod(t *testing.T, level string, minor int, text string) parity.Pod {
	t.Helper()
	forbids, err := s.Forbids(level, minor, text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return parity.Pod{Level: level, Minor: minor, Text: text, Forbids: forbids}
}

// draw returns mutated pods with upstream's verdicts, for each level and version in turn.
func (s *Standards) draw(t *testing.T, m *Mutator, n int) []parity.Pod {
	t.Helper()
	var pods []parity.Pod
	for i := range n {
		minor := catalog.OldestKubernetes + i/len(Levels)%(Newest-catalog.OldestKubernetes+1)
		pods = append(pods, s.pod(t, Levels[i%len(Levels)], minor, m.Next()))
	}
	return pods
}

func TestMutatedPodsGetTheSameVerdict(t *testing.T) {
	s, m := standards(t), NewMutator(*mutateSeed)
	different, invalid, allowed := 0, 0, 0
	failed := map[string]int{}
	for _, p := range s.draw(t, m, *mutate) {
		differences, isValid := parity.PodDifferences(p)
		switch {
		case !isValid:
			invalid++
			continue
		case len(p.Forbids) == 0:
			allowed++
		}
		for _, name := range p.Forbids {
			failed[p.Level+" "+name]++
		}
		if len(differences) > 0 {
			if different++; different <= 20 {
				t.Errorf("%s 1.%d: %s\n%s", p.Level, p.Minor, strings.Join(differences, ", "), p.Text)
			}
		}
	}
	var lines []string
	for name, n := range failed {
		lines = append(lines, fmt.Sprintf("%6d %s", n, name))
	}
	slices.Sort(lines)
	t.Logf("pods that fail a check\n%s", strings.Join(lines, "\n"))
	t.Logf("%d pods, %d of them not valid, %d allowed, %d differences", *mutate, invalid, allowed, different)
	if invalid > *mutate/4 || allowed < *mutate/20 || len(failed) < 28 && *mutate >= 2000 {
		t.Error("too few pods are valid, allowed, or fail each check")
	}
}
