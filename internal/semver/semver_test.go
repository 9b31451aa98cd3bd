package semver

import (
	"fmt"
	"strings"
	"testing"

	upstream "github.com/Masterminds/semver/v3"
)

var versions = []string{
	"", "1", "v1.2", "1.2.3", "v1.2.3-alpha.1+build.5", "1.2.3-0", "1.2.3-01", "1.2.3-a.b", "1.2.3-a..b", "01.2.3",
	"1.2.3+", "1.2.3+01", "1.2.3-", "99999999999999999999.0.0", "x", "1.x", "1.2.3.4", "0.0.0", "0.0.1", "0.1.0", "0.1.5",
	"1.0.0", "1.2.4", "1.3.0", "2.0.0", "2.0.0-rc.1", "2.0.0-rc.2", "2.0.0-rc.10", "2.0.0-rc", "2.0.0-1", "2.0.0-a",
	"11.1.0", "1.34.0", " 1.2.3", "V1.2.3", "1.2.3-é",
}

var constraints = []string{
	">=1.0.0-0 <3", "<3 >=1.0.0-0", ">1 <3-0 <4", "", "*", "x", "1", "1.x", "1.2.x", "1.2", "1.2.3", "=1.2.3", "!=1.2.3", "!=1.2", "!=1", "!=1.2.x-a", ">1", ">1.2",
	">1.2.3", ">=1.2", ">=1.2.3-0", "<2", "<2.0.0-0", "<=1.2", "<=1", "<=1.2.3", "=<1.2.3", "=>1.2.3", "~1", "~1.2",
	"~1.2.3", "~>1.2", "~0.0.0", "~0", "^1", "^1.2", "^0", "^0.0", "^0.1", "^0.1.2", "^0.0.1", "^2.0.0-rc.1",
	">=1.0.0 <2", ">=1.0.0, <2.0.0", "1.0 - 2.0", "1.0.0 - 1.2.x", "^1 || ^2.0.0-0", "<1 || >=2", "latest",
	">= 1.2.3 foo", "1.2.3 ||", "||", ">= 1.19-0", ">=1.19.0-0 <1.99.0-0", "^x", "~*", "> 1.2.3,", "1.2.3.4", ">==1",
	"!= 1.2.3, >1", "  ^1.2.3  ", "1.2.3 - 2", "v1.2.3", ">v1", "1|2", "<=x", ">x", "!=x",
}

// Helm decides with the library which dependencies and templates count.
func TestVersionsAndConstraintsAreThoseOfTheLibrary(t *testing.T) {
	for _, text := range versions {
		have, err := NewVersion(text)
		want, wantErr := upstream.NewVersion(text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%q: have %v, want %v", text, err, wantErr)
		}
		if err != nil || wantErr != nil {
			continue
		}
		compareParts(t, text, have, want)
		for _, other := range versions {
			a, err := NewVersion(other)
			if err != nil {
				continue
			}
			if b := upstream.MustParse(other); have.Compare(a) != want.Compare(b) || have.Equal(a) != want.Equal(b) ||
				have.LessThanEqual(a) != want.LessThanEqual(b) {
				t.Errorf("%q and %q: have %d, want %d", text, other, have.Compare(a), want.Compare(b))
			}
		}
		for _, constraint := range constraints {
			c, err := NewConstraint(constraint)
			d, wantErr := upstream.NewConstraint(constraint)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%q: have %v, want %v", constraint, err, wantErr)
			} else if err == nil && c.Check(have) != d.Check(want) {
				t.Errorf("%q in %q: have %v, want %v", text, constraint, c.Check(have), d.Check(want))
			}
		}
	}
}

func compareParts(t *testing.T, text string, have *Version, want *upstream.Version) {
	t.Helper()
	parts := func(v interface {
		Major() uint64
		Minor() uint64
		Patch() uint64
		Prerelease() string
		Metadata() string
		String() string
		Original() string
		MarshalJSON() ([]byte, error)
	}) string {
		json, err := v.MarshalJSON()
		return fmt.Sprint(v.Major(), v.Minor(), v.Patch(), v.Prerelease(), v.Metadata(), v.String(), v.Original(),
			string(json), err)
	}
	if a, b := parts(have), parts(want); a != b {
		t.Errorf("%q: have %s, want %s", text, a, b)
	}
	a, b := [3]Version{have.IncMajor(), have.IncMinor(), have.IncPatch()},
		[3]upstream.Version{want.IncMajor(), want.IncMinor(), want.IncPatch()}
	for i := range a {
		if parts(&a[i]) != parts(&b[i]) {
			t.Errorf("%q: have %s, want %s", text, parts(&a[i]), parts(&b[i]))
		}
	}
	for _, suffix := range []string{"", "a", "a.01", "ä", "1.b", "a..b"} {
		v, err := have.SetPrerelease(suffix)
		w, wantErr := want.SetPrerelease(suffix)
		if parts(&v) != parts(&w) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%q with prerelease %q: have %s, %v, want %s, %v", text, suffix, parts(&v), err, parts(&w), wantErr)
		}
		v, err = have.SetMetadata(suffix)
		w, wantErr = want.SetMetadata(suffix)
		if parts(&v) != parts(&w) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%q with metadata %q: have %s, %v, want %s, %v", text, suffix, parts(&v), err, parts(&w), wantErr)
		}
	}
}

func TestConstraintsHaveALimit(t *testing.T) {
	long := strings.Repeat(" ", maxConstraint-len(">1")) + ">1"
	if _, err := NewConstraint(long); err != nil {
		t.Error(err)
	}
	if _, err := NewConstraint(long + " "); err == nil {
		t.Error("a constraint that is too long is read")
	}
}
