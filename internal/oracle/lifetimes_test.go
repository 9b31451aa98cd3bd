package oracle

import (
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	upstream "k8s.io/apiserver/pkg/cel/environment"

	"github.com/kindvet/kindvet/internal/cel/library"
)

// A server allows in new expressions what the version before has, and in stored ones what it has itself. Upstream's code can
// be asked for the new expressions of each version, and for the stored ones of its own.
func TestTheTableOfVersionsIsThatOfTheServer(t *testing.T) {
	const newest = 37
	stored := overloadsOf(t, upstream.MustBaseEnvSet(version.MajorMinor(1, newest-1)).StoredExpressionsEnv())
	allowed := map[int]func(string) bool{}
	for minor := 29; minor <= newest+1; minor++ {
		allowed[minor] = overloadsOf(t, upstream.MustBaseEnvSet(version.MajorMinor(1, uint(minor-1))).NewExpressionsEnv())
	}
	for _, l := range library.Lifetimes() {
		for _, name := range l.Overloads {
			if name == library.Keyword {
				continue // the types of variables decide about it
			}
			if have, want := l.Last == 0, stored(name); have != want {
				t.Errorf("%s: %s in stored expressions of 1.%d: have %v, want %v", l.Library, name, newest, have, want)
			}
			for minor, allows := range allowed {
				cameWithCELGo := l.Library == "optional types, version 2" || l.Last > 0
				if minor < newest && cameWithCELGo || l.Gate != "" {
					continue
				}
				if have, want := l.New <= minor && l.Last == 0, allows(name); have != want {
					t.Errorf("%s: %s in new expressions of 1.%d: have %v, want %v", l.Library, name, minor, have, want)
				}
			}
		}
	}
}

// overloadsOf reports whether an environment has an overload, a type or a syntax.
func overloadsOf(t *testing.T, env *cel.Env) func(string) bool {
	t.Helper()
	known := map[string]bool{}
	for _, f := range env.Functions() {
		for _, o := range f.OverloadDecls() {
			known[o.ID()] = true
		}
	}
	return func(name string) bool {
		if name == library.TwoVariables {
			_, issues := env.Compile("[1].all(i, v, true)")
			return issues.Err() == nil
		}
		_, isType := env.CELTypeProvider().FindIdent(name)
		return known[name] || isType
	}
}
