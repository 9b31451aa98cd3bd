package workspace

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
)

// lowerGated makes warnings of the errors that a feature gate would allow, if a file of the repository turns that gate on for a
// cluster, such as a configuration of Talos or a template of one. Which cluster the objects are for is not known. What the
// configuration or a flag sets counts.
//
// TODO(workspace): an editor searches the repository for each report with such an error.
func (p *plan) lowerGated(results [][]*check.Result) {
	search := gateSearch{tree: p.options.Files.Base.Tree, known: map[topGate]string{}}
	for i, parts := range results {
		if i >= len(p.units) {
			return
		}
		f := p.units[i].in()
		isGated := func(v diag.Violation) bool {
			return v.Gate != "" && v.Severity == diag.Error && !p.settings[f.Config].Server().Sets(v.Gate)
		}
		for j, r := range parts {
			if !slices.ContainsFunc(r.Violations, isGated) {
				continue
			}
			parts[j] = r.Clone() // results may be kept
			parts[j].Lower(func(v *diag.Violation) {
				if !isGated(*v) {
					return
				}
				if by := search.file(f.Top(), v.Gate); by != "" {
					v.Severity = diag.Warning
					v.Message += ", unless the server has the feature gate " + v.Gate
					v.Help = diag.Quote(by) + " turns it on: set featureGates: {" + v.Gate + ": true} in .kindvet.yaml"
				}
			})
		}
	}
}

// gateSearch looks for the file that turns on a feature gate.
type gateSearch struct {
	tree  find.Tree
	known map[topGate]string
}

type topGate struct{ top, gate string }

// file returns the name of the first file below the top of a repository that turns on a feature gate; "" for none.
func (s *gateSearch) file(top, gate string) (by string) {
	key := topGate{top, gate}
	if known, ok := s.known[key]; ok || top == "" {
		return known
	}
	turnsOn := regexp.MustCompile(`(?s)feature-?[gG]ates.{0,300}?\b` + regexp.QuoteMeta(gate) + `["']?\s*[=:]\s*["']?true\b`)
	files := clusterFiles{tree: s.tree}
	files.walk(top, 0, func(full, text string) bool {
		if turnsOn.MatchString(text) {
			by, _ = find.Below(top, full)
		}
		return by == ""
	})
	s.known[key] = by
	return by
}

// Limits of the search for the settings of clusters in a repository. It is only done for an error that a gate would allow, and to
// write a configuration.
const (
	maxClusterEntries = 20_000
	maxClusterBytes   = 64 << 20
	maxClusterDepth   = 30
)

// clusterFiles reads files that may set flags of servers, also as templates.
type clusterFiles struct {
	tree    find.Tree
	entries int
	bytes   int64
}

var clusterExtensions = []string{".yaml", ".yml", ".json", ".toml", ".conf", ".tf", ".nix", ".j2", ".tmpl", ".tpl"}

// walk calls visit for the texts of the files in and below a directory, until it returns false.
func (c *clusterFiles) walk(dir string, depth int, visit func(full, text string) bool) bool {
	entries, err := c.tree.ReadDir(dir)
	if err != nil || depth > maxClusterDepth {
		return true
	}
	for _, d := range entries {
		full := filepath.Join(dir, d.Name())
		if c.entries++; c.entries > maxClusterEntries || c.bytes > maxClusterBytes {
			return false
		}
		switch {
		case strings.HasPrefix(d.Name(), "."):
		case d.IsDir():
			if !c.walk(full, depth+1, visit) {
				return false
			}
		case d.Type()&fs.ModeType == 0 && slices.Contains(clusterExtensions, filepath.Ext(d.Name())):
			text, err := c.tree.Read(full, disk.Kustomization)
			c.bytes += int64(len(text))
			if err == nil && !visit(full, text) {
				return false
			}
		}
	}
	return true
}
