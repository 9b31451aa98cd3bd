package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

var (
	makesError = regexp.MustCompile(`field\.(Invalid|TypeInvalid|Required|Forbidden|NotSupported|Duplicate|TooLong|TooLongMaxLength|TooLongCharacters|TooShort|TooMany|TooFew|InternalError|NotFound)(?:\[[\w.]+\])?\(`)
	isFunction = regexp.MustCompile(`^func (?:\([^)]*\) )?(\w+)`)
)

// ScanSites returns the error sites in the validation packages of kubernetes and apimachinery below the directories of
// these modules.
func ScanSites(kubernetes, apimachinery string) ([]parity.ErrorSite, error) {
	var files []string
	for _, pattern := range []string{
		filepath.Join(kubernetes, "pkg", "apis", "*", "validation", "*.go"),
		filepath.Join(apimachinery, "pkg", "api", "validation", "objectmeta.go"),
		filepath.Join(apimachinery, "pkg", "apis", "meta", "v1", "validation", "validation.go"),
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	var sites []parity.ErrorSite
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.Base(file), "zz_") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sites = append(sites, scan(shortFile(filepath.ToSlash(file)), text)...)
	}
	return sites, nil
}

// shortFile returns the last three steps of a path.
func shortFile(file string) string {
	steps := strings.Split(file, "/")
	return strings.Join(steps[max(0, len(steps)-3):], "/")
}

func scan(file string, text []byte) []parity.ErrorSite {
	var sites []parity.ErrorSite
	function := ""
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := isFunction.FindSubmatch(line); m != nil {
			function = string(m[1])
		}
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			continue
		}
		for _, m := range makesError.FindAllSubmatch(line, -1) {
			sites = append(sites, parity.ErrorSite{File: file, Line: i + 1, Function: function, Type: string(m[1]), State: "open"})
		}
	}
	return sites
}

// KeepStates copies the states and notes of an older table. A site is the same in another version of upstream if it
// is the same error in order of the same function.
func KeepStates(sites, older []parity.ErrorSite) {
	was := byFunction(older)
	for name, indexes := range byFunction(sites) {
		if len(was[name]) != len(indexes) {
			continue // which ones are new?
		}
		for n, i := range indexes {
			sites[i].State, sites[i].Note = older[was[name][n]].State, older[was[name][n]].Note
		}
	}
}

// byFunction returns the indexes of the sites in the same function that make errors of the same type.
func byFunction(sites []parity.ErrorSite) map[string][]int {
	indexes := map[string][]int{}
	for i, s := range sites {
		name := strings.Join([]string{s.File, s.Function, s.Type}, " ")
		indexes[name] = append(indexes[name], i)
	}
	return indexes
}
