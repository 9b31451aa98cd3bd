package definition

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// stored requires that the versions stay that the status of the installed CRD lists, because the server keeps that status
// in an update (apiextensions-apiserver, validation.ValidateCustomResourceDefinitionStoredVersions). The schema of the
// kind requires that the storage version stays, with or without a status.
func (c *checker) stored(versions manifest.Node) {
	names := at(c.old, "status", "storedVersions")
	if !versions.Valid() || versions.Type() != manifest.List || !names.Valid() {
		return
	}
	listed := fieldsByName(versions, "name")
	storage := map[string]bool{}
	for version := range children(at(c.old, "spec", "versions")) {
		storage[version.TextAt("name")] = isTrue(version, "storage")
	}
	for name := range children(names) {
		version := name.Text()
		if _, ok := listed[version]; ok || version == "" || storage[version] {
			continue
		}
		c.add(versions, diag.Violation{
			Rule:    diag.ImmutableChanged,
			Message: "version " + version + " must stay, because objects may be stored in it",
			Help:    "keep it with served: false; remove it when no object is stored in it and status.storedVersions omits it",
			Related: []diag.Related{{Place: name.Place(), Message: "the status lists it"}},
		})
	}
}
