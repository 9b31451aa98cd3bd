package workspace

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/source"
)

// used finds out what else uses the files of a run: scripts that change them, and tests. It is asked about files with
// findings only.
type used struct {
	mutex sync.Mutex
	edits *find.Edits // nil if the scripts are too large
	// scripts may write files that do not exist.
	scripts *find.Scripts
	tests   *find.Tests
	// listings are those of kustomizations, by directory.
	listings map[string]*find.Listing
	// deployed are the absolute directories that objects of Flux and Argo CD deploy. plainByFlux and plain are those without a
	// kustomization, plain those of Argo CD. built are the directories that have been asked about, true for one with a
	// kustomization.
	deployed, plainByFlux, built map[string]bool
	plain                        map[string][]*deployed
	// parts are the directories of the kustomizations in deployed and of all that they have, by the top of their repository.
	parts map[string]map[string]bool
	tree  find.Tree
}

func newUsed(t find.Tree, f *follower) *used {
	u := &used{
		edits: find.NewEdits(t), scripts: find.NewScripts(t), tests: find.NewTests(t), listings: map[string]*find.Listing{},
		deployed: map[string]bool{}, plainByFlux: map[string]bool{}, built: map[string]bool{}, parts: map[string]map[string]bool{}, tree: t,
	}
	if f == nil {
		return u
	}
	for dir := range f.byFlux {
		u.deployed[dir] = true
	}
	for dir := range f.plainByFlux {
		u.plainByFlux[dir] = true
	}
	for dir := range f.byOthers {
		u.deployed[dir] = true
	}
	u.plain = f.plainByOthers
	return u
}

// isDeployed reports whether an object deploys a file, chart or kustomization.
func (u *used) isDeployed(of unit) bool {
	f := of.in()
	switch of := of.(type) {
	case *buildUnit:
		return of.key.by != "" || u.deployed[of.key.dir]
	case *chartUnit:
		return of.isDeployed || u.deployed[f.Abs] || slices.ContainsFunc(of.sets, func(s chart.Set) bool { return !s.At.IsZero() })
	}
	return u.isPlain(f)
}

// isPlain reports whether an object of Flux or Argo CD deploys a file as it is, without a kustomization.
func (u *used) isPlain(f *find.File) bool {
	isIt, _ := u.plainOf(f)
	return isIt
}

// plainOf reports whether an object deploys a file as it is. leavesOut is one that deploys the directory without the file.
func (u *used) plainOf(f *find.File) (isPlain bool, leavesOut *deployed) {
	own := filepath.Dir(f.Abs)
	for dir := own; len(u.plain)+len(u.plainByFlux) > 0; dir = filepath.Dir(dir) {
		if u.plainByFlux[dir] {
			return true, nil
		}
		for _, s := range u.plain[dir] {
			switch {
			case !s.Recurse && dir != own:
			case s.has(dir, f.Abs):
				return true, nil
			case leavesOut == nil:
				leavesOut = s
			}
		}
		if dir == f.Top() || dir == filepath.Dir(dir) || u.isBuilt(dir) {
			break
		}
	}
	return false, leavesOut
}

// isBuilt reports whether a directory has a kustomization, so that what is in it is deployed by that.
func (u *used) isBuilt(dir string) bool {
	known, ok := u.built[dir]
	if !ok {
		known = find.HasKustomization(u.tree, dir)
		u.built[dir] = known
	}
	return known
}

// isPart reports whether an object of Flux or Argo CD deploys a kustomization, or another one that has it.
func (u *used) isPart(f *find.File) bool {
	parts := u.parts[f.Top()]
	if parts == nil && len(u.deployed) > 0 {
		parts = map[string]bool{}
		u.parts[f.Top()] = parts
		reader := find.NewPartReader(u.tree)
		for _, dir := range slices.Sorted(maps.Keys(u.deployed)) {
			if disk.IsWithin(f.Top(), dir) {
				all := reader.Of(f, dir)
				for _, part := range all.Directories {
					parts[part] = true
				}
			}
		}
	}
	return parts[filepath.Dir(f.Abs)]
}

// deploys reports whether an object or a script deploys a file as it is.
func (p *plan) deploys(of *fileUnit) bool {
	if p.used == nil {
		return false
	}
	p.used.mutex.Lock()
	defer p.used.mutex.Unlock()
	return p.used.isPlain(of.File) || p.used.isApplied(of.File)
}

// dropGuesses drops what names of files, and of those near them, say about files that an object of Flux or Argo CD, or a script
// deploys as they are: such a file is neither a patch, nor an object of a test, nor a part of a policy.
func (p *plan) dropGuesses() {
	isCloned := false
	for _, u := range p.units {
		f, ok := u.(*fileUnit)
		if !ok || !f.IsSearched || f.Kind == find.Stdin || p.uses[f.Abs] == 0 && len(p.formats[f.Abs]) == 0 {
			continue
		}
		isGuess := slices.Contains([]kustomization.Use{
			kustomization.PossiblePatch, kustomization.PossibleConfiguration, kustomization.Expected, kustomization.InPolicy,
		}, p.uses[f.Abs])
		if !p.used.isPlain(f.File) && !(isGuess && p.used.isApplied(f.File)) {
			continue
		}
		if isGuess {
			delete(p.uses, f.Abs)
		}
		if len(p.formats[f.Abs]) > 0 && !isCloned {
			p.formats, isCloned = maps.Clone(p.formats), true
		}
		delete(p.formats, f.Abs)
	}
}

// isApplied reports whether a script sends a file to a server.
func (u *used) isApplied(f *find.File) bool { return u.edits == nil || u.edits.IsApplied(f) }

// asUsed lowers the findings in a text of a unit that are not about what is deployed: something changes the value
// before, only tests read it, or no kustomization lists the file.
//
// TODO(snapshots): what scripts and tests say is not among the facts that a kept result depends on. If they change, an editor
// shows it once the file itself changes; with these facts, each new file next to one with a finding would check that again.
func (w *worker) asUsed(r *check.Result, of unit, src *source.Source) {
	f, p := of.in(), w.pool.plan
	if !slices.ContainsFunc(r.Violations, isReported) || f.Kind == find.Stdin || !f.IsSearched || f.Top() == "" || p.used == nil {
		return
	}
	u := p.used
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.dropTested(r, of, p) || !slices.ContainsFunc(r.Violations, isError) {
		return
	}
	u.lowerWritten(r, f, src)
	if u.edits != nil && !u.isDeployed(of) {
		u.dropEdited(r, of, p, src)
	}
	if file, ok := of.(*fileUnit); ok && slices.ContainsFunc(r.Violations, isError) {
		u.lowerOmitted(r, file, w)
		u.lowerLeftOut(r, file, w)
	}
}

func isReported(v diag.Violation) bool { return v.Severity >= diag.Warning }
func isError(v diag.Violation) bool    { return v.Severity == diag.Error }

// dropTested lowers what is wrong with a file of tests, and reports whether it is one.
func (u *used) dropTested(r *check.Result, of unit, p *plan) bool {
	f := of.in()
	use := p.uses[f.Abs]
	if use == kustomization.Applied {
		u.dropAdvice(r, of)
	}
	if _, isFile := of.(*fileUnit); isFile && use != 0 && use != kustomization.Expected {
		return false // a kustomization deploys it, or a test creates it as it is
	}
	found, ok, unread := u.tests.Of(f, f.Abs)
	if i := slices.IndexFunc(r.Violations, isError); !ok && unread != "" && i >= 0 {
		v := unknownContext(r.Violations[i].Place, "whether only tests read this file is not known: "+unread)
		v.Common = "tests not read"
		r.Add(v)
	}
	if !ok || u.isDeployed(of) || p.isNamedIn(found.Dir) || u.isApplied(f) {
		return false
	}
	by := diag.Quote(f.NameOf(found.By))
	if found.IsApplied {
		u.dropAdvice(r, of)
		r.Lower(func(v *diag.Violation) {
			if v.Severity == diag.Error {
				v.Severity, v.Message = diag.Warning, v.Message+", in an object of a test"
			}
		})
		return true
	}
	dropUnknown(r, onlyTested, f.NameOf(found.By), diag.Violation{
		Message: "only tests such as " + by + " read this file, so what is wrong in it does not count", Common: "only tests",
		Help: "name the file to check it",
	}, func(v *diag.Violation) bool { return isReported(*v) && !(found.IsOfPolicies && isPolicy(v.Object)) })
	return !found.IsOfPolicies
}

// dropAdvice drops the warnings about the objects of a test: they live for a moment, and show what a policy or a controller does.
func (u *used) dropAdvice(r *check.Result, of unit) {
	if u.isDeployed(of) || u.isApplied(of.in()) {
		return
	}
	r.Drop(func(v *diag.Violation) bool {
		if v.Severity != diag.Warning {
			return false
		}
		r.NotEvaluated = append(r.NotEvaluated, v.NotEvaluated(onlyInTests))
		return true
	})
}

// onlyInTests is the reason why a warning does not count in an object that only a test creates.
const onlyInTests = "only a test creates the object"

// onlyTested is the reason why a finding does not count in a file that only tests read.
const onlyTested = "only tests read the file"

// isPolicy reports whether an object is a policy, which the directory of its test may hold.
func isPolicy(o diag.Object) bool {
	group, _, _ := strings.Cut(o.APIVersion, "/")
	return o.Kind == "" || strings.HasSuffix(group, "kyverno.io") || strings.HasSuffix(group, "gatekeeper.sh") ||
		group == "admissionregistration.k8s.io"
}

// isNamedIn reports whether the user named a path in a directory, or the directory.
func (p *plan) isNamedIn(dir string) bool {
	o := &p.options.Files
	return disk.IsWithin(dir, o.Base.Dir) || slices.ContainsFunc(o.Paths, func(path string) bool {
		return path != "-" && disk.IsWithin(dir, o.Base.Abs(path))
	})
}

// lowerWritten makes warnings of missing files that a script writes before kustomize runs, and of patches that the version of
// kustomize that a script installs allows: up to version 4, an item of patches may be a path. What an object of Flux or Argo CD
// deploys is what is in the repository, so a script writes nothing for it.
func (u *used) lowerWritten(r *check.Result, f *find.File, src *source.Source) {
	var unread []diag.Violation
	r.Lower(func(v *diag.Violation) {
		if v.Rule == diag.WrongType && v.Severity == diag.Error && strings.HasPrefix(v.Object.APIVersion, kustomization.Group+"/") &&
			len(v.Path) == 2 && v.Path[0].Name == "patches" && strings.HasSuffix(v.Message, "got a string") {
			version, by := u.scripts.KustomizeVersion(f)
			if major, _, _ := strings.Cut(version, "."); len(major) == 1 && major < "5" {
				v.Severity = diag.Warning
				v.Message += ", from kustomize 5"
				v.Help = "use patchesStrategicMerge for paths: " + diag.Quote(by) + " has kustomize " + version + ", which allows them here"
			}
			return
		}
		if v.Rule != diag.MissingFile || v.Severity != diag.Error || v.Places > 1 || u.isPart(f) {
			return
		}
		name := strings.Trim(foundIn(src, v.Place), `"'`)
		if by, ok := u.scripts.WriterOf(f, filepath.Join(filepath.Dir(f.Abs), filepath.FromSlash(name))); ok && name != "" {
			v.Severity, v.Help, v.Fixes = diag.Warning, "run "+diag.Quote(by)+" before the check, which writes it", nil
		} else if u.scripts.AreTooLarge() {
			info := unknownContext(v.Place, "whether scripts write this file is not known: the scripts are too large")
			info.Common = "scripts not read"
			unread = append(unread, info)
		}
	})
	r.Add(unread...)
}

// dropEdited drops the errors about values that a script or program changes before they are deployed.
func (u *used) dropEdited(r *check.Result, of unit, p *plan, src *source.Source) {
	f, dirs := of.in(), u.kustomizedBy(of)
	var infos []diag.Violation
	isSaid := map[string]bool{}
	say := func(v diag.Violation) {
		if !isSaid[v.Message] {
			isSaid[v.Message] = true
			infos = append(infos, v)
		}
	}
	edit := func(v *diag.Violation) (found find.Edit, ok bool) {
		if v.Severity != diag.Error {
			return found, false
		}
		at := v.Place.Moved()
		value := find.Rejected{
			Text: foundIn(src, v.Place), Path: v.Path.String(), Abs: p.options.Files.Base.Abs(at.File), IsVariable: v.Rule == diag.Unsubstituted,
		}
		switch {
		case v.Rule == diag.Syntax:
			value.Text = v.Place.Excerpt().Text
			value.IsVariable = strings.HasSuffix(v.Message, "looks like an unsubstituted variable")
			if !value.IsVariable {
				return found, false
			}
		case v.Rule == diag.MissingField:
			value.Text = ""
		case v.Rule != diag.Unsubstituted && !slices.Contains(changeable, v.Rule):
			return found, false
		}
		value.Text = value.Text[:min(len(value.Text), longestRejected)]
		if strings.Contains(value.Text, "{{") {
			if by, ok := u.scripts.TemplateMaker(f, value.Abs); ok {
				return find.Edit{By: by, Of: diag.Cut(value.Text, 80)}, true
			}
		}
		found, ok, unread := u.edits.Of(f, value)
		if !ok {
			found, ok = u.edits.OfBuild(f, dirs, value)
		}
		if unread != "" {
			info := unknownContext(v.Place, "whether scripts set this value is not known: "+unread)
			info.Common = "scripts not read"
			say(info)
		}
		return found, ok
	}
	isSyntax := map[string]find.Edit{}
	r.Drop(func(v *diag.Violation) bool {
		found, ok := edit(v)
		if !ok {
			return false
		}
		if v.Rule == diag.Syntax {
			isSyntax[v.Place.String()] = found
			return false
		}
		dropped := v.NotEvaluated(diag.ValueReplaced)
		dropped.On = found.Of
		r.NotEvaluated = append(r.NotEvaluated, dropped)
		say(unknownContext(v.Place, diag.Quote(found.By)+" sets "+diag.Quote(found.Of)+", so its value is not known"))
		return true
	})
	r.Lower(func(v *diag.Violation) {
		if found, ok := isSyntax[v.Place.String()]; ok && v.Rule == diag.Syntax {
			v.Severity, v.Help = diag.Warning, "check the output of "+diag.Quote(found.By)+", which replaces it"
		}
	})
	r.Add(infos...)
}

// kustomizedBy returns the directories of the kustomizations that change what a unit has, its own first; nil for none. What an object
// deploys is built from what is in the repository.
func (u *used) kustomizedBy(of unit) (dirs []string) {
	f := of.in()
	switch of := of.(type) {
	case *buildUnit:
		if u.isPart(f) {
			return nil
		}
		dirs = []string{of.key.dir}
		for _, name := range of.kustomization.Directories() {
			if dir := filepath.Join(f.Top(), filepath.FromSlash(name)); dir != of.key.dir {
				dirs = append(dirs, dir)
			}
		}
	case *fileUnit:
		if f.IsKustomization() && !u.isPart(f) {
			dirs = []string{filepath.Dir(f.Abs)}
		}
	}
	return dirs
}

// foundIn returns the text of a place in the source that was checked.
func foundIn(src *source.Source, at source.Place) string {
	found := at.Found()
	start, end := found.Start-src.FirstByte, found.End-src.FirstByte
	if start < 0 || end > len(src.Text) || start > end {
		return ""
	}
	return src.Text[start:end]
}

// longestRejected is how many bytes of a value are compared with what scripts replace.
const longestRejected = 512

// lowerOmitted makes warnings of the errors in a file that no kustomization lists, next to one that lists other files. One
// without a kind keeps its errors: it has to be fixed before it can be listed.
func (u *used) lowerOmitted(r *check.Result, of *fileUnit, w *worker) {
	if w.pool.plan.uses[of.Abs] != 0 {
		return
	}
	dir := filepath.Dir(of.Abs)
	next := u.listings[dir]
	if next == nil || w.recorder != nil {
		next = of.ListingNextTo(w.tree())
		u.listings[dir] = next
	}
	if !next.Omits(of.File) || u.isDeployed(of) || u.isApplied(of.File) {
		return
	}
	if next.Comments(of.File) {
		dropOfComment(r, next)
	}
	r.Lower(func(v *diag.Violation) {
		if v.Severity == diag.Error && v.Object.Kind != "" {
			v.Severity = diag.Warning
			v.Message += ", in a file that " + diag.Quote(next.Name) + " does not list"
		}
	})
}

// lowerLeftOut makes warnings of the errors in a file that the patterns of an Application leave out, if nothing else deploys it.
func (u *used) lowerLeftOut(r *check.Result, of *fileUnit, w *worker) {
	isPlain, by := u.plainOf(of.File)
	if isPlain || by == nil || w.pool.plan.uses[of.Abs] != 0 || u.isApplied(of.File) {
		return
	}
	r.Lower(func(v *diag.Violation) {
		if v.Severity == diag.Error {
			v.Severity = diag.Warning
			v.Message += ", in a file that the " + by.Kind + " " + diag.Quote(by.Name) + " leaves out"
		}
	})
}

// dropOfComment drops the errors that a kustomization may fix which names the file only in a comment: it is kept for later, and
// patches of the kustomization complete its objects.
func dropOfComment(r *check.Result, by *find.Listing) {
	dropUnknown(r, onlyCommented, by.Name, diag.Violation{
		Message: "only a comment of " + diag.Quote(by.Name) + " names this file, so what it may change is not evaluated",
		Common:  "only in a comment",
	}, func(v *diag.Violation) bool { return isChangeable(v) && by.MayChange(v.Object.Kind, v.Object.Name) })
}

// onlyCommented is the reason why an error does not count that a kustomization may fix.
const onlyCommented = "only a comment of the kustomization that may change it names the file"
