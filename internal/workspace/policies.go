package workspace

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// maxPolicies limits the policies and bindings that a run evaluates, and maxRead the objects that may be their parameters, or the
// Namespaces of others. A cluster with a library of policies has a few hundred. What is beyond is not used, and a finding says so.
const (
	maxPolicies = 5_000
	maxRead     = 50_000
)

// admission holds the objects on which the admission of requests depends: those among the files, and those that the settings name.
type admission struct {
	// found are the policies and bindings among the files, and read the objects to which they refer.
	found, read []manifest.Node
	isRead      bool
	isLimited   bool // the note about too many policies has been made
	notes       []diag.Violation
	hashes      map[*find.Config]uint64 // of all objects, if something is kept
}

// hashOfObjects returns the hash of objects.
func (k *kept) hashOfObjects(objects []policy.Object) (sum uint64) {
	for _, n := range objects { // order does not matter
		start := n.HeadPlace().Start()
		sum += k.hash(k.facts.of(n.Tree().Source.Name, string(n.AppendJSON(nil))), uint64(start.Line), uint64(start.Column))
	}
	return sum
}

// objects returns the policies for files with a configuration, and what they depend on.
func (p *plan) policiesOf(c *find.Config) (objects []policy.Object) {
	objects = p.limitPolicies(policy.ObjectsOf(p.settings[c].Policies()...))
	if p.past != nil || p.options.NoDiscovery || !c.UsesDiscovery() {
		return objects
	}
	if len(p.admission.found) == 0 {
		p.admission.found = p.foundPolicies()
	}
	policies := slices.Clip(objects)
	for _, n := range p.admission.found {
		policies = append(policies, policy.Object{Node: n, Below: ownDirectory(n.Tree().Source.Name)})
	}
	if len(policies) == 0 {
		return nil
	}
	policies = p.limitPolicies(policies)
	return append(policies, policy.ObjectsOf(p.referredTo(policies)...)...)
}

// limitPolicies drops the policies and bindings beyond the limit, and notes the first one.
func (p *plan) limitPolicies(objects []policy.Object) []policy.Object {
	count := 0
	return slices.DeleteFunc(objects, func(o policy.Object) bool {
		group, _ := catalog.SplitAPIVersion(o.TextAt("apiVersion"))
		if policy.IsPolicy(group, o.TextAt("kind")) {
			count++
		}
		if count == maxPolicies+1 && !p.admission.isLimited {
			p.admission.isLimited = true
			p.admission.notes = append(p.admission.notes, limited(o.Node,
				"this policy and those after it are not evaluated: there are more than 5000"))
		}
		return count > maxPolicies && policy.IsPolicy(group, o.TextAt("kind"))
	})
}

// testDirectories are the names of directories with policies that are tried on objects next to them, not deployed.
var testDirectories = []string{
	"test", "tests", "testing", "testdata", "_testdata", "fixtures", "test-fixtures", "__fixtures__", "e2e", "conformance",
	"example", "examples", "sample", "samples",
}

// ownDirectory returns the directory of a file with a slash at its end if the file is below one with tests or examples, or "".
func ownDirectory(file string) string {
	dir := path.Dir(filepath.ToSlash(file))
	for step := range strings.SplitSeq(dir, "/") {
		if slices.Contains(testDirectories, step) {
			return dir + "/"
		}
	}
	return ""
}

// foundPolicies returns the policies and bindings among the files. Those that a kustomization builds take the place of those
// in the files that it is built from.
func (p *plan) foundPolicies() (found []manifest.Node) {
	d := p.discovery
	covered := map[string]bool{}
	var built []manifest.Node
	if p.builds != nil {
		for _, one := range p.builds.inOrder() {
			if one.output == nil || !one.Config.UsesDiscovery() || !one.output.Has(policy.Mark.In) {
				continue
			}
			src, _ := one.output.Source(func(string) bool { return false })
			built = append(built, policy.Find(src, policy.Mark, policy.IsPolicy)...)
			for _, name := range one.kustomization.Resources() {
				if path := filepath.Join(one.Top(), filepath.FromSlash(name)); p.builds.covered[path] {
					covered[path] = true
				}
			}
		}
	}
	for i, u := range d.units {
		if list := d.policies[i]; len(list) > 0 && !covered[u.in().Abs] {
			found = append(found, list...)
		}
	}
	return append(found, built...)
}

// limited returns the finding about a limit that is reached at an object.
func limited(at manifest.Node, message string) diag.Violation {
	v := at.Finding(diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Warning, Message: message, Help: "check fewer files in a run",
	})
	v.Place = at.HeadPlace()
	return v
}

// unusable returns the finding about a policy or a binding that takes no part.
func unusable(i policy.Invalid) diag.Violation {
	v := i.Node.Finding(diag.Violation{
		Rule: diag.PolicyMistake, Severity: diag.Warning, Help: "export it again, or correct it",
		Message: i.Node.TextAt("kind") + " " + diag.Quote(i.Node.At("metadata").TextAt("name")) + " is not evaluated: " + i.Reason,
	})
	v.Place = i.Node.HeadPlace()
	return v
}

// referredTo returns the objects among the files to which policies may refer: the kinds of their parameters, and Namespaces.
func (p *plan) referredTo(policies []policy.Object) []manifest.Node {
	if p.admission.isRead {
		return p.admission.read
	}
	p.admission.isRead = true
	type kind struct{ group, name string }
	wanted := map[kind]bool{{"", "Namespace"}: true}
	for _, n := range policies {
		if of := n.At("spec", "paramKind"); of.Type() == manifest.Map {
			group, _ := catalog.SplitAPIVersion(of.TextAt("apiVersion"))
			wanted[kind{group, of.TextAt("kind")}] = true
		}
	}
	isWanted := func(group, name string) bool { return wanted[kind{group, name}] }
	var marks []search.Text
	for k := range wanted { // order does not matter
		if k.name != "" {
			marks = append(marks, search.For(k.name))
		}
	}
	isCut := false
	add := func(src *source.Source) {
		for _, mark := range marks {
			if !mark.In(src.Text) {
				continue
			}
			if len(p.admission.read) >= maxRead {
				isCut = true
				return
			}
			p.admission.read = append(p.admission.read, policy.Find(src, search.For("kind"), isWanted)...)
			return
		}
	}
	if p.builds != nil {
		for _, one := range p.builds.inOrder() {
			if one.output != nil && one.Config.UsesDiscovery() {
				src, _ := one.output.Source(func(string) bool { return false })
				add(src)
			}
		}
	}
	for i, u := range p.discovery.units {
		for _, n := range p.discovery.others[i] {
			if group, _ := catalog.SplitAPIVersion(n.TextAt("apiVersion")); isWanted(group, n.TextAt("kind")) {
				p.admission.read = append(p.admission.read, n)
			}
		}
		if f, ok := u.(*fileUnit); ok && p.discovery.isUsed(f.File) && (p.builds == nil || !p.builds.covered[f.Abs]) {
			if text, ok := p.textOf(f); ok {
				add(&source.Source{Name: f.Name, Text: text})
			}
		}
	}
	if isCut {
		p.admission.notes = append(p.admission.notes, limited(p.admission.read[maxRead-1],
			"objects after this one are not used as parameters or Namespaces of policies: there are more than 50000"))
	}
	return p.admission.read
}

// textOf returns the text of a file that is read again, unless it is long.
func (p *plan) textOf(f *fileUnit) (string, bool) {
	switch {
	case f.Text != nil:
		return *f.Text, true
	case f.Kind == find.Stdin:
		return "", false
	}
	src, err := f.Source(p.found.Tree, disk.Schemas, false)
	if err != nil {
		return "", false
	}
	return strings.Clone(src.Text), true
}
