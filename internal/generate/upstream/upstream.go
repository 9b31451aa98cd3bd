// Package upstream extracts what kindvet knows about the built-in kinds of Kubernetes from Kubernetes' own sources.
//
// It reads the modules k8s.io/kubernetes and k8s.io/api of each supported minor version, and returns the union of all
// of them as files for rules/kinds/kubernetes:
//
//	kinds.tsv      the kinds that can be created, and the minor versions that serve them
//	types.yaml     their types, in the vocabulary of CRD schemas, with since and until marks
//	gates.tsv      the feature gates, and the first minor versions in which they are on, beta and stable
//	lifecycle.tsv  the API versions that are deprecated or removed, and their replacements
//
// kindvet itself does not use it. A test of this package writes the files.
package upstream

import "fmt"

// Releases are the supported minor versions of Kubernetes with their newest patch, oldest first.
var Releases = [...]Release{
	{29, 6}, {30, 14}, {31, 14}, {32, 13}, {33, 13}, {34, 4}, {35, 4}, {36, 3}, {37, 2},
}

// Release is a version 1.Minor.Patch of Kubernetes.
type Release struct{ Minor, Patch int }

// Modules are the directories with the modules of one minor version.
type Modules struct {
	Minor      int
	Kubernetes string // of k8s.io/kubernetes
	API        string // of k8s.io/api
}

// File is a generated file.
type File struct {
	Name string
	Text []byte
}

// Files returns the files that follow from the modules, which are in the order of their versions.
func Files(modules []Modules) ([]File, error) { return files(modules, fieldGates) }

func files(modules []Modules, fieldGates map[[2]string]string) ([]File, error) {
	var versions []version
	for _, m := range modules {
		v, err := readVersion(m)
		if err != nil {
			return nil, fmt.Errorf("version 1.%d: %w", m.Minor, err)
		}
		versions = append(versions, v)
	}
	kinds := mergeKinds(versions)
	types, err := mergeTypes(versions)
	if err != nil {
		return nil, err
	}
	gates := mergeGates(versions)
	if err := setGates(types, versions[0].minor, gates, fieldGates); err != nil {
		return nil, err
	}
	return []File{
		{"kinds.tsv", writeKinds(kinds)},
		{"types.yaml", writeTypes(types)},
		{"gates.tsv", writeGates(gates)},
		{"lifecycle.tsv", writeLifecycles(mergeLifecycles(versions, kinds))},
	}, nil
}

// version is what one minor version of Kubernetes says.
type version struct {
	minor int
	kinds []kind
	types map[string]*object
	gates map[string]gate

	lifecycles []lifecycle
}

func readVersion(m Modules) (version, error) {
	v := version{minor: m.Minor}
	var err error
	if v.kinds, err = readKinds(m); err != nil {
		return v, err
	}
	if v.gates, err = readGates(m); err != nil {
		return v, err
	}
	if v.lifecycles, err = readLifecycles(m); err != nil {
		return v, err
	}
	if v.types, err = readTypes(m, v.kinds); err != nil {
		return v, err
	}
	return v, addSources(v.types, m)
}
