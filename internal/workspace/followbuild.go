package workspace

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// addEdited builds a kustomization, or the files of a directory, with the changes of a source.
func (f *follower) addEdited(ctx context.Context, s *deployed, at find.At) error {
	s.AddVariables(func(ref gitops.Reference) (manifest.Node, bool) { return f.configMap(s, ref) })
	edit := *s.Edits
	edit.At.Detach()
	file, resources, err := f.plan.finder.Editable(f.plan.found.Tree, s.file, at)
	if err != nil {
		return err
	}
	if at.Kustomization == "" {
		if edit.Resources = resources; len(resources) == 0 {
			return nil
		}
	}
	b := f.plan.newBuilds()
	key := buildKey{filepath.Dir(file.Abs), identityOf(&edit, &s.Source)}
	if b.list[key] != nil {
		return nil // objects that deploy each other
	}
	if err := f.plan.resolve([]find.File{file}); err != nil {
		return err
	}
	for _, dir := range b.buildEdited(ctx, &file, key, &edit, &s.Source) {
		f.edited[filepath.Join(file.Top(), filepath.FromSlash(dir))] = true
	}
	if built := b.list[key]; built != nil {
		f.plan.units = append(f.plan.units, built)
	}
	return b.failure
}

// identityOf identifies the changes of a source. Other objects may have changed the object before.
func identityOf(edit *kustomize.Edit, s *gitops.Source) string {
	identity := "\x00" + edit.At.String() + edit.Fields.Text
	for _, variables := range s.Variables {
		identity += string(variables.AppendJSON(nil))
	}
	return identity
}

// buildEdited builds a kustomization with changes. It returns the directories of all kustomizations in it, relative to
// the top.
func (b *builds) buildEdited(ctx context.Context, f *find.File, key buildKey, edit *kustomize.Edit,
	by *gitops.Source) []string {
	k, fault := b.repository(f).LoadEdited(f.InTop(key.dir), edit)
	if fault != nil {
		b.fail(ctx, f, key, fault, by)
		return nil
	}
	u := &buildUnit{File: f, key: key, kustomization: k, by: by}
	for _, past := range b.plan.before.unchecked(f) {
		was := past.builds.at(key)
		if was != nil && was.output != nil && past.isSame(f, k) && slices.Equal(k.Files(), was.kustomization.Files()) {
			u.output, u.isUnchanged = was.output, true
		}
	}
	if !u.isUnchanged {
		if u.output, fault = b.watched(ctx, k); u.output == nil {
			if fault != nil {
				b.fail(ctx, f, key, fault, by)
			}
			return nil
		}
		u.faults = b.reported(ctx, f, fault, by)
		b.addOld(ctx, u)
	}
	b.list[key] = u
	b.cover(f, k)
	return k.Directories()
}

// dropUnedited drops the output of kustomizations that are only deployed with changes, unless they are named: they are
// like the bases of others.
func (f *follower) dropUnedited() {
	for dir := range f.edited {
		if b := f.plan.builds.list[buildKey{dir: dir}]; b != nil && f.isDropped(dir) {
			b.output, b.faults = nil, nil
		}
	}
}

// isDropped reports whether what the kustomization in a directory builds as it is does not count.
func (f *follower) isDropped(dir string) bool {
	return f.edited[dir] && !f.unedited[dir] && !f.plan.isNamed(dir)
}

// addVariables adds where the variables are set that were replaced in the text of a violation. It drops violations
// about variables whose values are not known: their rules were not evaluated.
func addVariables(r *check.Result, src *source.Source, by *gitops.Source) {
	isKnown := map[string]bool{} // the variables that have a finding, by its message
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == diag.UnknownContext {
			isKnown[v.Message] = true
		}
	}
	var added []diag.Violation
	r.Drop(func(v *diag.Violation) bool {
		if v.Rule == diag.UnknownContext {
			return false
		}
		at := v.Place.Found() // the place of a secret has no text
		if v.Rule == diag.Syntax {
			at = objectAround(src.Text, at)
		}
		text := src.Text[at.Start:at.End]
		if !by.IsUnknown(text) && !isUnset(by, text, src.Written(at)) {
			return false
		}
		dropped := v.NotEvaluated(diag.ValueReplaced)
		if name, ok := by.UnknownIn(text); ok && v.Severity == diag.Error {
			found := check.UnknownVariable(name)
			found.Place, dropped.On = v.Place, name
			if !isKnown[found.Message] {
				isKnown[found.Message] = true
				added = append(added, found)
			}
		}
		r.NotEvaluated = append(r.NotEvaluated, dropped)
		return true
	})
	r.Add(added...)
	for i := range r.Violations {
		v := &r.Violations[i]
		at := src.Written(v.Place.Found())
		v.Related = append(v.Related, by.Suppliers(at.Source.Text[at.Span.Start:at.Span.End])...)
	}
}

// isUnset reports whether Flux fails at a variable in a text of an output. What was $${NAME} is not a variable.
func isUnset(by *gitops.Source, text string, at source.Origin) bool {
	for range by.Unset(text) {
		for range by.Unset(at.Source.Text[at.Span.Start:at.Span.End]) {
			return true
		}
		return false
	}
	return false
}

// unsetVariables returns the findings about the variables without a value at which Flux fails, one for each variable of
// a file.
func (u *buildUnit) unsetVariables(isExcluded func(string) bool) (violations []diag.Violation) {
	if u.by == nil {
		return nil
	}
	type variable struct{ name, file string }
	known := map[variable]bool{}
	for object := range u.output.BeforeVariables() {
		src, _ := object.Source(isExcluded)
		for unset := range u.by.Unset(src.Text) {
			if len(violations) == mostUnset {
				violations[mostUnset-1].More++
				continue
			}
			at := writtenAs(src, unset.Span)
			v := diag.Violation{Rule: diag.Unsubstituted, Severity: diag.Error, Place: at.Source.Place(at.Span),
				Message: "variable " + diag.Quote(unset.Name) + " is not set: " +
					"kustomize-controller 1.9 and later fail, earlier versions write nothing",
				Help: "set it in postBuild.substitute, or write $${" + unset.Name + "} to keep the text",
			}
			if unset.Name == "" {
				text := diag.Cut(src.Text[unset.Span.Start:unset.Span.End], longestUnset)
				v.Message = "the " + u.by.Kind + " fails: " + diag.Quote(text) + " is not a variable"
				v.Help = "write $${ to keep the text"
			}
			v.Place.Detach()
			if one := (variable{unset.Name, v.Place.File}); !known[one] {
				known[one] = true
				for _, place := range at.Via {
					place.Detach()
					v.Related = append(v.Related, diag.Related{Place: place, Message: "included here"})
				}
				violations = append(violations, v)
			}
		}
	}
	return violations
}

// writtenAs returns where a text of an output was written: the text itself, if it is there as it is.
func writtenAs(src *source.Source, sp source.Span) source.Origin {
	at := src.Written(sp)
	if i := strings.Index(at.Source.Text[at.Span.Start:at.Span.End], src.Text[sp.Start:sp.End]); i >= 0 {
		at.Span.Start += i
		at.Span.End = at.Span.Start + sp.End - sp.Start
	}
	return at
}

// Limits of the variables of a build that have findings: their number, and the characters of each. A text may consist
// of them. The others are counted.
const (
	mostUnset    = 100 // variables of a build that have findings
	longestUnset = 40
)

// objectAround returns the object of an output that contains a span: a variable anywhere in an object may be what
// makes its text invalid.
func objectAround(text string, sp source.Span) source.Span {
	const separator = "\n---\n"
	if i := strings.LastIndex(text[:sp.Start], separator); i >= 0 {
		sp.Start = i + len(separator)
	} else {
		sp.Start = 0
	}
	if i := strings.Index(text[sp.End:], separator); i >= 0 {
		sp.End += i
	} else {
		sp.End = len(text)
	}
	return sp
}
