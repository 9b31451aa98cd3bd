package library

import (
	"errors"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Semver returns the functions of semantic versions, such as semver and isLessThan (k8s.io/apiserver,
// cel/library/semverlib.go, version 1).
func Semver() cel.EnvOption {
	version := apiservercel.SemverType
	text, textAndBool := []*cel.Type{cel.StringType}, []*cel.Type{cel.StringType, cel.BoolType}
	compare := func(name, overload string, result *cel.Type, f func(order int) ref.Val) cel.EnvOption {
		return method(name, overload, result,
			binary(func(v, other semver.Version) ref.Val { return f(v.Compare(other)) }), version, version)
	}
	part := func(name, overload string, f func(semver.Version) uint64) cel.EnvOption {
		return method(name, overload, cel.IntType, unary(func(v semver.Version) ref.Val { return types.Int(f(v)) }), version)
	}
	return newLibrary("kubernetes.Semver",
		cel.Function("semver",
			cel.Overload("string_to_semver", text, version,
				unary(func(text string) ref.Val { return parseSemver(text, false) })),
			cel.Overload("string_bool_to_semver", textAndBool, version, binary(parseSemver))),
		cel.Function("isSemver",
			cel.Overload("is_semver_string", text, cel.BoolType,
				unary(func(text string) ref.Val { return isSemver(text, false) })),
			cel.Overload("is_semver_string_bool", textAndBool, cel.BoolType, binary(isSemver))),
		compare("isGreaterThan", "semver_is_greater_than", cel.BoolType, isGreater),
		compare("isLessThan", "semver_is_less_than", cel.BoolType, isLess),
		compare("compareTo", "semver_compare_to", cel.IntType, asOrder),
		part("major", "semver_major", func(v semver.Version) uint64 { return v.Major }),
		part("minor", "semver_minor", func(v semver.Version) uint64 { return v.Minor }),
		part("patch", "semver_patch", func(v semver.Version) uint64 { return v.Patch }),
	)
}

func parseSemver(text string, normalize bool) ref.Val {
	v, err := versionOf(text, normalize)
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Semver{Version: v}
}

func isSemver(text string, normalize bool) ref.Val {
	_, err := versionOf(text, normalize)
	return types.Bool(err == nil)
}

// versionOf parses a version. If normalize is set, it may start with v, have fewer than three numbers, and numbers may
// start with zeros (k8s.io/apiserver, cel/library.normalizeAndParse).
func versionOf(text string, normalize bool) (semver.Version, error) {
	if !normalize {
		return semver.Parse(text)
	}
	parts := strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3)
	for i, part := range parts {
		if len(part) <= 1 {
			continue
		}
		part = strings.TrimLeft(part, "0")
		if part == "" || part[0] < '0' || '9' < part[0] {
			part = "0" + part
		}
		parts[i] = part
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return semver.Version{}, errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return semver.Parse(strings.Join(parts, "."))
}
