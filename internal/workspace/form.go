package workspace

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// form is what is known about how the text of a unit is deployed, if that is not as it is. docs/context.md has the
// rules.
type form struct {
	// variables are those that something replaces with values that are not known. isNamed means that an info names each
	// of them.
	variables check.Variables
	isNamed   bool
	// unbuilt is the name of a kustomization that has the objects and is not built; "" for none, and parts are its parts.
	// whyUnknown is the message of one info about all variables; "" for none.
	unbuilt, whyUnknown string
	parts               *find.Parts
}

// formKey identifies a form over all snapshots.
type formKey struct {
	form           // without parts
	targets string // of the parts
}

func (f form) key() formKey {
	k := formKey{form: f}
	if k.parts = nil; f.parts != nil {
		for _, t := range f.parts.Targets {
			k.targets += t.Kind + "\x00" + t.Name + "\x00"
		}
		k.targets += strconv.FormatBool(f.parts.ChangesAny)
	}
	return k
}

// in returns what a check has to know about a text that is deployed so.
func (f form) in(file check.File) check.File {
	file.Variables, file.NamesVariables = max(file.Variables, f.variables), file.NamesVariables || f.isNamed
	return file
}

// writer returns a writer that drops what cannot be evaluated, after another; nil for none.
func (f form) writer(first writer) writer {
	if f.unbuilt == "" && f.whyUnknown == "" {
		return first
	}
	return uncertain{f, first}
}

// uncertain is a writer of texts whose form is not known.
type uncertain struct {
	form
	first writer // nil for none
}

func (u uncertain) place(r *check.Result, src *source.Source) {
	if u.unbuilt != "" {
		u.dropChangeable(r)
	}
	if u.whyUnknown != "" {
		u.addUnknown(r)
	}
	if u.first != nil {
		u.first.place(r, src)
	}
}

func (u uncertain) keep(r *check.Result) {
	if u.first != nil {
		u.first.keep(r)
	}
}

// changeable are the rules whose errors a patch, a replacement or a variable of an overlay may fix.
var changeable = []diag.Rule{
	diag.MissingField, diag.WrongType, diag.NotInEnum, diag.PatternMismatch, diag.BadFormat, diag.OutOfRange,
	diag.BadLength, diag.BadCount, diag.NoMatch, diag.BadName, diag.BadMetadata, diag.BadValue, diag.CEL, diag.Unsubstituted,
	diag.PolicyDenied, diag.PolicyError,
}

// overlayUnbuilt is the reason why an error does not count that a kustomization may fix.
const overlayUnbuilt = "the kustomization that may change it is not built"

// dropChangeable drops the errors that the kustomization may fix, and what is said about placeholders.
func (u uncertain) dropChangeable(r *check.Result) {
	r.Drop(func(v *diag.Violation) bool { return v.Rule == placeholderRule && u.mayChange(v.Object) })
	dropUnknown(r, overlayUnbuilt, u.unbuilt, diag.Violation{
		Message: diag.Quote(u.unbuilt) + " is not built, so what it may change is not evaluated", Common: "not built",
	}, func(v *diag.Violation) bool { return isChangeable(v) && u.mayChange(v.Object) })
}

func isChangeable(v *diag.Violation) bool { return isError(*v) && slices.Contains(changeable, v.Rule) }

// mayChange reports whether the kustomization may change an object.
func (u uncertain) mayChange(o diag.Object) bool {
	return u.parts == nil || u.parts.MayChange(o.Kind, o.Name)
}

// addUnknown adds why the variables are not known, at the first of them.
func (u uncertain) addUnknown(r *check.Result) {
	var first *diag.NotEvaluated
	for i := range r.NotEvaluated {
		n := &r.NotEvaluated[i]
		if n.Reason == diag.ValueReplaced && (first == nil || n.Place.Found().Start < first.Place.Found().Start) {
			first = n
		}
	}
	if first != nil {
		r.Add(unknownContext(first.Place, u.whyUnknown))
	}
}

func unknownContext(at source.Place, message string) diag.Violation {
	return diag.Violation{
		Rule: diag.UnknownContext, Severity: diag.Info, Place: at, Message: message,
		Help: "pipe what is deployed to 'kindvet validate -'",
	}
}

// dropUnknown drops findings because of a file. Their rules are not evaluated for a reason, and one info at the first of them says
// so. Of info, it uses Message, Common, and Help if it is set.
func dropUnknown(r *check.Result, reason, on string, info diag.Violation, is func(v *diag.Violation) bool) {
	isAny := false
	r.Drop(func(v *diag.Violation) bool {
		if !is(v) {
			return false
		}
		if !isAny {
			isAny, info.Place = true, v.Place
		}
		dropped := v.NotEvaluated(reason)
		dropped.On = on
		r.NotEvaluated = append(r.NotEvaluated, dropped)
		return true
	})
	if isAny {
		usual := unknownContext(info.Place, info.Message)
		usual.Common, usual.Help = info.Common, cmp.Or(info.Help, usual.Help)
		r.Add(usual)
	}
}

// forms holds the forms of files by absolute path, and of kustomizations by directory.
type forms struct {
	files, builds map[string]form
	// siblings are those of files in a directory, and directories those of files in and below one. tops are the tops of
	// the latter.
	siblings, directories map[string]form
	tops                  map[string]bool
}

// of returns the form of a unit.
func (d *forms) of(u unit) (found form) {
	if d == nil {
		return form{}
	}
	switch u := u.(type) {
	case *buildUnit:
		if u.key.by == "" {
			found = d.builds[u.key.dir].or(d.below(u.File, u.key.dir))
		}
	case *fileUnit:
		if u.Kind != find.Stdin {
			dir := filepath.Dir(u.Abs)
			found = d.files[u.Abs].or(d.siblings[dir]).or(d.below(u.File, dir))
		}
	}
	return found
}

// or adds another form to one.
func (f form) or(other form) form {
	if other.variables > f.variables {
		f.variables, f.isNamed = other.variables, other.isNamed
		if f.whyUnknown == "" && !f.isNamed {
			f.whyUnknown = other.whyUnknown
		}
	}
	return f
}

// below returns the form of a directory or of the lowest one above it.
func (d *forms) below(f *find.File, dir string) form {
	if !d.tops[f.Top()] {
		return form{}
	}
	for {
		if found, ok := d.directories[dir]; ok {
			return found
		}
		if dir == f.Top() || dir == filepath.Dir(dir) {
			return form{}
		}
		dir = filepath.Dir(dir)
	}
}

// findForms finds out how units are deployed that are not deployed as they are.
func (p *plan) findForms(f *follower) {
	d := &forms{
		files: map[string]form{}, builds: map[string]form{}, siblings: map[string]form{},
		directories: map[string]form{}, tops: map[string]bool{},
	}
	p.used = newUsed(p.found.Tree, f)
	p.dropGuesses()
	if areScriptsKnown := p.findTemplates(d); !areScriptsKnown {
		p.used.edits = nil
	}
	if p.builds != nil {
		p.findComponents(d)
		p.findUnbuilt(d, f)
	}
	p.dropForms(d)
	if f != nil {
		f.findVariables(d)
	}
	p.forms = d
}

// dropForms drops the forms of files that an object or a script deploys as they are. What Flux and plugins of Argo CD replace in
// the files of a directory is a form of the directory.
func (p *plan) dropForms(d *forms) {
	for _, u := range p.units {
		f, ok := u.(*fileUnit)
		if !ok {
			continue
		}
		_, hasForm := d.files[f.Abs]
		if hasForm && (p.used.isPlain(f.File) || p.used.edits != nil && p.used.isApplied(f.File)) {
			delete(d.files, f.Abs)
		}
	}
}

// findTemplates finds the files of which scripts make manifests. It returns false if the scripts are too large.
func (p *plan) findTemplates(d *forms) (areKnown bool) {
	scripts := find.NewScripts(p.found.Tree)
	for _, u := range p.units {
		f, ok := u.(*fileUnit)
		if !ok || f.Kind == find.Stdin || !f.IsSearched {
			continue
		}
		if by, ok := scripts.TemplateOf(f.File); ok {
			d.files[f.Abs] = form{
				variables: check.AnyVariables, whyUnknown: diag.Quote(by) + " makes a manifest of this template with other values",
			}
		}
		if scripts.AreTooLarge() {
			p.notes = append(p.notes, templatesNotKnown(f.Name))
			return false
		}
	}
	return true
}

// templatesNotKnown returns the finding that a file and all later files are checked as they are.
func templatesNotKnown(file string) diag.Violation {
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Warning, Place: source.FileStart(file),
		Message: "whether scripts make manifests of this file and later files is not known: the scripts are too large",
	}
}

// findComponents finds the files of components that nothing uses.
func (p *plan) findComponents(d *forms) {
	for _, c := range p.builds.components {
		name := filepath.ToSlash(filepath.Dir(c.file.Name))
		for _, path := range c.kustomization.Resources() {
			full := filepath.Join(c.file.Top(), filepath.FromSlash(path))
			if !p.builds.covered[full] {
				d.files[full] = form{
					variables:  check.AnyVariables,
					whyUnknown: "no kustomization uses the component " + diag.Quote(name) + ", so its variables are not known",
				}
			}
		}
	}
}

// findUnbuilt finds the files and the kustomizations that only kustomizations use that are not built.
func (p *plan) findUnbuilt(d *forms, f *follower) {
	reader := find.NewPartReader(p.found.Tree)
	for _, u := range p.builds.unbuilt {
		parts := reader.Of(u.file, u.dir)
		p.noteUnread(u.file, parts)
		of := form{unbuilt: u.file.Name, parts: &parts}
		if u.isEdited {
			of.parts = nil // the object may change any
		} else if parts.IsComponent && !f.deploysAny(parts.Directories) {
			of.variables = check.AnyVariables
			of.whyUnknown = "the component " + diag.Quote(u.file.Name) + " cannot be built, so its variables are not known"
		}
		for _, dir := range parts.Directories {
			if dir != u.dir && !p.isNamed(dir) && (f == nil || !f.unedited[dir]) {
				d.builds[dir] = of.orUnbuilt(d.builds[dir])
			}
		}
		for _, path := range parts.Files {
			if !p.builds.covered[path] {
				d.files[path] = of.orUnbuilt(d.files[path])
			}
		}
	}
}

// deploysAny reports whether an object deploys one of some directories.
func (f *follower) deploysAny(dirs []string) bool {
	return f != nil && slices.ContainsFunc(dirs, func(dir string) bool { return f.byFlux[dir] || f.byOthers[dir] })
}

// orUnbuilt returns the form of objects that several kustomizations have which are not built: what one of them may change is
// not known.
func (f form) orUnbuilt(other form) form {
	f, other = f.or(other), other.or(f)
	switch {
	case other.unbuilt == "" || f.parts == nil || other.parts != nil && !other.parts.ChangesAny && len(other.parts.Targets) == 0:
		return f
	case other.parts == nil || !f.parts.ChangesAny && len(f.parts.Targets) == 0:
		return other
	}
	both := *other.parts
	both.ChangesAny = both.ChangesAny || f.parts.ChangesAny
	both.Targets = append(slices.Clip(both.Targets), f.parts.Targets...)
	if len(both.Targets) > maxTargetsOfForm {
		both.ChangesAny, both.Targets = true, nil
	}
	other.parts = &both
	return other
}

// maxTargetsOfForm limits the targets that each object of several kustomizations is compared with. More may change any.
const maxTargetsOfForm = 1_000

// noteUnread notes that not all parts of a kustomization are known. file is that of the kustomization, or of the object that deploys it.
func (p *plan) noteUnread(file *find.File, parts find.Parts) {
	if parts.Unread != "" {
		p.notes = append(p.notes, diag.Violation{
			Rule: diag.ReaderLimit, Severity: diag.Warning, Place: source.FileStart(file.Name),
			Message: "what the kustomization changes is not known: " + parts.Unread,
		})
	}
}

// findVariables finds the texts in which Flux or a plugin of Argo CD replaces variables with values that are not known.
// If a repository uses variables of Flux, a Kustomization that has none itself may get some: a webhook, or a Kustomization
// that is not among the files, may add them. A file that no kustomization names is like the others in its directory.
func (f *follower) findVariables(d *forms) {
	of := form{variables: check.BracedVariables, isNamed: true}
	for _, u := range f.plan.units {
		b, ok := u.(*buildUnit)
		if ok && f.isByNothing(b) {
			d.builds[b.key.dir] = d.builds[b.key.dir].or(form{
				variables:  check.BracedVariables,
				whyUnknown: "nothing deploys " + diag.Quote(filepath.ToSlash(filepath.Dir(b.Name))) + ", so its variables are not known",
			})
		}
		if !ok || b.kustomization == nil || !f.isByFlux(b.File, b.key.dir) {
			continue
		}
		if d.builds[b.key.dir] = d.builds[b.key.dir].or(of); b.by != nil && !b.by.HasVariables() {
			b.by.HasOtherVariables = true
		}
		for _, dir := range b.kustomization.Directories() {
			d.siblings[filepath.Join(b.Top(), filepath.FromSlash(dir))] = of
		}
	}
	reader := find.NewPartReader(f.plan.found.Tree)
	for _, o := range f.outside {
		if f.isByFlux(o.file, o.Dir) && o.Kustomization != "" {
			parts := reader.Of(o.file, o.Dir)
			f.plan.noteUnread(o.file, parts)
			f.addParts(d, parts, of)
			for _, dir := range parts.Directories {
				d.siblings[dir] = of
			}
		}
	}
	if f.plan.builds != nil {
		for _, u := range f.plan.builds.unbuilt {
			if f.isByFlux(u.file, u.dir) {
				f.addParts(d, reader.Of(u.file, u.dir), of)
			}
		}
	}
	for dir, file := range f.plainByFlux {
		if f.isByFlux(file, dir) {
			d.directories[dir], d.tops[file.Top()] = of, true
		}
	}
	of.variables = check.AnyVariables
	for dir, file := range f.byPlugin {
		d.directories[dir], d.tops[file.Top()] = of, true
	}
}

// isByNothing reports whether no object deploys a kustomization of a repository that uses variables of Flux, and no other
// kustomization has it: it is kept for later, like a component that nothing uses.
func (f *follower) isByNothing(b *buildUnit) bool {
	dir := b.key.dir
	return b.key.by == "" && f.usesVariables[b.Top()] && !f.byFlux[dir] && !f.byOthers[dir] && !f.plan.isNamed(dir)
}

// isByFlux reports whether only Kustomizations of Flux deploy a directory, in a repository that uses their variables.
func (f *follower) isByFlux(file *find.File, dir string) bool {
	return f.byFlux[dir] && !f.byOthers[dir] && f.usesVariables[file.Top()]
}

// addParts adds a form to that of the parts of a kustomization that is not built.
func (f *follower) addParts(d *forms, parts find.Parts, of form) {
	for _, dir := range parts.Directories {
		d.builds[dir] = d.builds[dir].or(of)
	}
	for _, path := range parts.Files {
		d.files[path] = d.files[path].or(of)
	}
}
