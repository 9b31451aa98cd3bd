package reads

import "text/template/parse"

// isExhaustive reports whether an if is followed by at least one other condition, and by no last branch except one that fails.
// Then a value that they compare with words has to be one of these.
func isExhaustive(n *parse.IfNode) bool {
	for conditions := 1; ; conditions++ {
		if n.ElseList == nil {
			return conditions > 1
		}
		next, ok := onlyNode(n.ElseList).(*parse.IfNode)
		if !ok {
			return conditions > 1 && fails(n.ElseList)
		}
		n = next
	}
}

// onlyNode returns the node of a list that has one; nil otherwise.
func onlyNode(l *parse.ListNode) parse.Node {
	if len(l.Nodes) == 1 {
		return l.Nodes[0]
	}
	return nil
}

// fails reports whether a list calls fail.
func fails(l *parse.ListNode) bool {
	for _, n := range l.Nodes {
		if action, ok := n.(*parse.ActionNode); ok {
			for _, c := range action.Pipe.Cmds {
				if name, ok := c.Args[0].(*parse.IdentifierNode); ok && name.Ident == "fail" {
					return true
				}
			}
		}
	}
	return false
}

// chain notes for an if, and for those that follow it, whether they are an exhaustive chain.
func (a *analysis) chain(n *parse.IfNode) (isPart bool) {
	if a.uses == nil {
		return false
	}
	if !a.uses.chains[n] && isExhaustive(n) {
		for next := n; next != nil; {
			a.uses.chains[next] = true
			if next.ElseList == nil {
				break
			}
			next, _ = onlyNode(next.ElseList).(*parse.IfNode)
		}
	}
	return a.uses.chains[n]
}
