package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The release build writes the licenses of all code in the program with
//
//	go test ./cmd/kindvet -run TestLicenses -licenses "$PWD/.release/THIRD-PARTY-LICENSES"
var licenses = flag.String("licenses", "",
	"write the licenses of linked modules to this `file`, for the archives of a release")

// licenseName matches the names of files that state how the files next to them and below may be used.
var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// permissive are phrases of the licenses that the program may link without further duties than to include them.
var permissive = []string{
	"Apache License", "Permission is hereby granted, free of charge", "Redistribution and use in source and binary forms",
	"Permission to use, copy, modify, and/or distribute",
}

// linked is a package of the program, as 'go list' describes it.
type linked struct {
	ImportPath, Dir string
	Standard        bool
	Module          struct {
		Path, Version, Dir string
		Main               bool
	}
}

// An archive contains the license of each module that is linked on one of the platforms of a release, and Go's.
func TestLicensesOfAllLinkedCodeAreInTheArchives(t *testing.T) {
	modules := map[string]string{} // by path and version, the directory
	texts := map[string]map[string]string{}
	for _, p := range linkedPackages(t) {
		root, name := p.Module.Dir, p.Module.Path+" "+p.Module.Version
		switch {
		case p.Standard:
			root, name = goRoot(t), "Go"
		case p.Module.Main:
			continue
		}
		modules[name] = root
		if texts[name] == nil {
			texts[name] = map[string]string{}
		}
		for dir := p.Dir; len(dir) >= len(root); dir = filepath.Dir(dir) {
			maps.Copy(texts[name], licensesIn(t, root, dir))
		}
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		isFree := func(text string) bool {
			return slices.ContainsFunc(permissive, func(phrase string) bool { return strings.Contains(text, phrase) })
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(texts[name])), isFree) {
			t.Errorf("%s: no known license in %v", name, slices.Sorted(maps.Keys(texts[name])))
		}
		for _, file := range slices.Sorted(maps.Keys(texts[name])) {
			fmt.Fprintf(&all, "==== %s: %s\n\n%s\n\n", name, file, strings.TrimSpace(texts[name][file]))
		}
	}
	if len(modules) < 20 {
		t.Errorf("only %d modules are linked: %v", len(modules), slices.Sorted(maps.Keys(modules)))
	}
	if *licenses != "" {
		if err := os.WriteFile(*licenses, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// linkedPackages returns the packages of the program on all systems of a release.
func linkedPackages(t *testing.T) []linked {
	t.Helper()
	var all []linked
	for _, system := range readRelease(t).Builds[0].Goos {
		c := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "./cmd/kindvet")
		c.Dir = repository
		c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p linked
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
	}
	return all
}

// licensesIn returns the license files of a directory, by path below root.
func licensesIn(t *testing.T, root, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseName.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.ToSlash(name)] = readFile(t, filepath.Join(dir, e.Name()))
	}
	return texts
}

// goRoot returns the directory of the Go distribution. Some package managers install it without its license.
func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(out))
	if _, err := os.Stat(filepath.Join(root, "LICENSE")); err != nil && *licenses == "" {
		t.Skip("this Go distribution has no LICENSE")
	}
	return root
}
