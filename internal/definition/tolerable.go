package definition

// fault is a kind of fault that an update may have if the installed CRD has one, in any version
// (apiextensions-apiserver, validation.ValidateCustomResourceDefinitionUpdate).
type fault int

const (
	invalidType fault = iota // requireValidPropertyType
	setItems                 // requireAtomicSetType
	listKeys                 // requireMapListKeysMapSetValidation
	allFaults
)

// tolerable are the faults that a CRD has.
type tolerable [allFaults]bool

// tolerates notes that the document has a fault, and reports whether the server tolerates it.
func (c *checker) tolerates(f fault) bool {
	c.tolerable[f] = true
	if c.old.Valid() && c.tolerances == nil {
		installed := &checker{root: c.old}
		installed.check()
		c.tolerances = &installed.tolerable
	}
	return c.tolerances != nil && c.tolerances[f]
}
