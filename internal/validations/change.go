package validations

import (
	"strings"

	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// change is a part of a value that an update changes. If the update adds or removes the part, was or now is not valid,
// and the parent of the part takes its place.
type change struct {
	path               diag.Path // relative to the value
	now, was           manifest.Node
	isAdded, isRemoved bool
}

// changedLeaves returns the parts in which an object or a list differs from its old state, if a rule compared the two
// and they differ in at most blame.MaxNamed parts. It returns nil for a scalar, which is itself a leaf.
func changedLeaves(operands []blame.Operand) []change {
	var now, was manifest.Node
	for _, o := range operands {
		switch {
		case o.IsAbsent:
			return nil
		case o.IsOld && !was.Valid():
			was = o.Node
		case !o.IsOld && !now.Valid():
			now = o.Node
		}
	}
	if !now.Valid() || !was.Valid() || now.Type() != was.Type() ||
		now.Type() != manifest.Map && now.Type() != manifest.List {
		return nil
	}
	changes := appendChanges(nil, now, was, nil)
	if len(changes) > blame.MaxNamed || len(changes) == 1 && len(changes[0].path) == 0 {
		return nil
	}
	return changes
}

// appendChanges appends the parts in which two values differ. It stops when there are more than blame.MaxNamed.
func appendChanges(changes []change, now, was manifest.Node, path diag.Path) []change {
	switch {
	case len(changes) > blame.MaxNamed || manifest.Equal(now, was):
		return changes
	case now.Type() == manifest.Map && was.Type() == manifest.Map:
		return appendFieldChanges(changes, now, was, path)
	case now.Type() == manifest.List && was.Type() == manifest.List && now.Len() == was.Len():
		i := 0
		for x, y := now.First(), was.First(); x.Valid(); x, y = x.Next(), y.Next() {
			changes = appendChanges(changes, x, y, path.Item(i))
			i++
		}
		return changes
	}
	return append(changes, change{path: path, now: now, was: was})
}

func appendFieldChanges(changes []change, now, was manifest.Node, path diag.Path) []change {
	for x := now.First(); x.Valid() && len(changes) <= blame.MaxNamed; x = x.Next() {
		at := path.Field(x.Key())
		if y, ok := was.FieldHashed(x.Key(), x.KeyHash()); ok {
			changes = appendChanges(changes, x, y, at)
		} else {
			changes = append(changes, change{path: at, now: x, was: was, isAdded: true})
		}
	}
	for y := was.First(); y.Valid() && len(changes) <= blame.MaxNamed; y = y.Next() {
		if _, ok := now.FieldHashed(y.Key(), y.KeyHash()); !ok {
			at := path.Field(y.Key())
			changes = append(changes, change{path: at, now: now, was: y, isRemoved: true})
		}
	}
	return changes
}

// pointAtLeaves marks the first change, and adds the others and the old values as related places.
func pointAtLeaves(v *diag.Violation, changes []change) {
	v.Place, v.Related = changes[0].place(), nil
	var parts []string
	for i, c := range changes {
		parts = append(parts, c.text())
		if i > 0 {
			v.Related = append(v.Related, diag.Related{Place: c.place(), Message: "also changed"})
		}
		if !c.isAdded {
			v.Related = append(v.Related, diag.Related{Place: c.was.Place(), Message: "was " + blame.ValueText(c.was)})
		}
	}
	v.Help = strings.Join(parts, "; ")
}

// place returns the place of the changed value. If the value was removed, it returns the place of the object that
// lacks it.
func (c change) place() source.Place {
	if c.isRemoved {
		return blame.Operand{Node: c.now, IsAbsent: true}.Place()
	}
	return c.now.Place()
}

func (c change) text() string {
	switch {
	case c.isAdded:
		return c.path.String() + " is added: " + blame.ValueText(c.now)
	case c.isRemoved:
		return c.path.String() + " is removed, was " + blame.ValueText(c.was)
	}
	return c.path.String() + " is " + blame.ValueText(c.now) + ", was " + blame.ValueText(c.was)
}
