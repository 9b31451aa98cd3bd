package builtin

import (
	"math/rand/v2"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/kindvet/kindvet/internal/parity"
)

// Mutator generates requests from valid manifests: with more fields, and with changes of shape. The same seed gives
// the same requests.
type Mutator struct {
	rand        *rand.Rand
	definitions definitions
	seeds       []seed
}

type seed struct {
	kind   string // such as "apps/v1 Deployment"
	object *yaml.Node
	schema *spec.Schema
}

// NewMutator returns a mutator that starts from manifests.
func NewMutator(manifests []string, start uint64) (*Mutator, error) {
	m := &Mutator{rand: rand.New(rand.NewPCG(start, 0)), definitions: newDefinitions()}
	for _, manifest := range manifests {
		object, err := parse(manifest)
		if err != nil {
			return nil, err
		}
		apiVersion, kind := field(object, "apiVersion").Value, field(object, "kind").Value
		s, err := m.definitions.of(schema.FromAPIVersionAndKind(apiVersion, kind))
		if err != nil {
			return nil, err
		}
		m.seeds = append(m.seeds, seed{apiVersion + " " + kind, object, s})
	}
	return m, nil
}

// Next generates a request. The name of the case says what was changed, and where.
func (m *Mutator) Next() parity.Case {
	return m.next(m.seeds[m.rand.IntN(len(m.seeds))])
}

func (m *Mutator) next(s seed) parity.Case {
	object := clone(s.object)
	var changes []string
	if m.rand.IntN(2) == 0 {
		if path, ok := m.addField(object, s.schema); ok {
			changes = append(changes, "field at "+path)
		}
	}
	for range 1 + m.rand.IntN(5)/4 {
		changes = append(changes, m.change(object, s.schema, changes))
	}
	c := parity.Case{Kind: s.kind, Name: strings.Join(changes, ", ")}
	if m.rand.IntN(5) == 0 {
		object, c.Kind = m.wrap(object, s.kind)
	}
	c.JSON = m.rand.IntN(3) == 0
	c.New = text(object, c.JSON)
	return c
}

// addField adds a known field somewhere in an object.
func (m *Mutator) addField(object *yaml.Node, s *spec.Schema) (string, bool) {
	sites := m.definitions.sites(object, "", s)
	for range 20 {
		i := m.rand.IntN(len(sites) + 1)
		if i == len(sites) {
			return m.definitions.addField(m.rand, object, s)
		}
		if name, ok := m.definitions.addField(m.rand, sites[i].value(), sites[i].schema); ok {
			return sites[i].path + "." + name, true
		}
	}
	return "", false
}

// change makes one change, often at or below a field that was added.
func (m *Mutator) change(object *yaml.Node, s *spec.Schema, changes []string) string {
	sites := m.definitions.sites(object, "", s)
	if len(changes) == 1 && m.rand.IntN(3) > 0 {
		if added, ok := strings.CutPrefix(changes[0], "field at "); ok {
			sites = below(sites, added)
		}
	}
	for len(sites) > 0 {
		at := sites[m.rand.IntN(len(sites))]
		change := mutations[m.rand.IntN(len(mutations))]
		if change.apply(m.rand, at) {
			return change.name + " at " + at.path
		}
	}
	return "nothing is left"
}

// below returns the sites at a path or below it.
func below(sites []site, path string) []site {
	var found []site
	for _, s := range sites {
		if s.path == path || strings.HasPrefix(s.path, path+".") || strings.HasPrefix(s.path, path+"[") {
			found = append(found, s)
		}
	}
	return found
}

// wrap makes an object an item of a list: one of any kind, or one of its own kind. Some kinds have no list.
func (m *Mutator) wrap(object *yaml.Node, kind string) (*yaml.Node, string) {
	apiVersion, name, _ := strings.Cut(kind, " ")
	items := []*yaml.Node{object}
	if m.rand.IntN(2) == 0 || !hasList(apiVersion, name) {
		items = append(items, mapping(plain("apiVersion"), plain("v1"), plain("kind"), plain("Namespace"), plain("metadata"), mapping(plain("name"), plain("a"))))
		if m.rand.IntN(2) == 0 {
			items[0], items[1] = items[1], items[0]
		}
		apiVersion, name = "v1", ""
	} else if m.rand.IntN(2) == 0 {
		object.Content = object.Content[4:] // the list states apiVersion and kind of its items
	}
	all := mapping(plain("apiVersion"), plain(apiVersion), plain("kind"), plain(name+"List"), plain("items"), list(items...))
	all.Style = 0
	return all, apiVersion + " " + name + "List"
}

func hasList(apiVersion, kind string) bool {
	_, err := newObject(schema.FromAPIVersionAndKind(apiVersion, kind+"List"))
	return err == nil
}
