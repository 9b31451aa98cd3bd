package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// mostPlanted is the maximum number of mistakes in one chart.
const mostPlanted = 8

// mistake is a value of a chart that is set under another key, which no template reads.
type mistake struct {
	kind        string
	meant, path []any
	value       any
	// file is where it is written, and line where its first key is. Each key has a line.
	file string
	line int
}

// plant plants mistakes in values of charts, and counts those that kindvet reports with the right suggestion.
func (p *program) plant(roots []string, count int, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	planted, found, suggested := map[string]int{}, map[string]int{}, map[string]int{}
	total := 0
	for _, root := range roots {
		dirs, err := charts(root)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if total >= count {
				break
			}
			list := mistakes(dir, random)
			if len(list) == 0 {
				continue
			}
			results, err := p.tryAll(dir, list)
			if err != nil {
				fmt.Println("not judged:", err)
				continue
			}
			for i := range list {
				m, f := &list[i], results[i]
				total++
				planted[m.kind]++
				switch {
				case f == nil:
					fmt.Printf("missed: %s: %s: %v for %v in %s\n", dir, m.kind, m.path, m.meant, m.file)
				case !m.isSuggestedBy(f.Help):
					found[m.kind]++
					fmt.Printf("not suggested: %s: %s: %v for %v: %s; %s\n", dir, m.kind, m.path, m.meant, f.Message, f.Help)
				default:
					found[m.kind]++
					suggested[m.kind]++
				}
			}
			fmt.Printf("%s: %d planted\n", dir, len(list))
		}
	}
	allFound, allSuggested := 0, 0
	for _, kind := range []string{"typo", "rename", "level"} {
		fmt.Printf("%s: %d planted, %d found, %d with the right suggestion\n", kind, planted[kind], found[kind], suggested[kind])
		allFound, allSuggested = allFound+found[kind], allSuggested+suggested[kind]
	}
	fmt.Printf("%d planted, %d found, %d with the right suggestion\n", total, allFound, allSuggested)
	return nil
}

// mistakes returns mistakes in the values of a chart: Helm writes something else with the value, and the same with the mistake.
func mistakes(dir string, random *rand.Rand) (list []mistake) {
	r, err := helm3(dir)
	if err != nil {
		return nil
	}
	o, err := base(r, nil)
	if err != nil {
		return nil
	}
	j := &judged{dir: dir}
	leaves := j.leaves(nil)
	random.Shuffle(len(leaves), func(a, b int) { leaves[a], leaves[b] = leaves[b], leaves[a] })
	changes := func(path []any, value any) (isOther, isRendered bool) {
		texts, err := r(nil, []edit{{isUser: true, path: path, value: value}})
		return err == nil && o.difference(texts) != "", err == nil
	}
	tries := 0
	for i := range leaves {
		if len(list) == mostPlanted || tries > 3*mostPlanted {
			break
		}
		meant := leaves[i].path
		if meant[0] == "global" || len(meant) > 5 || !isNamed(meant) {
			continue
		}
		value, _ := ways[0].value(leaves[i].was)
		if leaves[i].was == nil {
			value = "kvother"
		}
		m := mistake{meant: meant, value: value}
		if !m.draw(random, j.dir) {
			continue
		}
		tries++
		if isOther, ok := changes(meant, value); !ok || !isOther {
			continue
		}
		if isOther, ok := changes(m.path, value); !ok || isOther {
			continue
		}
		list = append(list, m)
	}
	return list
}

func isNamed(path []any) bool {
	return !slices.ContainsFunc(path, func(step any) bool {
		name, ok := step.(string)
		return !ok || len(name) < 3 || strings.ContainsAny(name, ". /")
	})
}

// draw makes a mistake in the path.
func (m *mistake) draw(random *rand.Rand, dir string) bool {
	m.kind = []string{"typo", "rename", "level"}[random.IntN(3)]
	m.path = slices.Clone(m.meant)
	switch m.kind {
	case "typo":
		at := random.IntN(len(m.path))
		m.path[at] = misspelled(m.path[at].(string), random)
	case "rename":
		at := random.IntN(len(m.path))
		m.path[at] = renamed(m.path[at].(string), random)
	case "level":
		if len(m.path) == 1 {
			own, err := values(filepath.Join(dir, "values.yaml"))
			if err != nil {
				return false
			}
			var maps []string // one of which the value is put below
			for _, key := range sortedKeys(own) {
				if table, ok := own[key].(map[string]any); ok && len(table) > 1 && key != "global" {
					maps = append(maps, key)
				}
			}
			if len(maps) == 0 {
				return false
			}
			m.path = append([]any{maps[random.IntN(len(maps))]}, m.path...)
		} else {
			at := random.IntN(len(m.path) - 1)
			m.path = slices.Delete(m.path, at, at+1)
		}
	}
	return !slices.Equal(m.path, m.meant)
}

// misspelled returns a name with two letters swapped, one missing, twice or another.
func misspelled(name string, random *rand.Rand) string {
	at := random.IntN(len(name) - 1)
	switch random.IntN(4) {
	case 0:
		return name[:at] + name[at+1:at+2] + name[at:at+1] + name[at+2:]
	case 1:
		return name[:at+1] + name[at+2:]
	case 2:
		return name[:at+1] + name[at:]
	}
	return name[:at+1] + string(rune('a'+random.IntN(26))) + name[at+2:]
}

// renamed returns a name in another style.
func renamed(name string, random *rand.Rand) string {
	var b strings.Builder
	separator := []string{"-", "_", ""}[random.IntN(3)]
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && separator != "" {
			b.WriteString(separator)
		}
		b.WriteRune(unicode.ToLower(r))
	}
	switch {
	case b.String() != name:
		return b.String()
	case strings.HasSuffix(name, "s"):
		return strings.TrimSuffix(name, "s")
	case random.IntN(2) == 0:
		return name + "s"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// isSuggestedBy reports whether a help names the key that is meant, or the map that it belongs below.
func (m *mistake) isSuggestedBy(help string) bool {
	for i := range m.meant {
		key := keyOf(m.meant[:i+1])
		isOther := i >= len(m.path) || !slices.Equal(m.path[:i+1], m.meant[:i+1])
		if isOther && strings.Contains(help, strconv.Quote(key)) ||
			m.kind == "level" && strings.Contains(help, "move it below "+strconv.Quote(key)) {
			return true
		}
	}
	return m.kind == "level" && strings.Contains(help, "top level")
}

func keyOf(path []any) string {
	var names []string
	for _, step := range path {
		names = append(names, strings.ReplaceAll(fmt.Sprint(step), ".", `\.`))
	}
	return strings.Join(names, ".")
}

// tryAll writes mistakes into files of a copy of a chart, an Application and a HelmRelease, and returns the finding about each.
func (p *program) tryAll(dir string, list []mistake) ([]*finding, error) {
	root, err := os.MkdirTemp("", "planted")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	at := filepath.Join(root, "charts", "planted")
	if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
		return nil, err
	}
	_ = os.RemoveAll(filepath.Join(at, "ci"))
	for i := range list {
		if err := list[i].write(root, i); err != nil {
			return nil, err
		}
	}
	findings, _, err := p.check(root, ".")
	if err != nil {
		return nil, err
	}
	results := make([]*finding, len(list))
	for i := range list {
		m := &list[i]
		for j := range findings {
			f := &findings[j]
			path, ok := f.path()
			if ok && f.File == m.file && len(path) <= len(m.path) && slices.Equal(path, m.path[:len(path)]) && f.Line == m.line+len(path)-1 {
				results[i] = f
			}
		}
	}
	return results, nil
}

// write writes a mistake into a file.
func (m *mistake) write(root string, number int) error {
	nested := m.value
	for _, step := range slices.Backward(m.path) {
		nested = map[string]any{step.(string): nested}
	}
	text, err := yaml.Marshal(nested)
	if err != nil {
		return err
	}
	before, indent := "", ""
	switch number % 3 {
	case 0:
		m.file = fmt.Sprintf("charts/planted/ci/planted-%d-values.yaml", number)
	case 1:
		m.file, indent = fmt.Sprintf("app-%d.yaml", number), "        "
		before = fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: planted-%d}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: default}
  source:
    repoURL: https://git.example.com/planted.git
    path: charts/planted
    helm:
      %s
`, number, []string{"valuesObject:", "values: |"}[number/3%2])
	case 2:
		m.file, indent = fmt.Sprintf("release-%d.yaml", number), "    "
		before = fmt.Sprintf(`apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: planted-%d, namespace: default}
spec:
  interval: 1m
  chart: {spec: {chart: ./charts/planted, sourceRef: {kind: GitRepository, name: flux-system}}}
  values:
`, number)
	}
	m.line = strings.Count(before, "\n") + 1
	full := filepath.Join(root, filepath.FromSlash(m.file))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		before += indent + line
	}
	return os.WriteFile(full, []byte(before), 0o644)
}
