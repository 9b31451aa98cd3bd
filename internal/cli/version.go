package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
)

// A release build sets these (-ldflags -X). Any other build knows its module version, and one inside a git clone its
// commit.
var version, commit, date string

// build says what a program was built from; its fields are the fields of 'version -o json'.
type build struct {
	Version string `json:"version"` // without a "v" where the release build says so, else as modules have it, "(devel)" if unknown
	Commit  string `json:"commit"`  // the whole hash; "" if unknown
	Date    string `json:"date"`    // of the commit, RFC 3339; "" if unknown
	// Modified means that the work tree had changes next to the commit.
	Modified bool `json:"modified"`
	// Registry is the hash of the embedded definitions of kinds: two programs that have it in common know the same
	// schemas.
	Registry string `json:"registry"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand(s *Streams) *cobra.Command {
	format := "text"
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and the hash of the built-in kinds",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			switch format {
			case "text":
				_, err := fmt.Fprintln(s.Out, b)
				return err
			case "json":
				return b.writeJSON(s.Out)
			}
			return invalidValue("output", format, "use text or json")
		},
	}
	c.Flags().StringVarP(&format, "output", "o", format, "output format: text or json")
	return c
}

// addVersionFlag gives the program the flag that installers and images ask for its version.
func addVersionFlag(root *cobra.Command, s *Streams) {
	wanted := root.Flags().Bool("version", false, "print the version")
	help := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if !*wanted {
			return help(c, args)
		}
		_, err := fmt.Fprintln(s.Out, thisBuild())
		return err
	}
}

// thisBuild returns what the running program was built from.
func thisBuild() build {
	b := newBuild(debug.ReadBuildInfo())
	b.Registry = catalog.Hash()
	return b
}

// versionText is the version alone, for reports.
func versionText() string { return newBuild(debug.ReadBuildInfo()).Version }

// newBuild puts together what the release build and what the go command have left in the program; the registry is not
// of that.
func newBuild(info *debug.BuildInfo, ok bool) build {
	b := build{
		Version: version, Commit: commit, Date: date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if ok {
		b.fill(info)
	}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	return b
}

// fill takes from the go command what the release build has not set.
func (b *build) fill(info *debug.BuildInfo) {
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			if b.Commit == "" {
				b.Commit = setting.Value
			}
		case "vcs.time":
			if b.Date == "" {
				b.Date = setting.Value
			}
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
}

// String is one line: the version, then what is known of the rest, hashes cut to twelve digits.
func (b build) String() string {
	var known []string
	if b.Commit != "" {
		state := ""
		if b.Modified {
			state = ", modified"
		}
		known = append(known, fmt.Sprintf("commit %.12s%s", b.Commit, state))
	}
	if b.Date != "" {
		known = append(known, b.Date)
	}
	known = append(known, fmt.Sprintf("registry %.12s", b.Registry), b.Go, b.Platform)
	return "kindvet " + b.Version + " (" + strings.Join(known, ", ") + ")"
}

func (b build) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}
