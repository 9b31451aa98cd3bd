package chart

import (
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/placeholder"
	"github.com/kindvet/kindvet/internal/source"
)

// Unset is a default value that a user is expected to set: it is empty, null or has a placeholder, or it is the name of
// the release.
type Unset struct {
	// Key is what to set, as in --set; "" for the name of the release.
	Key string

	chart *Chart // that sets the default; nil if none does
	steps []any
	value any
	word  source.Span // the placeholder in a string
}

// Limits of the experiments with a chart. Each renders a template, and its caller checks the output. With 40 values and 200
// trials, a public repository of 1,100 charts took 1.4 times as long, and found the cause of 4 more of 700 errors. Raise a limit
// if the cause of an error in a public chart is not found because of it.
const (
	mostUnset       = 8 // values that are tried for an output
	mostUnsetTrials = 30
	// mostReleaseTrials are further ones with another name of the release: each template may write names that are too long.
	mostReleaseTrials = 200
	mostNames         = 200 // keys of a map that is tried
	// unsetSteps and unsetStepsForByte are the steps that they may take. A chart of 200 KB that needs them takes 3 million.
	unsetSteps, unsetStepsForByte = 100_000, 50
)

// unsetTrials are the experiments so far. They have limits of their own, so that they change neither what
// [Output.Supplied] finds nor which charts of a run are rendered: the errors of a chart would depend on others.
type unsetTrials struct {
	count, releases, rendered int
	spent                     int64
	work                      int // of looking for values
}

// maxUnsetWork is the maximum number of values and names that are looked at to find out what to try for a chart. Without
// it, each error in the output would be compared with each value. One of 1,100 public charts needs 83,000, and a million
// take half a second; raise it if a public chart needs half of it.
const maxUnsetWork = 1_000_000

// nextUnset reports whether there may be another experiment with a chart.
func (l *Loaded) nextUnset() bool {
	l.unset.count++
	return l.unset.count <= mostUnsetTrials && l.mayTry()
}

// nextRelease reports whether there may be another experiment with the name of the release.
func (l *Loaded) nextRelease() bool {
	l.unset.releases++
	return l.unset.releases <= mostReleaseTrials && l.mayTry()
}

func (l *Loaded) mayTry() bool { return l.unset.spent <= unsetSteps+unsetStepsForByte*int64(l.size) }

// Variant is what a template writes with another value in the place of a default.
type Variant struct {
	Source *source.Source
	// Mark is what was set in the place of Text; "" if that was a list or a map.
	Mark, Text string
	IsRelease  bool // the name of the release was set
}

// Text returns the default value as it is printed.
func (u *Unset) Text() string {
	if u.value == nil {
		return ""
	}
	return fmt.Sprint(u.value)
}

// Name returns what is not set, for a message.
func (u *Unset) Name() string {
	if u.Key == "" {
		return "the name of the release"
	}
	return u.Key
}

// Part is a part of an output. Text is the value there; "" if it is empty, missing, a map or a list.
type Part struct {
	Span source.Span
	Text string
}

// Unset returns the default values that are not set and that may have led to what is in some parts of the output, the
// most likely first. Which of them did is found by experiment: see [Output.Variants].
func (o *Output) Unset(parts []Part) []*Unset {
	s := o.suppliers
	if s == nil || len(parts) == 0 {
		return nil
	}
	trials, cost := &s.loaded.unset, 1
	for _, part := range parts {
		cost += 1 + len(part.Text)/bytesPerWork
	}
	if trials.work += cost * countIn(s.top["Values"]); trials.work > maxUnsetWork {
		return nil
	}
	const inHelper, inTemplate, atSpan = 1, 2, 3
	words := map[string]int{}
	add := func(text string, rank int) {
		for _, word := range strings.FieldsFunc(text, isNoName) {
			words[word] = max(words[word], rank)
		}
	}
	files := map[string]bool{o.Source.Name: true}
	var actions []string
	lines := map[string][]int{} // of templates
	for _, part := range parts {
		actions = append(actions, o.written.ActionsAt(part.Span.Start)...)
		for name := range o.namesAt(part.Span) {
			words[name] = atSpan
		}
		moved := o.Source.Place(part.Span).Moved()
		files[moved.File] = true
		lines[moved.File] = append(lines[moved.File], moved.Start().Line) // an action there may have printed nothing
	}
	for _, t := range s.loaded.chart.templateSources(nil) {
		for _, line := range lines[t.Name] {
			actions = append(actions, actionsIn(textOfLine(t.Text, line)))
		}
	}
	var absent []*Unset
	isAbsent := map[string]bool{}
	prefix := s.loaded.chart.pathOf(o.Source.Name)
	addAbsent := func(action string, prefix []string) {
		for _, u := range trials.absentIn(action, prefix, s.top["Values"]) {
			if !isAbsent[u.Key] {
				isAbsent[u.Key], absent = true, append(absent, u)
			}
		}
	}
	for _, action := range actions {
		addAbsent(action, prefix)
	}
	for _, t := range s.loaded.chart.templateSources(nil) {
		if files[t.Name] {
			add(t.Text, inTemplate)
			addAbsent(actionsIn(t.Text), s.loaded.chart.pathOf(t.Name))
		} else if strings.HasPrefix(path.Base(t.Name), "_") {
			add(t.Text, inHelper)
		}
	}
	list := s.loaded.chart.unsetNamed(s.top["Values"], words, actions, func(u *Unset) bool {
		return slices.ContainsFunc(parts, u.mayPrint)
	})
	if slices.ContainsFunc(parts, (&Unset{}).mayPrint) {
		list = append(list, absent[:min(len(absent), mostUnset)]...)
	}
	return list
}

// UnsetRelease returns the name of the release, if nothing names it and it is in some parts of the output.
func (o *Output) UnsetRelease(parts []Part) []*Unset {
	if o.suppliers == nil || o.suppliers.isReleaseKnown {
		return nil
	}
	release, _ := o.suppliers.top["Release"].(map[string]any)
	name, _ := release["Name"].(string)
	if !slices.ContainsFunc(parts, func(p Part) bool { return strings.Contains(p.Text, name) }) {
		return nil
	}
	return []*Unset{{value: name}}
}

// unsetNamed returns the values that are not set and whose names are among some words, which have ranks.
func (c *Chart) unsetNamed(values any, words map[string]int, actions []string, mayBe func(*Unset) bool) []*Unset {
	list := unsetIn(nil, nil, values)
	list = slices.DeleteFunc(list, func(u *Unset) bool { return words[u.last()] == 0 || !mayBe(u) })
	ranks := map[*Unset]int{}
	for _, u := range list {
		ranks[u] = u.rank(words) + u.inActions(actions)
	}
	slices.SortStableFunc(list, func(a, b *Unset) int { return ranks[b] - ranks[a] })
	list = list[:min(len(list), mostUnset)]
	for _, u := range list {
		u.chart = c
	}
	return list
}

// mayPrint reports whether a part may be what a template prints for the value. A part with a placeholder is not due to an
// empty value.
func (u *Unset) mayPrint(p Part) bool {
	if text, ok := u.value.(string); ok && text != "" {
		return strings.Contains(p.Text, text[u.word.Start:u.word.End])
	}
	_, has := placeholder.In(p.Text)
	return !has
}

// rank returns how likely a template uses a value: first by its own name, then by those of the maps that it is in.
func (u *Unset) rank(words map[string]int) int {
	rank := 0
	for _, step := range u.steps[:len(u.steps)-1] {
		if name, ok := step.(string); ok && words[name] > 0 {
			rank++
		}
	}
	return words[u.last()]*100 + rank
}

// inActions returns how much of the path of a value is in the text of an action.
func (u *Unset) inActions(actions []string) (most int) {
	for _, action := range actions {
		suffix := ""
		for i, step := range slices.Backward(u.steps) {
			name, ok := step.(string)
			if suffix = "." + name + suffix; !ok || !strings.Contains(action, suffix) {
				break
			}
			most = max(most, 1000*(len(u.steps)-i))
		}
	}
	return most
}

// last returns the name of the field that a value is in.
func (u *Unset) last() string {
	for _, step := range slices.Backward(u.steps) {
		if name, ok := step.(string); ok {
			return name
		}
	}
	return ""
}

// Place returns where the chart sets the default; zero if it does not.
func (u *Unset) Place() source.Place {
	if u.chart == nil {
		return source.Place{}
	}
	names := make([]string, len(u.steps))
	for i, step := range u.steps {
		names[i] = fmt.Sprint(step)
	}
	at := u.chart.valuesPlace(names, Values{})
	at.Detach()
	return at
}

// unsetIn adds the values below a value that are not set. steps lead to the value; what is behind them is overwritten.
func unsetIn(list []*Unset, steps []any, value any) []*Unset {
	if len(list) >= maxLeaves || len(steps) > maxDepth {
		return list
	}
	word, isUnset := source.Span{}, false
	switch v := value.(type) {
	case nil:
		isUnset = true
	case string:
		if isUnset = v == ""; !isUnset {
			word, isUnset = placeholder.In(v)
		}
	case map[string]any:
		isUnset = len(v) == 0 && len(steps) > 0
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = unsetIn(list, append(steps, key), v[key])
		}
	case []any:
		isUnset = len(v) == 0
		for i, item := range v {
			list = unsetIn(list, append(steps, i), item)
		}
	}
	if isUnset {
		steps = slices.Clone(steps)
		list = append(list, &Unset{Key: keyOf(steps), steps: steps, value: value, word: word})
	}
	return list
}

// keyOf returns a path as in --set.
func keyOf(steps []any) string {
	var key strings.Builder
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			if key.Len() > 0 {
				key.WriteByte('.')
			}
			key.WriteString(strings.ReplaceAll(step, ".", `\.`))
		case int:
			key.WriteString("[" + strconv.Itoa(step) + "]")
		}
	}
	return key.String()
}

// Variants returns what the template writes with other values in the place of one that is not set: a string, a number, a
// list or a map, whatever the template may expect.
func (o *Output) Variants(u *Unset) iter.Seq[Variant] {
	return func(yield func(Variant) bool) {
		s := o.suppliers
		for _, other := range u.others(o.Source.Text, s.loaded.chart.namesIn(o.Source.Name)) {
			text, ok := s.renderUnset(o, u, other.value)
			if !ok || text == o.Source.Text {
				continue
			}
			src := &source.Source{Name: o.Source.Name, Text: text, Rendering: o.Source.Rendering, AfterSeparators: true}
			if !yield(Variant{src, other.mark, other.text, u.Key == ""}) {
				return
			}
		}
	}
}

// other is a value in the place of one that is not set. mark is what it prints in the place of text.
type other struct {
	value      any
	mark, text string
}

// unsetMarks are set in the place of strings: they are valid as names, and as base64.
var unsetMarks = []string{"zqxj", "zqxjkvwy", "qzxjkvzq"}

// others returns values to try in the place of one that is not set. names are the fields that a template may ask for.
func (u *Unset) others(output string, names []string) (list []other) {
	mark := unused(output, unsetMarks...)
	if mark == "" {
		return nil
	}
	table := map[string]any{}
	for _, name := range names {
		table[name] = mark
	}
	switch v := u.value.(type) {
	case []any:
		return []other{{value: []any{mark}}, {value: []any{table}}}
	case map[string]any:
		return []other{{value: map[string]any{mark: mark}}, {value: table}}
	case string:
		if u.Key == "" { // a short name of a release
			return []other{{mark[:2], mark[:2], v}}
		}
		list = append(list, other{v[:u.word.Start] + mark + v[u.word.End:], mark, v[u.word.Start:u.word.End]})
		if u.word.End-u.word.Start < len(v) {
			return list
		}
		for _, number := range []int64{47193, 30517} {
			if text := strconv.FormatInt(number, 10); !strings.Contains(output, text) {
				return append(list, other{number, text, v})
			}
		}
		return list
	}
	list = append(list, other{mark, mark, ""})
	for _, number := range []int64{47193, 30517} {
		if text := strconv.FormatInt(number, 10); !strings.Contains(output, text) {
			list = append(list, other{number, text, ""})
			break
		}
	}
	return append(list, other{value: []any{mark}}, other{value: table}, other{value: []any{table}})
}

// textOfLine returns a line of a text, counting from 1.
func textOfLine(text string, number int) string {
	for line := range strings.Lines(text) {
		if number--; number == 0 {
			return line
		}
	}
	return ""
}

// actionsIn returns the actions in a template.
func actionsIn(text string) string {
	var all strings.Builder
	for part := range strings.SplitSeq(text, "{{") {
		if action, _, ok := strings.Cut(part, "}}"); ok {
			all.WriteString(action + "\n")
		}
	}
	return all.String()
}

// namesIn returns the names of fields in a template.
func (c *Chart) namesIn(template string) (names []string) {
	known := map[string]bool{}
	for _, t := range c.templateSources(nil) {
		if t.Name != template {
			continue
		}
		for action := range strings.SplitSeq(t.Text, "{{") {
			action, _, _ = strings.Cut(action, "}}")
			for word := range strings.FieldsFuncSeq(action, func(r rune) bool { return r != '.' && isNoName(r) }) {
				for name := range strings.SplitSeq(word, ".") {
					if name != "" && name != "Values" && strings.Contains(word, ".") && !known[name] && len(names) < mostNames {
						known[name], names = true, append(names, name)
					}
				}
			}
		}
	}
	return names
}

// renderUnset renders the template of an output with another value.
func (s *suppliers) renderUnset(o *Output, u *Unset, value any) (string, bool) {
	l := s.loaded
	if u.Key == "" && !l.nextRelease() || u.Key != "" && !l.nextUnset() {
		return "", false
	}
	trials, budget, allowance, fresh := l.trials, l.ofTrials, l.allowance, *engine.NewBudget(l.size)
	l.trials, l.ofTrials, l.allowance = l.unset.rendered, fresh, nil
	defer func() {
		l.unset.rendered = l.trials
		l.unset.spent += l.ofTrials.Spent(&fresh)
		l.trials, l.ofTrials, l.allowance = trials, budget, allowance
	}()
	isAlone := s.rendersAlone(o)
	if u.Key != "" {
		c, own := s.selected, u.set(s.values, s.top["Values"], value)
		if l.chart.maySelect(own.layers[len(own.layers)-1].setting.steps) {
			c = l.chart.clone()
		}
		return s.render(c, own, o.Name, isAlone)
	}
	top := s.top
	defer func() { s.top = top }()
	release := shallowCopy(top["Release"].(map[string]any))
	release["Name"] = value
	s.top = shallowCopy(top)
	s.top["Release"] = release
	return s.render(s.selected, s.values, o.Name, isAlone)
}

// set adds a value in the place of one that is not set. Helm replaces a list as a whole. all are the values of the chart.
func (u *Unset) set(own Values, all, value any) Values {
	steps := u.steps
	if i := slices.IndexFunc(steps, func(step any) bool { _, isIndex := step.(int); return isIndex }); i >= 0 {
		for _, step := range steps[:i] {
			all = all.(map[string]any)[step.(string)]
		}
		steps, value = steps[:i], with(all, steps[i:], value, false)
	}
	return Values{append(slices.Clip(own.layers), layer{setting: setting{key: u.Key, steps: steps, value: value}})}
}
