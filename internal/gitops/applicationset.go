package gitops

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Generated is what the generators of an ApplicationSet say about its template.
type Generated struct {
	// Directories are the patterns of a git generator, relative to the top of the repository.
	Directories []DirectoryPattern
	// Elements are those of list generators, by the names of their fields.
	Elements []map[string]string
}

// DirectoryPattern selects directories, or excludes them.
type DirectoryPattern struct {
	Path       string
	IsExcluded bool
}

// asTemplate notes what generators of an ApplicationSet fill in, and removes the values that have other statements.
// See https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Git/.
func (s *Source) asTemplate(root manifest.Node) {
	s.Generated = &Generated{}
	for _, generator := range field("spec.generators").items(root) {
		s.Generated.add(generator, true)
	}
	var inputs []chart.Input
	for _, in := range s.Set.Inputs {
		switch {
		case in.Key == "" && in.Value.Type() == manifest.String && strings.Contains(in.Value.Text(), "{{"):
			s.Set.IsPartial = true
		case in.Key == "" && has(in.Value, isStatement):
			var keys [][]string
			in.Values, _ = knownOf(in.Value, isStatement, nil, &keys).(map[string]any)
			s.Set.IsPartial, s.Set.HidesFields = true, true
			if in.Values != nil {
				inputs = append(inputs, in)
			}
		default:
			inputs = append(inputs, in)
		}
	}
	s.Set.Inputs = inputs
	if s.Edits != nil && strings.Contains(s.Edits.Fields.Text, "{{") || s.Files != nil && s.Files.hasStatement {
		s.Unknown = root.At("spec")
	}
}

func isStatement(text string) bool { return strings.Contains(text, "{{") }

// deepestGenerator is how many generators may be nested: those of Argo CD allow two levels.
const deepestGenerator = 2

// add adds a generator, or those that one combines. Elements of several lists that are combined are not known.
func (g *Generated) add(generator manifest.Node, isAlone bool) {
	g.addAt(generator, isAlone, deepestGenerator)
}

func (g *Generated) addAt(generator manifest.Node, isAlone bool, left int) {
	for _, item := range field("git.directories").items(generator) {
		if name := field("path").text(item); name != "" {
			g.Directories = append(g.Directories, DirectoryPattern{path.Clean(name), field("exclude").isSet(item)})
		}
	}
	for _, item := range field("list.elements").items(generator) {
		if element := textsOf(item); isAlone && element != nil {
			g.Elements = append(g.Elements, element)
		}
	}
	for _, list := range []field{"matrix.generators", "merge.generators"} {
		for _, nested := range list.items(generator) {
			if left > 0 {
				g.addAt(nested, false, left-1)
			}
		}
	}
}

// textsOf returns the scalars of a map; nil for no map.
func textsOf(n manifest.Node) map[string]string {
	if n.Type() != manifest.Map {
		return nil
	}
	texts := map[string]string{}
	for child := range n.Children() {
		if child.Type() != manifest.Map && child.Type() != manifest.List && child.Type() != manifest.Null {
			texts[child.Key()] = scalar(child)
		}
	}
	return texts
}

// parameter matches a statement that is the name of a parameter, in both languages of templates: {{path}}, {{ .path.path }}.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{-?\s*([.\w-]+)\s*-?\}\}`) })

// For returns the source of an element of a list.
func (s Source) For(element map[string]string) Source {
	return s.filled(func(name string) (string, bool) {
		value, ok := element[strings.TrimPrefix(name, ".")]
		return value, ok
	})
}

// In returns the source of a directory that a git generator has found.
func (s Source) In(dir string) Source {
	return s.filled(func(name string) (string, bool) {
		switch name {
		case "path", ".path.path":
			return dir, true
		case "path.basename", ".path.basename", "path.basenameNormalized", ".path.basenameNormalized":
			return path.Base(dir), true
		}
		return "", false
	})
}

// filled returns the source with the values of parameters. What other statements write is not known.
func (s Source) filled(value func(name string) (string, bool)) Source {
	fill := func(text string) string {
		return parameter().ReplaceAllStringFunc(text, func(found string) string {
			if value, ok := value(parameter().FindStringSubmatch(found)[1]); ok {
				return value
			}
			return found
		})
	}
	known := func(text string) string {
		if text = fill(text); isStatement(text) {
			return ""
		}
		return text
	}
	s.Generated = nil
	s.Path, s.URL, s.Revision = fill(s.Path), fill(s.URL), fill(s.Revision)
	s.Set.Release, s.Set.Namespace = known(s.Set.Release), known(s.Set.Namespace)
	s.ValueFiles = slices.Clone(s.ValueFiles)
	for i := range s.ValueFiles {
		s.ValueFiles[i].Path = fill(s.ValueFiles[i].Path)
	}
	var inputs []chart.Input
	for _, in := range s.Set.Inputs {
		if in.Key, in.Text = fill(in.Key), fill(in.Text); isStatement(in.Key) || isStatement(in.Text) {
			s.Set.IsPartial = true
			continue
		}
		inputs = append(inputs, in)
	}
	s.Set.Inputs = inputs
	return s
}

// HasDirectory reports whether the generator selects a directory. A directory is in each of the paths above it, too.
func (g *Generated) HasDirectory(dir string) bool {
	isSelected := false
	for _, p := range g.Directories {
		if found, err := path.Match(p.Path, dir); err == nil && found {
			if p.IsExcluded {
				return false
			}
			isSelected = true
		}
	}
	return isSelected
}
