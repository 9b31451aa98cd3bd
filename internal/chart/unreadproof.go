package chart

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
)

// proven returns the claims that hold: the chart writes the same with other values, and without them. isKnown is false if that is
// not known of some.
func (s *suppliers) proven(claims []claim, outputs []Output) (proven []claim, isKnown bool) {
	if len(claims) == 0 {
		return nil, true
	}
	l := s.loaded
	if l.unread.budget == nil {
		l.unread.budget = engine.NewBudget(l.size)
	}
	trials, budget, allowance := l.trials, l.ofTrials, l.allowance
	l.trials, l.ofTrials, l.allowance = l.unread.rendered, *l.unread.budget, nil
	defer func() {
		l.unread.rendered, *l.unread.budget = l.trials, l.ofTrials
		l.trials, l.ofTrials, l.allowance = trials, budget, allowance
	}()
	if s.writesSame(claims, outputs) {
		return claims, true
	}
	if len(claims) > mostAlone {
		return nil, false
	}
	return slices.DeleteFunc(claims, func(c claim) bool { return !s.writesSame([]claim{c}, outputs) }), l.trials <= maxTrials
}

// mostAlone is the maximum number of claims that are proven one after the other, if one of them does not hold. Each takes
// two renders. With more, none is reported.
const mostAlone = 20

func (s *suppliers) writesSame(claims []claim, outputs []Output) bool {
	isOwn := !slices.ContainsFunc(claims, func(c claim) bool { return !c.isOwn })
	for _, isRemoved := range []bool{false, true} {
		if isRemoved && isOwn {
			break // a default value is not removed by a user, but replaced
		}
		own, ch := s.values, s.loaded.chart.clone()
		changed := map[int]any{}
		for i := len(claims) - 1; i >= 0; i-- { // the last item of a list first
			c := &claims[i]
			before, ok := changed[c.source]
			if !ok {
				before = s.sources[c.source].values
			}
			if from := &s.sources[c.source]; from.src == nil {
				changed[c.source] = otherValue(before)
			} else {
				changed[c.source] = replaced(before, c.path, otherValue(c.value), isRemoved)
			}
		}
		for number, values := range changed {
			if from := &s.sources[number]; from.layer < 0 {
				ch.setValues(from.src, values.(map[string]any))
			} else {
				own = own.with(from.layer, values)
			}
		}
		if !s.writes(ch, own, outputs) {
			return false
		}
	}
	return true
}

// otherValue returns another value of the same type.
func otherValue(value any) any {
	switch v := value.(type) {
	case string:
		return v + marks[0]
	case bool:
		return !v
	case float64:
		return v + 47193
	case int64:
		return v + 47193
	case map[string]any:
		return map[string]any{marks[0]: marks[0]}
	case []any:
		return append(slices.Clip(v), marks[0])
	}
	return marks[0]
}

// replaced returns a value with another one at a path, or without it. What leads there is copied.
func replaced(value any, path []any, other any, isRemoved bool) any {
	switch step := path[0].(type) {
	case string:
		table, _ := value.(map[string]any)
		copied := shallowCopy(table)
		switch {
		case len(path) > 1:
			copied[step] = replaced(table[step], path[1:], other, isRemoved)
		case isRemoved:
			delete(copied, step)
		default:
			copied[step] = other
		}
		return copied
	case int:
		list, _ := value.([]any)
		if len(path) > 1 && step < len(list) {
			copied := slices.Clone(list)
			copied[step] = replaced(list[step], path[1:], other, isRemoved)
			return copied
		}
	}
	return value
}

// writes reports whether the chart writes the same outputs with other values.
func (s *suppliers) writes(c *Chart, own Values, outputs []Output) bool {
	values, err := c.effective(own)
	if err != nil {
		return false
	}
	top := maps.Clone(s.top)
	top["Values"] = values
	list := map[string]engine.Template{}
	c.scopes(top, list)
	if len(list) != len(s.parsed.Names) {
		return false // other subcharts
	}
	texts := map[string]string{}
	for i := range outputs {
		texts[outputs[i].Name] = outputs[i].Source.Text
	}
	defer s.exchangeBudget()()
	s.loaded.budget.Share(values)
	defer s.parsed.Keep()()
	for _, name := range s.parsed.Names {
		t, known := list[name]
		if base := path.Base(name); !known || strings.HasPrefix(base, "_") || strings.HasSuffix(name, notes) {
			continue
		}
		if s.loaded.trials++; s.loaded.trials > maxTrials {
			return false
		}
		out, ok, err := s.parsed.Execute(name, t)
		if err != nil || ok && out.Source.Text != texts[name] || !ok && texts[name] != "" {
			return false
		}
	}
	return true
}
