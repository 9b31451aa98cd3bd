package builtin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// ErrorSite is a place in upstream's source where validation makes an error.
type ErrorSite struct {
	// File is relative to its module's packages, such as core/validation/validation.go.
	File     string
	Line     int
	Function string
	// Type is the constructor of the error, such as Invalid.
	Type string
	// State is seen, elsewhere, together, missed, unreachable, left out, rule or open; see sites.tsv.
	State string
	// Note is our message or the reason of the state.
	Note string
}

// Name returns the name of the site in recorded cases.
func (s ErrorSite) Name() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// SitesHeader explains the columns of sites.tsv.
const SitesHeader = `# Every place in kube-apiserver ` + Version + ` where the validation of a built-in kind makes an error.
# seen: a recorded case gets there, and kindvet rejects it with this message at or near the same field.
# elsewhere: a recorded case gets there, and kindvet rejects it with this message, but at another field.
# together: a recorded case gets there only with other errors of the server, and kindvet reports this one of them.
# missed: a recorded case gets there, and kindvet allows it.
# unreachable: no create or apply gets there; the note says why.
# left out: kindvet does not check it; the note says why.
# rule: kindvet checks it as the note says, but no recorded case gets there.
# open: nobody has looked at it, and no recorded case gets there.
# file	line	function	type	state	note
`

var (
	makesError = regexp.MustCompile(`field\.(Invalid|TypeInvalid|Required|Forbidden|NotSupported|Duplicate|TooLong|TooLongMaxLength|TooLongCharacters|TooShort|TooMany|TooFew|InternalError|NotFound)(?:\[[\w.]+\])?\(`)
	isFunction = regexp.MustCompile(`^func (?:\([^)]*\) )?(\w+)`)
)

// ScanSites returns the error sites in the validation packages of kubernetes and apimachinery below the directories of
// these modules.
func ScanSites(kubernetes, apimachinery string) ([]ErrorSite, error) {
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
	var sites []ErrorSite
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

func scan(file string, text []byte) []ErrorSite {
	var sites []ErrorSite
	function := ""
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := isFunction.FindSubmatch(line); m != nil {
			function = string(m[1])
		}
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			continue
		}
		for _, m := range makesError.FindAllSubmatch(line, -1) {
			sites = append(sites, ErrorSite{File: file, Line: i + 1, Function: function, Type: string(m[1]), State: "open"})
		}
	}
	return sites
}

// ReadSites returns the sites of a table.
func ReadSites(text string) ([]ErrorSite, error) {
	var sites []ErrorSite
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 6 {
			return nil, fmt.Errorf("%d cells: %q", len(cells), line)
		}
		n, err := strconv.Atoi(cells[1])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		sites = append(sites,
			ErrorSite{File: cells[0], Line: n, Function: cells[2], Type: cells[3], State: cells[4], Note: cells[5]})
	}
	return sites, nil
}

// WriteSites returns the table of sites.
func WriteSites(sites []ErrorSite) string {
	var b strings.Builder
	b.WriteString(SitesHeader)
	for _, s := range sites {
		note := strings.Join(strings.Fields(s.Note), " ")
		fmt.Fprintf(&b, "%s\t%d\t%s\t%s\t%s\t%s\n", s.File, s.Line, s.Function, s.Type, s.State, note)
	}
	return b.String()
}

// KeepNotes copies the states and notes that people wrote from an older table, which may be that of another version. Lines
// move between versions, so a site is the one at the same position among those of its type in its function. If their number
// differs, somebody has to look at them again.
func KeepNotes(sites, older []ErrorSite) {
	was := byFunction(older)
	for of, now := range byFunction(sites) {
		if len(was[of]) != len(now) {
			continue
		}
		for i, s := range now {
			if o := older[was[of][i]]; slices.Contains([]string{"unreachable", "left out", "rule"}, o.State) {
				sites[s].State, sites[s].Note = o.State, o.Note
			}
		}
	}
}

// byFunction returns the indexes of sites by file, function and type.
func byFunction(sites []ErrorSite) map[[3]string][]int {
	of := map[[3]string][]int{}
	for i, s := range sites {
		key := [3]string{s.File, s.Function, s.Type}
		of[key] = append(of[key], i)
	}
	return of
}

// sitesOf returns the sites that a case reaches, sorted.
func sitesOf(c parity.Case) []string {
	var sites []string
	for _, cause := range c.Verdict.Causes {
		if cause.Site != "" {
			sites = append(sites, cause.Site)
		}
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}
