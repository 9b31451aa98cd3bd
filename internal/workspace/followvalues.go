package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// setOf returns the set of values of a source for a chart. It returns false if some of its files are elsewhere.
func (f *follower) setOf(s *deployed, at find.At) (chart.Set, bool) {
	set := s.Set
	set.At.Detach()
	for _, file := range s.ValueFiles {
		isElsewhere := file.Source != nil && !f.isHere(&deployed{Source: *file.Source, file: s.file})
		if isElsewhere || strings.ContainsAny(file.Path, "*?[{:") { // a pattern or a URL
			return set, false
		}
		name := path.Join(s.root, file.Path)
		if !file.IsFromTop {
			name = path.Join(s.file.InTop(at.Dir), file.Path)
		}
		src, isThere := f.readValues(s, &file, name, &set)
		if !set.Unreadable.Place.IsZero() {
			return set, true
		}
		if isThere {
			set.Files = append(set.Files, src)
		}
	}
	f.addOrdered(s, &set)
	return set, true
}

// readValues reads a file of values for a set. It returns false if the set has to do without it.
func (f *follower) readValues(s *deployed, file *gitops.ValueFile, name string, set *chart.Set) (*source.Source, bool) {
	src, err := f.valuesIn(s.file, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && file.MayBeMissing:
	case errors.Is(err, fs.ErrNotExist) && f.isGitIgnored(s.file, name):
		set.IsPartial = true
		f.withheld(file.At, diag.Quote(file.Path)+" does not exist, and git ignores it", "create it before the check")
	case errors.Is(err, fs.ErrNotExist) && s.IsLocal && f.writerOf(s.file, name) != "":
		set.IsPartial = true
		f.withheld(file.At, diag.Quote(file.Path)+" does not exist", "run "+diag.Quote(f.writerOf(s.file, name))+" before the check, which writes it")
	case err == nil && lfs.IsPointer(src.Text):
		set.IsPartial = true
		f.withheld(file.At, diag.Quote(file.Path)+" is a Git LFS pointer", lfs.Help)
	case err != nil:
		set.Unreadable = source.Word{Text: whyUnreadable(file.Path, err), Place: file.At}
	default:
		return src, true
	}
	return nil, false
}

// addOrdered adds the values of a release of helmfile. What follows a value that is not known, or does not set it, counts.
func (f *follower) addOrdered(s *deployed, set *chart.Set) {
	var inputs []chart.Input
	var hidden [][]string
	isHidden, uncertain, names := false, map[string]bool{}, []string(nil)
	for _, v := range slices.Backward(s.Values) {
		in, name, isThere := v.Input, set.At.File, !v.IsHidden
		if file := v.File; file.Path != "" {
			if isThere = !strings.ContainsAny(file.Path, "*?[{:"); isThere {
				in.File, isThere = f.readValues(s, &file, file.Path, set)
			}
			if !isThere && (file.MayBeMissing || !set.Unreadable.Place.IsZero()) {
				continue
			}
			if isThere {
				name = in.File.Name
			}
		}
		if !isThere {
			isHidden = true
			continue
		}
		names = append(names, name)
		uncertain[name] = uncertain[name] || isHidden || slices.ContainsFunc(hidden, in.MaySet)
		hidden = append(hidden, v.Hidden...)
		if in.Key != "" || in.File != nil || in.Value.Valid() {
			inputs = append(inputs, in)
		}
	}
	if len(s.Values) == 0 {
		return
	}
	slices.Reverse(inputs)
	set.Inputs, set.IsPartial, set.HidesFields = inputs, set.IsPartial || isHidden || len(hidden) > 0, len(hidden) > 0
	set.Certain = slices.DeleteFunc(names, func(name string) bool { return uncertain[name] })
}

// writerOf returns the script that writes a file of values before helmfile reads it; "" for none.
func (f *follower) writerOf(of *find.File, name string) string {
	if f.scripts == nil {
		f.scripts = find.NewScripts(f.plan.found.Tree)
	}
	by, _ := f.scripts.WriterOf(of, filepath.Join(of.Top(), filepath.FromSlash(name)))
	return by
}

// isGitIgnored reports whether git ignores a file of values, which does not exist.
func (f *follower) isGitIgnored(of *find.File, name string) bool {
	name, ok := gitops.Clean(name)
	return ok && f.plan.lookup.IsGitIgnored(filepath.Join(of.Top(), filepath.FromSlash(name)))
}

// withheld adds the warning that a file of values is not among the files, although its owner has it.
func (f *follower) withheld(at source.Place, why, help string) {
	at.Detach()
	f.plan.notes = append(f.plan.notes, diag.Violation{
		Rule: diag.MissingDependency, Severity: diag.Warning, Place: at, Help: help,
		Message: why + ", so the chart is rendered without it",
	})
}

// addValuesFrom adds the values of the ConfigMaps that a source names, if they are among the objects. Otherwise the values
// of the set are not all that are deployed.
func (f *follower) addValuesFrom(s *deployed, set *chart.Set) {
	var inputs []chart.Input
	for _, ref := range s.ValuesFrom {
		value, ok := f.valueOf(s, ref)
		if !ok {
			set.IsPartial = true
			f.note(ref.At, "the values of the "+ref.Kind+" "+diag.Quote(ref.Name)+
				" are not known, so the chart is rendered without them")
			continue
		}
		in := chart.Input{Value: value}
		if ref.Target != "" {
			in.Key, in.Text = ref.Target, value.Text()
		}
		inputs = append(inputs, in)
	}
	set.Inputs = append(inputs, set.Inputs...)
}

// valueOf returns the string that a reference names.
func (f *follower) valueOf(s *deployed, ref gitops.Reference) (value manifest.Node, ok bool) {
	data, ok := f.configMap(s, ref)
	if !ok {
		return value, false
	}
	value, ok = data.Field(ref.Key)
	return value, ok && value.Type() == manifest.String
}

// configMap returns the data of the ConfigMap that a reference names, if it is among the files or in what is built. A
// namespace is often set elsewhere. If several with different data match, such as those of two clusters, it is not known
// which one counts.
func (f *follower) configMap(s *deployed, ref gitops.Reference) (data manifest.Node, ok bool) {
	if ref.Kind != "ConfigMap" || ref.Name == "" {
		return data, false
	}
	for _, m := range f.configMapsOf(ref.Name) {
		isHere := m.Namespace == s.Namespace || m.Namespace == "" || s.Namespace == ""
		switch {
		case !isHere:
		case !ok:
			data, ok = m.Data, true
		case !bytes.Equal(m.Data.AppendJSON(nil), data.AppendJSON(nil)):
			return data, false
		}
	}
	return data, ok
}

// configMapsOf returns the ConfigMaps with a name. Files are read for a name once.
func (f *follower) configMapsOf(name string) []gitops.Values {
	units := f.plan.searched()
	for i := f.mapsRead[name]; i < len(units) && f.mapsSize <= maxMentioning; i++ {
		src := &source.Source{Name: units[i].in().Name}
		switch u := units[i].(type) {
		case *buildUnit:
			if u.output != nil && u.output.Has(func(text string) bool { return strings.Contains(text, name) }) {
				src, _ = u.output.Source(func(string) bool { return false })
			}
		case *fileUnit:
			if u.Kind != find.Stdin {
				src.Text, _ = u.Again(f.plan.found.Tree, maxDeployer)
			}
		}
		f.mapsSize += len(src.Text)
		f.configMaps[name] = append(f.configMaps[name], gitops.ConfigMaps(src, name)...)
	}
	f.mapsRead[name] = len(units)
	return f.configMaps[name]
}

// whyUnreadable returns why a file of values cannot be read.
func whyUnreadable(name string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return diag.Quote(name) + " does not exist"
	}
	if known, ok := errors.AsType[*fs.PathError](err); ok {
		err = known.Err
	}
	return diag.Quote(name) + ": " + err.Error()
}

var errLeadsOut = errors.New("leads out of the repository")

// valuesIn reads a file of values once. Its path is relative to the top.
func (f *follower) valuesIn(of *find.File, name string) (*source.Source, error) {
	name, ok := gitops.Clean(name)
	if !ok {
		return nil, errLeadsOut
	}
	key := of.Top() + "\x00" + name
	if src, ok := f.values[key]; ok {
		return src, nil
	}
	src, err := f.plan.finder.ReadFollowed(f.plan.found.Tree, of, name)
	if err == nil {
		f.values[key] = src
	}
	return src, err
}
