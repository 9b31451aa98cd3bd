package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/evaluate"
	"github.com/kindvet/kindvet/internal/source"
)

// admit evaluates the admission policies on a document. It must be the last check: it edits the document into what a server has
// when it asks policies. violations are those found so far; a server asks no policy about an object that it rejects.
func (c *checker) admit(n, old manifest.Node, kind *catalog.Kind, d *document, violations []diag.Violation) []diag.Violation {
	policies := c.engine.policies
	if c.engine.isAgain || kind.Group == kustomization.Group || kind.Resource.NoMetadata || kind.Resource.Plain {
		return nil
	}
	object := evaluate.Object{
		Kind: kind, Versions: c.versions(kind), New: n, Old: old, Operation: c.engine.options.Operation, File: c.src.Name,
	}
	if !policies.MayMatch(object) {
		return nil
	}
	if isRejected(violations) {
		c.notAdmitted(n, d, diag.ObjectInvalid, "")
		return nil
	}
	if old.Valid() { // others may be compared with it
		object.Old = old.Copied()
	}
	object.IsConverted = c.isConverted(kind)
	share := c.engine.options.Allowance.Share(n.Size())
	r := policies.Evaluate(policies.Request(object), &share)
	share.Close()
	for i := range r.Counts {
		c.countPolicy(&r.Counts[i])
	}
	var found []diag.Violation
	for i := range r.Evaluations {
		v := &r.Evaluations[i]
		hideComputed(v, kind.HoldsSecrets() || c.isSecret(v.Param))
		found = append(found, c.decisions(n, d, v)...)
	}
	if r.IsCutOff {
		v := n.Finding(diag.Violation{Rule: diag.ReaderLimit, Message: outOfAllowance, Help: "check fewer files in a run"})
		v.Place = n.HeadPlace()
		found = append(found, v)
	}
	return found
}

// outOfAllowance is the message for a document with costly policies.
const outOfAllowance = "the admission policies of this run need too many steps, so not all are evaluated on this document"

// isSecret reports whether an object, which may not be valid, is of a kind that holds secrets.
func (c *checker) isSecret(n manifest.Node) bool {
	if !n.Valid() {
		return false
	}
	group, version := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	kind, _, ok := c.engine.options.Catalog.Lookup(group, version, n.TextAt("kind"))
	return ok && kind.HoldsSecrets()
}

// hideComputed replaces messages that expressions compute by those that the policy states, if they may be computed of secrets:
// a part of a secret, or another form of it, cannot be told from other text.
func hideComputed(v *evaluate.Evaluation, holdsSecrets bool) {
	for i := range v.Decisions {
		x := &v.Decisions[i]
		switch {
		case !holdsSecrets || x.Expression == nil:
		case x.Outcome == evaluate.Failed:
			x.Message = "the expression cannot be evaluated: " + strings.TrimSpace(x.Expression.Text)
		case x.Outcome == evaluate.Denied && x.Validation >= 0 && v.Policy.Validations[x.Validation].MessageExpression.Text != "":
			x.Message = strings.TrimSpace(v.Policy.Validations[x.Validation].Message)
			if x.Message == "" {
				x.Message = "failed expression: " + strings.TrimSpace(x.Expression.Text)
			}
		}
	}
}

// isRejected reports whether an API server rejects an object because of one of the violations.
func isRejected(violations []diag.Violation) bool {
	return slices.ContainsFunc(violations, func(v diag.Violation) bool { return v.Severity == diag.Error && v.Rule.Enforced() })
}

// versions returns the served versions of a kind.
func (c *checker) versions(kind *catalog.Kind) []string {
	if kind.Resource.Native {
		return nil
	}
	if e, ok := c.entry(kind); ok {
		return e.Versions
	}
	return nil
}

// isConverted reports whether a webhook converts between the versions of a kind.
func (c *checker) isConverted(kind *catalog.Kind) bool {
	e, ok := c.entry(kind)
	return ok && e.HasWebhook()
}

func (c *checker) entry(kind *catalog.Kind) (*catalog.Entry, bool) {
	if e, ok := c.engine.discovered.EntryFor(c.src.Name, kind.Group, kind.Name); ok {
		return e, true
	}
	return c.engine.options.Catalog.Entry(kind.Group, kind.Name)
}

// notAdmitted records that policies were not evaluated on a document.
func (c *checker) notAdmitted(n manifest.Node, d *document, reason, on string) {
	c.takeNotEvaluated([]diag.NotEvaluated{{
		Rule: string(diag.PolicyDenied), Reason: reason, On: on, Place: n.HeadPlace(), Path: n.Path(), Object: kept(d.Object),
	}})
}

// decisions returns the violations of an evaluation, and records what is not known.
func (c *checker) decisions(n manifest.Node, d *document, v *evaluate.Evaluation) (found []diag.Violation) {
	var unknown []string
	for i := range v.Decisions {
		x := &v.Decisions[i]
		severity := severityOf(v, x)
		switch {
		case x.Outcome == evaluate.Unknown:
			unknown = append(unknown, x.On...)
		case x.Denies && severity > 0:
			if variable := c.variableIn(n, x); variable != "" {
				unknown = append(unknown, variable)
				continue
			}
			found = append(found, c.denied(n, v, x, severity))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		c.notAdmitted(n, d, "what policy "+diag.Quote(v.Policy.Name)+" decides is not known", strings.Join(slices.Compact(unknown), ", "))
	}
	return found
}

// severityOf returns the severity of a decision that rejects an object, by what the binding does about it; 0 for nothing.
func severityOf(v *evaluate.Evaluation, x *evaluate.Decision) diag.Severity {
	switch {
	case x.Always || v.Binding.Actions&policy.Deny != 0:
		return diag.Error
	case v.Binding.Actions&policy.Warn != 0:
		return diag.Warning
	case v.Binding.Actions&policy.Audit != 0:
		return diag.Info
	}
	return 0
}

// variableIn returns a variable that a tool may still replace in what made an expression false, or "".
func (c *checker) variableIn(n manifest.Node, x *evaluate.Decision) string {
	for _, o := range x.Operands {
		if o.Node.Tree() == n.Tree() && !o.IsAbsent {
			if text := o.Node.Text(); text != "" {
				if variable := findVariable(text); variable != "" {
					return variable
				}
			}
		}
	}
	return ""
}

// denied returns the violation of a decision: at the field that made the expression false, with the expression, the binding and the
// parameter.
func (c *checker) denied(n manifest.Node, e *evaluate.Evaluation, x *evaluate.Decision, severity diag.Severity) diag.Violation {
	p := e.Policy
	v := n.Finding(diag.Violation{
		Rule: diag.PolicyDenied, Severity: severity, Message: firstLine(x.Message), Reason: x.Reason,
		Policy: &diag.Policy{Name: p.Name, Binding: e.Binding.Name, Validation: x.Validation, Param: paramName(e.Param)},
	})
	v.Place = n.HeadPlace()
	if x.Outcome == evaluate.Failed {
		v.Rule, v.Reason = diag.PolicyError, cmp.Or(x.Reason, "Invalid")
	}
	own := slices.DeleteFunc(slices.Clone(x.Operands), func(o blame.Operand) bool { return o.Node.Tree() != n.Tree() })
	if len(own) > 0 {
		v.Place, v.Path = own[0].Place(), slices.Concat(own[0].Node.Path(), own[0].Missing)
	}
	v.Help = blame.Help(own)
	for _, o := range x.Operands {
		switch {
		case o.IsAbsent:
		case o.IsOld:
			v.Related = append(v.Related, diag.Related{Place: o.Node.Place(), Message: "was " + blame.ValueText(o.Node)})
		case e.Param.Valid() && o.Node.Tree() == e.Param.Tree():
			text := "the parameter " + paramName(e.Param) + " has " + blame.ValueText(o.Node)
			if c.isSecret(e.Param) {
				text = "the parameter " + paramName(e.Param) + " decides"
			}
			v.Related = append(v.Related, diag.Related{Place: o.Node.Place(), Message: text})
		}
	}
	at := p.Node.At("metadata", "name")
	if x.Expression != nil && x.Expression.Node.Valid() {
		at = x.Expression.Node
	}
	place := at.Place()
	if x.At != (source.Place{}) {
		place = x.At
	}
	v.Related = append(v.Related, diag.Related{Place: place, Message: "policy " + diag.Quote(p.Name) + " requires this"},
		diag.Related{Place: e.Binding.Node.At("metadata", "name").Place(), Message: "bound by " + diag.Quote(e.Binding.Name)})
	return v
}

// firstLine returns a message as one line.
func firstLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// paramName names a parameter, such as Limit default/small; "" if there is none.
func paramName(n manifest.Node) string {
	if !n.Valid() {
		return ""
	}
	name := n.At("metadata").TextAt("name")
	if namespace := n.At("metadata").TextAt("namespace"); namespace != "" {
		name = namespace + "/" + name
	}
	return n.TextAt("kind") + " " + name
}
