package podsecurity

import (
	"flag"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/test/parity"
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

// Upstream's fixtures state themselves whether a level allows them. They end before the newest version of the
// standards, to which those of the last version apply.
func TestFixturesGetTheSameVerdict(t *testing.T) {
	s, dir := standards(t), fixtures(t)
	files, compared, invalid := 0, 0, map[string]bool{}
	for minor := 0; minor <= Newest; minor++ {
		for _, level := range Levels {
			of := filepath.Join(dir, level, fmt.Sprintf("v1.%d", min(minor, newestFixture)))
			list, err := filepath.Glob(filepath.Join(of, "*", "*.yaml"))
			if err != nil || len(list) < 20 {
				t.Fatalf("%s: %d files, %v", of, len(list), err)
			}
			for _, file := range list {
				files++
				for _, isEnforced := range []bool{true, false} {
					if !isEnforced && minor < catalog.OldestKubernetes {
						continue
					}
					compared++
					if !s.isFixtureValid(t, file, parity.Pod{Level: level, Minor: minor, IsEnforced: isEnforced}) {
						invalid[strings.TrimPrefix(file, dir)] = true
					}
				}
			}
		}
	}
	t.Logf("%d fixtures, compared %d times", files, compared)
	t.Logf("not valid: %v", slices.Sorted(maps.Keys(invalid)))
	if len(invalid) > files/20 {
		t.Errorf("%d fixtures are not valid", len(invalid))
	}
}

// isFixtureValid compares the verdicts on a fixture. It reports whether an API server accepts the fixture otherwise.
func (s *Standards) isFixtureValid(t *testing.T, file string, p parity.Pod) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p.Text = withValidName(file, string(text))
	p = s.withVerdict(t, p)
	isAllowed := filepath.Base(filepath.Dir(file)) == "pass"
	// upstream turns the gate on
	isDropped := !p.IsEnforced && p.Minor < gated && strings.Contains(p.Text, "procMount: Unmasked")
	if isAllowed != (len(p.Forbids) == 0) && !isDropped {
		t.Errorf("%s: upstream forbids %v", file, p.Forbids)
	}
	differences, isValid := parity.PodDifferences(p)
	if len(differences) > 0 {
		t.Errorf("%s in 1.%d, enforced %v: %v", file, p.Minor, p.IsEnforced, differences)
	}
	return isValid
}

// withValidName returns the text of a fixture with a name that an API server accepts, in the namespace a. The name of
// a fixture is that of its file.
func withValidName(file, text string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	return strings.Replace(text, "\n  name: "+name+"\n",
		"\n  name: "+strings.ReplaceAll(name, "_", "-")+"\n  namespace: a\n", 1)
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

// withVerdict returns a pod with upstream's verdict.
func (s *Standards) withVerdict(t *testing.T, p parity.Pod) parity.Pod {
	t.Helper()
	kubernetes := p.Minor
	if p.IsEnforced {
		kubernetes = Newest
	}
	var err error
	if p.Forbids, err = s.Forbids(p.Level, p.Minor, kubernetes, p.Text); err != nil {
		t.Fatalf("%v in:\n%s", err, p.Text)
	}
	return p
}

// draw returns mutated pods with upstream's verdicts, for each level and version in turn. In one of three, a namespace
// enforces the level, in any version of the standards.
func (s *Standards) draw(t *testing.T, m *Mutator, n int) []parity.Pod {
	t.Helper()
	var pods []parity.Pod
	for i := range n {
		p := parity.Pod{Level: Levels[i%len(Levels)], IsEnforced: i%3 == 0, Text: m.Next()}
		p.Minor = i / len(Levels) % (Newest + 1)
		if !p.IsEnforced {
			p.Minor = catalog.OldestKubernetes + p.Minor%(Newest-catalog.OldestKubernetes+1)
		}
		pods = append(pods, s.withVerdict(t, p))
	}
	return pods
}

// compare compares the verdicts on pods, on all processors.
func compare(pods []parity.Pod) (differences [][]string, isValid []bool) {
	differences, isValid = make([][]string, len(pods)), make([]bool, len(pods))
	var workers sync.WaitGroup
	processors := runtime.GOMAXPROCS(0)
	for first := range processors {
		workers.Go(func() {
			for i := first; i < len(pods); i += processors {
				differences[i], isValid[i] = parity.PodDifferences(pods[i])
			}
		})
	}
	workers.Wait()
	return differences, isValid
}

func TestMutatedPodsGetTheSameVerdict(t *testing.T) {
	s, m := standards(t), NewMutator(*mutateSeed)
	different, invalid, allowed := 0, 0, 0
	failed := map[string]int{}
	pods := s.draw(t, m, *mutate)
	differences, isValid := compare(pods)
	for i, p := range pods {
		switch {
		case !isValid[i]:
			invalid++
			continue
		case len(p.Forbids) == 0:
			allowed++
		}
		for _, name := range p.Forbids {
			failed[p.Level+" "+name]++
		}
		if len(differences[i]) > 0 {
			if different++; different <= 20 {
				t.Errorf("%s 1.%d, enforced %v: %s\n%s", p.Level, p.Minor, p.IsEnforced,
					strings.Join(differences[i], ", "), p.Text)
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
	if invalid > *mutate/4 || allowed < *mutate/20 || len(failed) < 30 && *mutate >= 2000 {
		t.Error("too few pods are valid, allowed, or fail each check")
	}
}
