// Command unread judges the finding values/unread with Helm. For each chart below some directories, it changes each value that
// kindvet reports, in several ways and under each set of values, and compares what Helm 3.19 and Helm 4.3 write: not a byte may
// change. The sets are the default values and ci/*-values.yaml.
//
//	go run ./unread -kindvet ../../../kindvet DIRECTORY...
//
// With -leaves, it changes each value of values.yaml, and counts those that Helm never reads and kindvet does not report. With
// -plant, it plants mistakes in files of values, and counts those that kindvet reports with the right suggestion.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	kindvet := flag.String("kindvet", "kindvet", "the `program`")
	leaves := flag.Bool("leaves", false, "look for values that Helm never reads and kindvet does not report")
	most := flag.Int("most", 400, "with -leaves, how many `times` a chart is rendered at most")
	plant := flag.Int("plant", 0, "how many mistakes to plant")
	seed := flag.Uint64("seed", 1, "of the mistakes")
	flag.Parse()
	quiet()
	p := &program{kindvet: *kindvet, mostRenders: *most}
	var err error
	switch {
	case *plant > 0:
		err = p.plant(flag.Args(), *plant, *seed)
	default:
		err = p.judge(flag.Args(), *leaves)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "unread:", err)
		os.Exit(2)
	}
}

type program struct {
	kindvet     string
	mostRenders int
}

// charts returns the directories of charts below a directory, except those of subcharts.
func charts(root string) (list []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(name, "Chart.yaml")); err == nil {
			list = append(list, name)
			return fs.SkipDir
		}
		return nil
	})
	return list, err
}

// finding is one of values/unread.
type finding struct {
	Rule, Severity, Message, Help, File string
	Line                                int
}

// check returns the findings of kindvet, and those rules that were not evaluated.
func (p *program) check(dir string, args ...string) (list []finding, unknown []finding, err error) {
	cmd := exec.Command(p.kindvet, append([]string{"validate", "--profile", "schema", "-o", "json"}, args...)...)
	cmd.Dir = dir
	var text, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &problem
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		return nil, nil, fmt.Errorf("kindvet in %s: %w: %s", dir, err, problem.String())
	}
	var report struct {
		Violations   []finding
		NotEvaluated []finding
	}
	if err := json.Unmarshal(text.Bytes(), &report); err != nil {
		return nil, nil, err
	}
	isOther := func(f finding) bool { return f.Rule != "values/unread" }
	return slices.DeleteFunc(report.Violations, isOther), slices.DeleteFunc(report.NotEvaluated, isOther), nil
}

// keyIn returns the path that a message quotes.
func (f *finding) path() ([]any, bool) {
	_, quoted, ok := strings.Cut(f.Message, "no template reads ")
	if !ok {
		return nil, false
	}
	prefix, err := strconv.QuotedPrefix(quoted)
	if err != nil {
		return nil, false
	}
	key, err := strconv.Unquote(prefix)
	return pathOf(key), err == nil
}

// pathOf returns the steps of a key as in --set.
func pathOf(key string) (path []any) {
	var name strings.Builder
	flush := func() {
		if name.Len() > 0 {
			path = append(path, name.String())
			name.Reset()
		}
	}
	for i := 0; i < len(key); i++ {
		switch c := key[i]; c {
		case '\\':
			if i++; i < len(key) {
				name.WriteByte(key[i])
			}
		case '.':
			flush()
		case '[':
			end := strings.IndexByte(key[i:], ']')
			number, err := strconv.Atoi(key[i+1 : i+max(end, 1)])
			if end < 0 || err != nil {
				name.WriteByte(c)
				continue
			}
			flush()
			path = append(path, number)
			i += end
		default:
			name.WriteByte(c)
		}
	}
	flush()
	return path
}

// subchartsOf returns the names of the charts that lead to the directory of a values.yaml.
func subchartsOf(dir, file string) (names []string) {
	parts := strings.Split(filepath.ToSlash(file), "/")
	at := dir
	for i := 0; i+2 < len(parts) && parts[i] == "charts"; i += 2 {
		at = filepath.Join(at, parts[i], parts[i+1])
		var metadata struct{ Name string }
		if text, err := os.ReadFile(filepath.Join(at, "Chart.yaml")); err == nil {
			_ = yaml.Unmarshal(text, &metadata)
		}
		names = append(names, cmp.Or(metadata.Name, parts[i+1]))
	}
	return names
}

// judged is a chart for both versions of Helm.
type judged struct {
	dir     string
	renders []render
	sets    []set
	// bases are what the versions write with each set; nil if that is an error.
	bases [][]*output
	count int // of renders
}

var versions = []string{"3.19", "4.3"}

func load(dir string) (*judged, error) {
	j := &judged{dir: dir}
	for _, with := range []func(string) (render, error){helm3, helm4} {
		r, err := with(dir)
		if err != nil {
			return nil, err
		}
		j.renders = append(j.renders, r)
	}
	var err error
	if j.sets, err = sets(dir); err != nil {
		return nil, err
	}
	var problem error
	isAny := false
	for _, r := range j.renders {
		var outputs []*output
		for i := range j.sets {
			o, err := base(r, j.sets[i].values)
			if err != nil {
				o, problem = nil, cmp.Or(problem, err)
			}
			isAny = isAny || o != nil
			outputs = append(outputs, o)
		}
		j.bases = append(j.bases, outputs)
	}
	if !isAny {
		return nil, problem
	}
	return j, nil
}

// differs returns how the output changes with edits, for all sets or that of a file; "" if it does not.
func (j *judged) differs(file string, edits []edit) string {
	for v, r := range j.renders {
		for i := range j.sets {
			o := j.bases[v][i]
			if o == nil || file != "" && j.sets[i].file != file {
				continue
			}
			for isAgain := false; ; isAgain = true {
				j.count++
				texts, err := r(j.sets[i].values, edits)
				if err != nil {
					return "Helm " + versions[v] + " fails: " + firstLine(err.Error())
				}
				d := o.difference(texts)
				if d == "" {
					break
				}
				if isAgain {
					return "Helm " + versions[v] + " with " + cmp.Or(filepath.Base(j.sets[i].file), "default") + ": " + d
				}
				if texts, err := r(j.sets[i].values, nil); err == nil {
					o.learn(texts) // the clock may have moved
				}
			}
		}
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 300)]
}

// claim is a value that is changed.
type claim struct {
	file string // of a set; "" for values.yaml
	edit
	was any
}

// ways are the ways to change a value.
var ways = []struct {
	name  string
	value func(was any) (value any, isRemoved bool)
}{
	{"another value", func(was any) (any, bool) {
		switch v := was.(type) {
		case string:
			return v + "kvother", false
		case bool:
			return !v, false
		case float64:
			return v + 47193, false
		case map[string]any:
			return map[string]any{"kvother": "kvother"}, false
		case []any:
			return append(slices.Clone(v), "kvother"), false
		}
		return "kvother", false
	}},
	{"a text", func(any) (any, bool) { return "kvother", false }},
	{"a number", func(any) (any, bool) { return 47193.0, false }},
	{"true", func(any) (any, bool) { return true, false }},
	{"false", func(any) (any, bool) { return false, false }},
	{"empty", func(any) (any, bool) { return "", false }},
	{"a list", func(any) (any, bool) { return []any{map[string]any{"name": "kvother"}}, false }},
	{"a map", func(any) (any, bool) { return map[string]any{"enabled": true, "kvother": "kvother"}, false }},
	{"removed", func(any) (any, bool) { return nil, true }},
}

// inert splits claims into those that change nothing in any way, and the others with how they change the output.
func (j *judged) inert(claims []claim, mostRenders int) (quiet []claim, loud map[int]string) {
	loud = map[int]string{}
	var test func(way int, list []int)
	test = func(way int, list []int) {
		if len(list) == 0 {
			return
		}
		var edits []edit
		for _, i := range slices.Backward(list) { // the last item of a list first
			e := claims[i].edit
			e.value, e.isRemoved = ways[way].value(claims[i].was)
			edits = append(edits, e)
		}
		how := ""
		if mostRenders > 0 && j.count > mostRenders {
			how = "not judged: too many renders"
		} else {
			how = j.differs(claims[list[0]].file, edits)
		}
		switch {
		case how == "":
		case len(list) == 1 || strings.HasPrefix(how, "not judged"):
			for _, i := range list {
				loud[i] = ways[way].name + ": " + how
			}
		default:
			test(way, list[:len(list)/2])
			test(way, list[len(list)/2:])
		}
	}
	byFile := map[string][]int{}
	for i := range claims {
		byFile[claims[i].file] = append(byFile[claims[i].file], i)
	}
	for way := range ways {
		for _, list := range byFile {
			test(way, slices.DeleteFunc(slices.Clone(list), func(i int) bool { return loud[i] != "" }))
		}
	}
	for i := range claims {
		if loud[i] == "" {
			quiet = append(quiet, claims[i])
		}
	}
	return quiet, loud
}

// judge judges what kindvet reports about the charts below directories.
func (p *program) judge(roots []string, leaves bool) error {
	var total struct{ charts, failed, sets, unknown, claims, right, values, inert, missed int }
	for _, root := range roots {
		dirs, err := charts(root)
		if err != nil {
			return err
		}
		list, unknown, err := p.check(root, ".")
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			short, err := filepath.Rel(root, dir)
			if err != nil {
				return err
			}
			prefix := filepath.ToSlash(short) + "/"
			if short == "." {
				prefix = ""
			}
			isUnknown := slices.ContainsFunc(unknown, func(f finding) bool { return strings.HasPrefix(f.File, prefix) })
			if isUnknown {
				total.unknown++
				fmt.Printf("not evaluated: %s\n", dir)
			}
			if !leaves && !slices.ContainsFunc(list, func(f finding) bool { return strings.HasPrefix(f.File, prefix) }) {
				total.charts++
				continue
			}
			j, err := load(dir)
			if err != nil {
				total.failed++
				fmt.Printf("not rendered: %s: %s\n", dir, firstLine(err.Error()))
				continue
			}
			total.charts, total.sets = total.charts+1, total.sets+len(j.sets)
			own := j.claims(list, prefix)
			_, loud := j.inert(own, 0)
			fmt.Printf("%s: %d sets, %d claims, %d wrong\n", dir, len(j.sets), len(own), len(loud))
			for i := range own {
				total.claims++
				if loud[i] == "" {
					total.right++
				} else {
					fmt.Printf("wrong: %s: %v %v %s: %s\n", dir, own[i].subcharts, own[i].path, own[i].file, loud[i])
				}
			}
			if leaves {
				all := j.leaves(own)
				inert, loud := j.inert(all, j.count+p.mostRenders)
				words := wordsIn(dir)
				for i := range inert {
					if name := lastName(inert[i].path); !words[name] {
						total.missed++
						fmt.Printf("missed: %s: %v\n", dir, inert[i].path)
					}
				}
				notJudged := 0
				for _, how := range loud {
					if strings.Contains(how, "not judged") {
						notJudged++
					}
				}
				total.values, total.inert = total.values+len(all)-notJudged, total.inert+len(inert)
				fmt.Printf("leaves: %s: %d values, %d not judged, %d change nothing\n", dir, len(all), notJudged, len(inert))
			}
		}
	}
	fmt.Printf("%d charts (%d more cannot be rendered), %d sets of those with claims, %d charts not evaluated: %d claims, %d right, %d wrong\n",
		total.charts, total.failed, total.sets, total.unknown, total.claims, total.right, total.claims-total.right)
	if leaves {
		fmt.Printf("%d other values: %d change nothing, and no file has the name of %d of them\n", total.values, total.inert, total.missed)
	}
	return nil
}

// claims returns the values that findings are about, if they are in values.yaml or ci/ of a chart.
func (j *judged) claims(list []finding, prefix string) (claims []claim) {
	for i := range list {
		f := &list[i]
		file, ok := strings.CutPrefix(f.File, prefix)
		path, isKnown := f.path()
		if !ok || !isKnown {
			continue
		}
		c := claim{edit: edit{path: path}}
		full := filepath.Join(j.dir, filepath.FromSlash(file))
		v, err := values(full)
		if err != nil {
			fmt.Printf("not judged: %s: %s\n", full, firstLine(err.Error()))
			continue
		}
		if strings.HasPrefix(file, "ci/") {
			c.file, c.isUser = full, true
		} else {
			c.subcharts = subchartsOf(j.dir, file)
		}
		if c.was, ok = at(v, path); !ok {
			fmt.Printf("not judged: %s has no %v\n", full, path)
			continue
		}
		claims = append(claims, c)
	}
	return claims
}

// leaves returns the values in values.yaml of the chart that are no maps, or empty ones, without those that are claimed.
func (j *judged) leaves(claimed []claim) (list []claim) {
	all, err := values(filepath.Join(j.dir, "values.yaml"))
	if err != nil {
		return nil
	}
	var walk func(value any, path []any)
	walk = func(value any, path []any) {
		for i := range claimed {
			if c := &claimed[i]; !c.isUser && len(c.subcharts) == 0 && slices.Equal(c.path, path) {
				return
			}
		}
		table, _ := value.(map[string]any)
		if len(table) == 0 && len(path) > 0 {
			list = append(list, claim{edit: edit{path: path}, was: value})
		}
		for _, key := range sortedKeys(table) {
			walk(table[key], append(slices.Clip(path), key))
		}
	}
	walk(all, nil)
	return list
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func lastName(path []any) string {
	for _, step := range slices.Backward(path) {
		if name, ok := step.(string); ok {
			return name
		}
	}
	return ""
}

// wordsIn returns the words of all files of a chart that may read a value, except files of values.
func wordsIn(dir string) map[string]bool {
	words := map[string]bool{}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		base := filepath.Base(name)
		isText := strings.HasSuffix(base, ".tpl") || strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml") ||
			strings.HasSuffix(base, ".txt") || strings.HasSuffix(base, ".json")
		if err != nil || d.IsDir() || !isText || strings.HasPrefix(base, "values") || filepath.Base(filepath.Dir(name)) == "ci" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		for _, word := range strings.FieldsFunc(string(text), func(r rune) bool {
			return r != '-' && r != '_' && !(r >= 'a' && r <= 'z') && !(r >= 'A' && r <= 'Z') && !(r >= '0' && r <= '9') && r < 128
		}) {
			words[word] = true
		}
		return nil
	})
	return words
}
