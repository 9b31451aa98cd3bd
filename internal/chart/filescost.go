package chart

import "text/template/parse"

// fileSizes are the sizes of the files that .Files has. Of a chart and its subcharts, the largest counts.
type fileSizes struct{ count, all, largest int }

func sizesOf(list map[string]scoped) (sizes fileSizes) {
	seen := map[string]bool{}
	for _, t := range list {
		if seen[t.base] {
			continue
		}
		seen[t.base] = true
		all, own := 0, t.scope["Files"].(files)
		for _, text := range own {
			all += len(text)
			sizes.largest = max(sizes.largest, len(text))
		}
		sizes.count, sizes.all = max(sizes.count, len(own)), max(sizes.all, all)
	}
	return sizes
}

// filesCost returns the steps that the methods of .Files in a pipeline cost. They are not functions, which count
// themselves.
func (e *engine) filesCost(n parse.Node) (steps int) {
	switch n := n.(type) {
	case *parse.PipeNode:
		if n == nil {
			return 0
		}
		for _, c := range n.Cmds {
			steps += e.filesCost(c)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			steps += e.filesCost(arg)
		}
	case *parse.FieldNode:
		return e.sizes.cost(n.Ident)
	case *parse.VariableNode:
		return e.sizes.cost(n.Ident)
	case *parse.ChainNode:
		return e.filesCost(n.Node) + e.sizes.cost(n.Field)
	}
	return steps
}

func (s fileSizes) cost(names []string) (steps int) {
	for _, name := range names {
		switch name {
		case "AsConfig", "AsSecrets":
			steps += s.all / 32
		case "Lines":
			steps += s.largest / 64
		case "Get", "GetBytes":
			steps += s.largest / 1024
		case "Glob":
			steps += s.count
		}
	}
	return steps
}
