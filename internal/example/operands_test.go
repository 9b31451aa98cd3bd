package example

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

var update = flag.Bool("update", false, "write testdata/operands.tsv")

// unneeded lists the operands that no example needs yet. It must only get shorter.
var unneeded = filepath.Join("testdata", "operands.tsv")

// An operand of && or || that no example needs could be lost or wrong, and nobody would notice.
func TestExamplesNeedEachOperandOfTheirRule(t *testing.T) {
	var have strings.Builder
	have.WriteString("# Operands of lint rules without which their examples have the same findings. Add an example, and remove the line.\n")
	files, err := ruleFiles(here(t), rulesDir)
	if err != nil {
		t.Fatal(err)
	}
	operands := 0
	for _, file := range files {
		src, err := here(t).Read(file, disk.Rules)
		if err != nil {
			t.Fatal(err)
		}
		check := checkOf(t, src)
		for _, without := range withoutOperands(check.Text()) {
			operands++
			sp := check.Span()
			text := src.Text[:sp.Start] + strconv.Quote(without.text) + "\n" + src.Text[sp.End:]
			r, violations := rule.Parse(&source.Source{Name: file, Text: text})
			if len(violations) > 0 {
				t.Errorf("%s without %s: %s", file, without.operand, violations[0].Message)
				continue
			}
			dir := path.Dir(filepath.ToSlash(file))
			if len(runExample(context.Background(), here(t), r, dir, rule.BadExample)) == 0 &&
				len(runExample(context.Background(), here(t), r, dir, rule.GoodExample)) == 0 {
				fmt.Fprintf(&have, "%s\t%s\n", r.ID, strings.Join(strings.Fields(without.operand), " "))
			}
		}
	}
	if t.Logf("%d operands", operands); operands < 800 {
		t.Errorf("only %d operands were removed", operands)
	}
	if *update {
		if err := os.WriteFile(unneeded, []byte(have.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(unneeded)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(have.String()) {
		if !strings.Contains(string(want), line) {
			t.Errorf("no example needs this operand: %s", line)
		}
	}
	for line := range strings.Lines(string(want)) {
		if !strings.Contains(have.String(), line) {
			t.Errorf("an example needs this operand; remove it from %s: %s", unneeded, line)
		}
	}
}

// checkOf returns the check of a rule, which is empty if the rule has none.
func checkOf(t *testing.T, src *source.Source) manifest.Node {
	t.Helper()
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	check, ok := tree.Root().Field("check")
	if !ok {
		return tree.Root()
	}
	return check
}

// reduced is an expression in which a literal that does not decide replaces an operand of && or ||.
type reduced struct{ text, operand string }

// withoutOperands returns an expression without each of the operands of && and ||, at each depth.
func withoutOperands(text string) (list []reduced) {
	type group struct {
		alternative, conjunct int   // the starts of the current operands
		ors, ands             []int // the starts of the operands that ended, and then their ends
		isJoined              bool  // there was an || at this depth
	}
	drop := func(start, end int, neutral string) {
		operand := strings.TrimSpace(text[start:end])
		if operand != "" {
			list = append(list, reduced{text[:start] + " " + neutral + " " + text[end:], operand})
		}
	}
	stack := []*group{{}}
	endOperand := func(g *group, at int) { // an operand of ||
		if len(g.ands) > 0 {
			g.ands = append(g.ands, g.conjunct, at)
			for i := 0; i < len(g.ands); i += 2 {
				drop(g.ands[i], g.ands[i+1], "true")
			}
		}
		g.ands = nil
	}
	end := func(g *group, at int) {
		endOperand(g, at)
		if g.isJoined {
			g.ors = append(g.ors, g.alternative, at)
			for i := 0; i < len(g.ors); i += 2 {
				drop(g.ors[i], g.ors[i+1], "false")
			}
		}
	}
	for i := 0; i < len(text); i++ {
		g := stack[len(stack)-1]
		switch c := text[i]; {
		case c == '\'' || c == '"':
			isRaw := i > 0 && text[i-1] == 'r'
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && !isRaw {
					i++
				}
			}
		case c == '(' || c == '[' || c == '{':
			stack = append(stack, &group{alternative: i + 1, conjunct: i + 1})
		case c == ')' || c == ']' || c == '}':
			end(g, i)
			stack = stack[:len(stack)-1]
		case c == ',' || c == '?' && !strings.HasPrefix(text[i:], "?.") && !strings.HasSuffix(text[:i], ".") &&
			!strings.HasSuffix(text[:i], "[") || c == ':':
			end(g, i)
			*g = group{alternative: i + 1, conjunct: i + 1}
		case strings.HasPrefix(text[i:], "&&"):
			g.ands = append(g.ands, g.conjunct, i)
			i++
			g.conjunct = i + 1
		case strings.HasPrefix(text[i:], "||"):
			endOperand(g, i)
			g.ors, g.isJoined = append(g.ors, g.alternative, i), true
			i++
			g.alternative, g.conjunct = i+1, i+1
		}
	}
	end(stack[0], len(text))
	return list
}

func TestOperandsAreRemovedAtEachDepth(t *testing.T) {
	var have []string
	for _, r := range withoutOperands(`!(a && (b || c.d('x && y')) && e) ? f : [g || h, i.?j.orValue(k) && l]`) {
		have = append(have, strings.Join(strings.Fields(r.text), " "))
	}
	want := []string{
		`!(a && ( false || c.d('x && y')) && e) ? f : [g || h, i.?j.orValue(k) && l]`,
		`!(a && (b || false ) && e) ? f : [g || h, i.?j.orValue(k) && l]`,
		`!( true && (b || c.d('x && y')) && e) ? f : [g || h, i.?j.orValue(k) && l]`,
		`!(a && true && e) ? f : [g || h, i.?j.orValue(k) && l]`,
		`!(a && (b || c.d('x && y')) && true ) ? f : [g || h, i.?j.orValue(k) && l]`,
		`!(a && (b || c.d('x && y')) && e) ? f : [ false || h, i.?j.orValue(k) && l]`,
		`!(a && (b || c.d('x && y')) && e) ? f : [g || false , i.?j.orValue(k) && l]`,
		`!(a && (b || c.d('x && y')) && e) ? f : [g || h, true && l]`,
		`!(a && (b || c.d('x && y')) && e) ? f : [g || h, i.?j.orValue(k) && true ]`,
	}
	if strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}
