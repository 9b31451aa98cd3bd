package workspace

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// unloaded is a kustomization that cannot be loaded.
type unloaded struct {
	file  *find.File
	fault *kustomize.Fault
}

// oldBuild is what a kustomization built, or why it could not.
type oldBuild struct {
	kustomization *kustomize.Kustomization
	output        *kustomize.Built
	faults        []diag.Violation
}

// inputsOf returns what a kustomization is built of.
func inputsOf(k *kustomize.Kustomization) find.Inputs {
	return find.Inputs{Files: k.Files(), Missing: k.Missing(), Directories: k.Charts()}
}

// isSame reports whether a kustomization of now has the same inputs in a revision.
func (b *past) isSame(f *find.File, k *kustomize.Kustomization) bool {
	return b != nil && b.revision != nil && b.revision.AreSame(inputsOf(k), f, b.now.found.Tree)
}

// builtIn builds the kustomization in the directory of a file as it was. If it is the same, it is that of now.
func (b *past) builtIn(ctx context.Context, f *find.File) *oldBuild {
	dir := filepath.Dir(f.Abs)
	if known := b.built[dir]; known != nil {
		return known
	}
	was := &oldBuild{}
	b.built[dir] = was
	if now := b.now.builds.list[buildKey{dir: dir}]; now != nil && now.output != nil && b.isSame(f, now.kustomization) {
		was.kustomization, was.output = now.kustomization, now.output
		return was
	}
	in := b.newBuilds()
	var fault *kustomize.Fault
	if was.kustomization, fault = in.repository(f).Load(f.InTop(dir)); fault == nil {
		was.output, fault = in.watched(ctx, was.kustomization)
	}
	if fault != nil {
		was.faults = fault.All()
	}
	return was
}

// addBuilds adds units for the old kustomizations that may have built objects which deploy others.
func (b *past) addBuilds(ctx context.Context) error {
	if b.now.builds == nil {
		return nil
	}
	for _, c := range b.now.builds.candidates {
		if c.isUnchanged && b.now.builds.list[buildKey{dir: c.dir}] == nil {
			continue // nothing in it deploys others
		}
		was := b.builtIn(ctx, c.file)
		if was.output == nil {
			continue
		}
		u := &buildUnit{File: c.file, key: buildKey{dir: c.dir}, kustomization: was.kustomization, output: was.output}
		b.newBuilds().list[u.key] = u
		b.units = append(b.units, u)
	}
	return b.newBuilds().failure
}

// unchecked returns the states whose units are not checked again if a file of them is the same.
func (b *before) unchecked(f *find.File) (list []*past) {
	if b.head != nil {
		list = append(list, b.head)
	}
	if c := b.changes; c != nil && c.kinds.IsEmpty() && c.hasSameSettings(f) {
		list = append(list, c.past)
	}
	return list
}

// mayDeploy reports whether a kustomization may build objects that deploy others. The discovery has searched most files.
func (b *builds) mayDeploy(c *candidate) bool {
	d := b.plan.discovery
	if b.searched == nil {
		b.searched = make(map[string]bool, len(d.units))
		for _, u := range d.units {
			b.searched[u.in().Abs] = true
		}
	}
	read := c.file.KustomizeReader(b.plan.found.Tree).Read
	return slices.ContainsFunc(c.kustomization.Files(), func(name string) bool {
		full := filepath.Join(c.file.Top(), filepath.FromSlash(name))
		if b.searched[full] {
			return d.deployers[full]
		}
		text, err := read(name)
		return err == nil && gitops.Mentioned(text)
	})
}

// output returns what a kustomization of now built in the past; nil if it did not.
func (b *past) outputOf(ctx context.Context, u *buildUnit) *oldBuild {
	if u.by == nil {
		if b.revision == nil {
			return &oldBuild{}
		}
		return b.builtIn(ctx, u.File)
	}
	var found *oldBuild
	for _, was := range b.builds.inOrder() {
		if was.by == nil || was.by.Kind != u.by.Kind || was.by.Namespace != u.by.Namespace || was.by.Name != u.by.Name {
			continue
		}
		isFile := b.isSameFile(was.by.At.File, u.by.At.File)
		if is := (&oldBuild{was.kustomization, was.output, was.faults}); isFile || found == nil {
			found = is
		}
		if isFile {
			break
		}
	}
	if found == nil {
		return &oldBuild{}
	}
	return found
}

// outputOf returns an output as a text.
func outputOf(built *kustomize.Built) *source.Source {
	src, _ := built.Source(func(string) bool { return false })
	return src
}

// addOld adds to a unit what it is compared with. Findings that may have been suppressed in a way that has changed are
// reported, so then --since compares with nothing.
func (b *builds) addOld(ctx context.Context, u *buildUnit) {
	before := &b.plan.before
	if before.old != nil && u.by != nil {
		if was := before.old.outputOf(ctx, u); was.output != nil {
			u.old = before.old.named(outputOf(was.output))
		}
	}
	if c := before.changes; c != nil && (u.by != nil || c.wasFound(u.File)) && c.hasSameSettings(u.File) {
		if was := c.outputOf(ctx, u); was.output != nil && !c.hasOtherSuppressions(u.File, was.kustomization) {
			u.before = outputOf(was.output)
		}
	}
}

// hasOtherSuppressions reports whether an old file with suppressions has changed.
func (b *past) hasOtherSuppressions(f *find.File, old *kustomize.Kustomization) bool {
	read := f.KustomizeReader(b.found.Tree).Read
	return slices.ContainsFunc(old.Files(), func(name string) bool {
		if b.revision.AreSame(find.Inputs{Files: []string{name}}, f, b.now.found.Tree) {
			return false
		}
		text, err := read(name)
		return err == nil && (suppress.Mentioned(text) || suppress.MentionedInTemplate(text))
	})
}

// oldFaults returns why a kustomization could not be built before, if only new findings are reported. A limit of kindvet
// does not count: nothing tells whether what it ended was valid.
func (b *builds) oldFaults(ctx context.Context, f *find.File, by *gitops.Source) []diag.Violation {
	c := b.plan.before.changes
	if c == nil {
		return nil
	}
	faults := c.outputOf(ctx, &buildUnit{File: f, by: by}).faults
	if len(faults) > 0 && faults[0].Rule == diag.ReaderLimit {
		return nil
	}
	return faults
}

// compared returns the engine that checks an output, which knows the old output.
func (b *builds) compared(engine *check.Engine, u *buildUnit, src *source.Source) *check.Engine {
	if u.old != nil {
		engine = engine.UpdateOf([]*source.Source{u.old})
	}
	if b.plan.before.changes == nil {
		return engine
	}
	var old []*source.Source
	if u.before != nil {
		old = append(old, u.before)
	}
	return engine.SinceVersion(old, []*source.Source{src})
}

// isInChangedBuild reports whether a file has objects of a kustomization that has changed or no longer exists. They were
// checked as the kustomization built them.
func (b *past) isInChangedBuild(full string) bool {
	if b.inBuilds == nil {
		b.inBuilds = map[string]bool{}
		for changed := range b.changed { // order does not matter
			if !kustomization.IsName(filepath.ToSlash(changed)) {
				continue
			}
			f, ok := b.revision.File(changed)
			if !ok {
				continue
			}
			if f.Config, ok = b.configAt(f.Dir()); !ok {
				continue
			}
			if k, fault := b.newBuilds().repository(f).Load(f.InTop(filepath.Dir(changed))); fault == nil {
				for _, name := range k.Resources() {
					b.inBuilds[filepath.Join(f.Top(), filepath.FromSlash(name))] = true
				}
			}
		}
	}
	return b.inBuilds[full]
}
