package builtin

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// Mutator generates requests from valid manifests: with more fields, and with changes of shape and meaning. The same
// start gives the same requests.
type Mutator struct {
	rand        *rand.Rand
	definitions definitions
	pool        *pool
	seeds       []seed
	kinds       [][]seed // the seeds by kind, so that kinds with many seeds are not drawn more often
}

type seed struct {
	kind   string // such as "apps/v1 Deployment"
	object *yaml.Node
	schema *spec.Schema
}

// NewMutator returns a mutator that starts from manifests, without the kinds and fields that the version of Kubernetes
// does not have.
func NewMutator(manifests []string, start uint64) (*Mutator, error) {
	values, err := newPool()
	if err != nil {
		return nil, err
	}
	m := &Mutator{rand: rand.New(rand.NewPCG(start, 0)), definitions: newDefinitions(), pool: values}
	for _, manifest := range manifests {
		object, err := parse(manifest)
		if err != nil {
			return nil, err
		}
		apiVersion, kind := field(object, "apiVersion").Value, field(object, "kind").Value
		s, err := m.definitions.of(schema.FromAPIVersionAndKind(apiVersion, kind))
		if runtime.IsNotRegisteredError(err) {
			continue // in an older version
		}
		if err != nil {
			return nil, err
		}
		m.definitions.dropUnknown(object, s)
		m.pool.add(m.definitions, object, s)
		m.seeds = append(m.seeds, seed{apiVersion + " " + kind, object, s})
	}
	m.sortKinds()
	return m, nil
}

func (m *Mutator) sortKinds() {
	byKind := map[string][]seed{}
	for _, s := range m.seeds {
		byKind[s.kind] = append(byKind[s.kind], s)
	}
	m.kinds = nil
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		m.kinds = append(m.kinds, byKind[kind])
	}
}

// seed returns a seed of any kind.
func (m *Mutator) seed() seed {
	kind := m.kinds[m.rand.IntN(len(m.kinds))]
	return kind[m.rand.IntN(len(kind))]
}

// Next generates a request. The name of the case says what was changed, and where.
func (m *Mutator) Next() parity.Case {
	return m.next(m.seed())
}

// NextUpdate generates an update. The old object need not be valid.
func (m *Mutator) NextUpdate() parity.Case {
	return m.nextUpdate(m.seed())
}

func (m *Mutator) next(s seed) parity.Case {
	object := clone(s.object)
	c := parity.Case{Kind: s.kind}
	if m.rand.IntN(5) == 0 {
		c.Name = m.changeShapes(object, s)
		if m.rand.IntN(5) == 0 {
			object, c.Kind = m.wrap(object, s.kind)
		}
		c.JSON = m.rand.IntN(3) == 0
	} else {
		c.Name = m.changeMeanings(object, s, 1+m.rand.IntN(5)/3+m.rand.IntN(5)/4, everywhere)
		c.JSON = m.rand.IntN(10) == 0
	}
	c.New = text(object, c.JSON)
	return c
}

// nextUpdate generates an update of a seed, or of an object near it, with the same name.
func (m *Mutator) nextUpdate(s seed) parity.Case {
	for {
		if c := m.anyUpdate(s); !isExempt(c) {
			return c
		}
	}
}

// NextLive generates an update of a live object that may be invalid, as an older server may have stored it.
func (m *Mutator) NextLive() parity.Case {
	for {
		if c, ok := m.nextLive(m.seed()); ok {
			return c
		}
	}
}

// nextLive returns false if all that it draws is exempt.
func (m *Mutator) nextLive(s seed) (parity.Case, bool) {
	for range 10 {
		before := clone(s.object)
		c := parity.Case{Kind: s.kind}
		c.Name = "live after " + m.changeMeanings(before, s, 1+m.rand.IntN(3)/2, exceptIdentity)
		after := clone(before)
		if m.rand.IntN(3) > 0 {
			c.Name += ": " + m.changeMeanings(after, s, 1, exceptIdentity)
		}
		setUID(before)
		setUID(after)
		c.Old, c.New, c.Live = text(before, false), text(after, false), true
		if !isExempt(c) && !isExemptLive(c) {
			return c, true
		}
	}
	return parity.Case{}, false
}

// setUID gives an object the uid of the live one.
func setUID(object *yaml.Node) {
	metadata := field(object, "metadata")
	if metadata == nil {
		return // of a review
	}
	if uid := field(metadata, "uid"); uid != nil {
		*uid = *plain(liveUID)
		return
	}
	metadata.Content = append(metadata.Content, plain("uid"), plain(liveUID))
}

// isExemptLive reports whether a live object lacks what a server has set on creation, has a field that a server drops,
// or has invalid values that kindvet rejects although the server tolerates them: in label selectors, webhooks,
// devices, rules of an Ingress for a wildcard, and names of claims of a StatefulSet.
func isExemptLive(c parity.Case) bool {
	switch c.Kind {
	case "v1 Service":
		return strings.Contains(c.Old, "DualStack")
	case "v1 PersistentVolumeClaim":
		return strings.Contains(c.Old, "dataSource") || strings.Contains(c.Name, "elector")
	case "networking.k8s.io/v1 Ingress":
		return strings.Contains(c.Old, "*.")
	case "apps/v1 StatefulSet":
		return strings.Contains(c.Name, "volumeClaimTemplates") || strings.Contains(c.Old, "stopSignal")
	case "networking.k8s.io/v1 ServiceCIDR", "v1 Endpoints", "discovery.k8s.io/v1 EndpointSlice":
		_, change, _ := strings.Cut(c.Name, ": ") // {} and none, or "" and none, are the same to the server
		return strings.Contains(change, " at spec") || strings.Contains(change, " at subsets") ||
			strings.Contains(change, " at endpoints")
	case "storage.k8s.io/v1 CSIStorageCapacity":
		return strings.Contains(c.Name, "nodeTopology")
	case "resource.k8s.io/v1 ResourceSlice":
		return strings.Contains(c.Name, "spec.devices")
	}
	return strings.Contains(c.Name, "elector") || strings.Contains(c.Name, " webhooks")
}

// isExempt reports whether an update sets an integer of a CertificateSigningRequest, which the server cuts to 32 bits
// and then ignores.
func isExempt(c parity.Case) bool {
	return strings.HasSuffix(c.Kind, " CertificateSigningRequest") && strings.Contains(c.Name, "one more field at spec")
}

func (m *Mutator) anyUpdate(s seed) parity.Case {
	before := clone(s.object)
	c := parity.Case{Kind: s.kind}
	if n := m.rand.IntN(4); n > 1 {
		c.Name = "after " + m.changeMeanings(before, s, n-1, exceptIdentity) + ": "
	}
	if m.rand.IntN(8) == 0 {
		c.Name += m.repeatObject(before, s)
	}
	after := clone(before)
	c.Name += m.changeMeanings(after, s, 1+m.rand.IntN(3)/2, exceptIdentity)
	if m.rand.IntN(8) == 0 {
		c.Name += m.repeatObject(after, s)
	}
	c.Old, c.New = text(before, false), text(after, false)
	return c
}

// repeatObject repeats an object of a list. In many lists, kubectl apply makes one of them if they have the same key.
func (m *Mutator) repeatObject(object *yaml.Node, s seed) string {
	items := slices.DeleteFunc(m.definitions.sites(object, "", s.schema), func(at site) bool {
		return at.isField() || at.value().Kind != yaml.MappingNode || !exceptIdentity(at)
	})
	if len(items) == 0 {
		return ""
	}
	at := items[m.rand.IntN(len(items))]
	repeatItem(m, nil, at)
	return ", item repeated at " + at.path
}

func (m *Mutator) changeMeanings(object *yaml.Node, s seed, n int, where func(site) bool) string {
	var changes []string
	for range n {
		changes = append(changes, m.changeMeaning(object, s, where))
	}
	return strings.Join(changes, ", ")
}

func everywhere(site) bool { return true }

// exceptIdentity keeps what identifies an object in an update, and an integer that the server cuts to 32 bits and then
// ignores.
func exceptIdentity(s site) bool {
	return !strings.Contains(s.field, "v1.CertificateSigningRequestSpec.expirationSeconds") &&
		!slices.Contains([]string{"metadata", "metadata.name", "metadata.namespace", "metadata.generateName"}, s.path)
}

func (m *Mutator) changeShapes(object *yaml.Node, s seed) string {
	var changes []string
	if m.rand.IntN(2) == 0 {
		if path, ok := m.addField(object, s.schema); ok {
			changes = append(changes, "field at "+path)
		}
	}
	for range 1 + m.rand.IntN(5)/4 {
		changes = append(changes, m.change(object, s.schema, changes))
	}
	return strings.Join(changes, ", ")
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
		items = append(items,
			mapping(plain("apiVersion"), plain("v1"), plain("kind"), plain("Namespace"), plain("metadata"),
				mapping(plain("name"), plain("a"))))
		if m.rand.IntN(2) == 0 {
			items[0], items[1] = items[1], items[0]
		}
		apiVersion, name = "v1", ""
	} else if m.rand.IntN(2) == 0 {
		object.Content = object.Content[4:] // the list states apiVersion and kind of its items
	}
	all := mapping(plain("apiVersion"), plain(apiVersion), plain("kind"), plain(name+"List"), plain("items"),
		list(items...))
	all.Style = 0
	return all, apiVersion + " " + name + "List"
}

func hasList(apiVersion, kind string) bool {
	_, err := newObject(schema.FromAPIVersionAndKind(apiVersion, kind+"List"))
	return err == nil
}
