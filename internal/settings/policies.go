package settings

import (
	"fmt"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/tuple"
)

// policies are the objects in the files with admission policies that a configuration names: the policies, their bindings, and
// everything else, to which they may refer.
type policies struct {
	objects []manifest.Node
	reads   *reads
	outside *outside
}

// policiesOf returns the policies of a configuration; nil if it names none.
func (e *Resolver) policiesOf(files []find.Auxiliary) (*policies, error) {
	if len(files) == 0 {
		return nil, nil
	}
	key := readsOf(files)
	if known, ok := e.policies[key]; ok {
		return known, nil
	}
	if e.earlier != nil {
		if known := e.earlier.policies[key]; known != nil && known.reads.areTrue() {
			e.addPolicies(key, known)
			return known, nil
		}
	}
	p := &policies{reads: e.reads(), outside: e.outside()}
	base := find.Base{Dir: e.base.Dir, Tree: p.reads}
	hasPolicy, seen := false, map[string]bool{}
	for _, a := range files {
		b := p.outside.base(base, a)
		found, failures := find.Schemas(b, a.Path)
		if len(failures) > 0 {
			return nil, p.outside.wrap("policies", a, failures[0])
		}
		for _, f := range found {
			if seen[filepath.Clean(f.Name)] {
				continue
			}
			seen[filepath.Clean(f.Name)] = true
			src, err := f.Source(b.Tree, disk.Schemas, a.Private)
			if err != nil {
				return nil, p.outside.wrap("policies", a, err)
			}
			objects := policy.Find(src, search.For("kind"), func(group, kind string) bool {
				hasPolicy = hasPolicy || policy.IsPolicy(group, kind)
				return true
			})
			p.objects = append(p.objects, objects...)
		}
	}
	if !hasPolicy {
		return nil, fmt.Errorf("policies: no ValidatingAdmissionPolicy in %s", files[0].Path)
	}
	e.addPolicies(key, p)
	return p, nil
}

func (e *Resolver) addPolicies(key tuple.List[read], p *policies) {
	if e.policies == nil {
		e.policies = map[tuple.List[read]]*policies{}
	}
	e.policies[key] = p
}

// Policies returns the admission policies that the settings name, and the objects to which they may refer.
func (s *Resolved) Policies() []manifest.Node {
	if s.policies == nil {
		return nil
	}
	return s.policies.objects
}
