package chart

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template/parse"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// definition is a template that a file of a chart defines.
type definition struct {
	chart *Chart
	file  *engine.File
	span  source.Span // of the name in quotes
}

// definePattern matches the start of a definition.
var definePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{-?\s*define\s+("[^"\n]+")`)
})

// replacedTemplates returns the definitions that another one of the same name replaces, although it is not the same. All
// charts share the names of templates, and the last definition that Helm reads counts. Versions of one library, which
// several charts may hold, are left out.
func (c *Chart) replacedTemplates() (found faults) {
	files := map[string]*engine.File{}
	charts := map[string]*Chart{}
	c.eachTemplate(func(name string, of *Chart, t *engine.File) { files[name], charts[name] = t, of })
	list := map[string]engine.Template{}
	for name, t := range files {
		list[name] = engine.Template{File: t}
	}
	byName := map[string][]definition{}
	var order []string
	for _, name := range engine.NamesInOrder(list) {
		text := files[name].Source.Text
		for _, at := range definePattern().FindAllStringSubmatchIndex(text, -1) {
			defined := text[at[2]:at[3]]
			if byName[defined] == nil {
				order = append(order, defined)
			}
			one := definition{charts[name], files[name], source.Span{Start: at[2], End: at[3]}}
			byName[defined] = append(byName[defined], one)
		}
	}
	bodies := map[*engine.File]map[string]string{}
	for _, name := range order {
		all := byName[name]
		last := all[len(all)-1]
		for _, d := range all[:len(all)-1] {
			own, winning := d.body(name, bodies), last.body(name, bodies)
			if d.file == last.file || d.chart != last.chart && d.chart.name() == last.chart.name() || own == "" ||
				winning == "" || own == winning || d.isArchived() && last.isArchived() {
				continue
			}
			if len(found) == mostFaults {
				return found
			}
			found = append(found, fault{
				message: "the template " + name + " is defined again with another text, which Helm uses for all charts",
				help:    "rename one of the two", at: d.file.Source.Place(d.span),
				related: []diag.Related{{Place: last.file.Source.Place(last.span), Message: "defined again here"}},
			})
		}
	}
	return found
}

// eachTemplate calls a function for each template of a chart and its subcharts, with its name in the output of Helm.
func (c *Chart) eachTemplate(call func(name string, of *Chart, t *engine.File)) {
	for _, t := range c.templates {
		call(path.Join(c.fullPath(), t.Name), c, t)
	}
	for _, sub := range c.subcharts {
		sub.eachTemplate(call)
	}
}

func (d *definition) isArchived() bool { return strings.Contains(d.file.Source.Name, ".tgz/") }

// body returns the text of a definition without what parsing drops; "" if it has none. bodies are those of the files that
// have been parsed.
func (d *definition) body(name string, bodies map[*engine.File]map[string]string) string {
	own, ok := bodies[d.file]
	if !ok {
		own = map[string]string{}
		bodies[d.file] = own
		tree := parse.New(d.file.Source.Name)
		tree.Mode = parse.SkipFuncCheck
		trees := map[string]*parse.Tree{}
		if _, err := tree.Parse(d.file.Source.Text, "", "", trees); err == nil {
			for defined, t := range trees {
				if !parse.IsEmptyTree(t.Root) {
					own[defined] = t.Root.String()
				}
			}
		}
	}
	return own[strings.Trim(name, `"`)]
}

// filesOf are the functions that read a file by its name.
var filesOf = []string{"Get", "GetBytes", "Lines"}

// optional are the functions with which a template expects that a file may be missing.
var optional = map[string]bool{
	"default": true, "empty": true, "coalesce": true, "required": true, "ternary": true, "fail": true, "hasKey": true,
}

// missingFiles returns the actions that read a file which the chart does not have, or which .helmignore hides: they read
// nothing. Helpers are left out, because any chart may include them.
func (c *Chart) missingFiles(parsed *engine.Templates) (found faults) {
	c.eachTemplate(func(name string, of *Chart, t *engine.File) {
		tree := parsed.Tree(name)
		isHelper := strings.HasPrefix(path.Base(name), "_")
		if tree == nil || isHelper || !strings.Contains(t.Source.Text, ".Files.") {
			return
		}
		r := &fileReads{chart: of, file: t}
		r.list(tree.Root, nil)
		found = append(found, r.found[:min(len(r.found), max(0, mostFaults-len(found)))]...)
	})
	return found
}

// fileReads finds the actions of a template that read missing files.
type fileReads struct {
	chart *Chart
	file  *engine.File
	found faults
}

// list finds those in a list of nodes. known are the files whose existence the blocks around it test.
func (r *fileReads) list(l *parse.ListNode, known []string) {
	if l == nil {
		return
	}
	block := func(n *parse.BranchNode, isTest bool) {
		inside := known
		if isTest {
			inside = append(slices.Clip(known), readsOf(n.Pipe)...)
		} else {
			r.action(n.Pipe, known)
		}
		r.list(n.List, inside)
		r.list(n.ElseList, inside)
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			r.action(n.Pipe, known)
		case *parse.IfNode:
			block(&n.BranchNode, true)
		case *parse.WithNode:
			block(&n.BranchNode, true)
		case *parse.RangeNode:
			block(&n.BranchNode, false)
		}
	}
}

func (r *fileReads) action(pipe *parse.PipeNode, known []string) {
	if len(pipe.Decl) > 0 || mentions(pipe, optional) {
		return // a variable may be tested later
	}
	for _, name := range readsOf(pipe) {
		isName := func(f File) bool { return f.Name == name }
		if slices.Contains(known, name) || slices.ContainsFunc(r.chart.files, isName) {
			continue
		}
		r.found = append(r.found, fault{
			rule: diag.ChartWarning, at: r.file.Source.Place(engine.Braces(r.file.Source.Text, int(pipe.Position()))),
			message: "the chart has no file " + diag.Quote(name) + ", so this writes nothing",
			help:    "create the file; files that .helmignore excludes, and templates, are not among .Files",
		})
	}
}

// readsOf returns the names of files that a pipeline reads.
func readsOf(pipe *parse.PipeNode) (names []string) {
	if pipe == nil {
		return nil
	}
	for _, c := range pipe.Cmds {
		for i, arg := range c.Args {
			if nested, ok := arg.(*parse.PipeNode); ok {
				names = append(names, readsOf(nested)...)
			}
			var path []string
			switch n := arg.(type) {
			case *parse.FieldNode:
				path = n.Ident
			case *parse.VariableNode:
				if n.Ident[0] == "$" {
					path = n.Ident[1:]
				}
			}
			if i > 0 || len(path) != 2 || path[0] != "Files" || !slices.Contains(filesOf, path[1]) || len(c.Args) != 2 {
				continue
			}
			if name, ok := c.Args[1].(*parse.StringNode); ok {
				names = append(names, name.Text)
			}
		}
	}
	return names
}

// mentions reports whether a pipeline calls one of some functions.
func mentions(pipe *parse.PipeNode, functions map[string]bool) bool {
	for _, c := range pipe.Cmds {
		for _, arg := range c.Args {
			switch n := arg.(type) {
			case *parse.IdentifierNode:
				if functions[n.Ident] {
					return true
				}
			case *parse.PipeNode:
				if mentions(n, functions) {
					return true
				}
			}
		}
	}
	return false
}
