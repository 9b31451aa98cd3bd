package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/releases"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/workspace"
)

// registryFlags adds the flags that select the source of kinds to a command.
func registryFlags(c *cobra.Command, o *workspace.Options) {
	kindFlags(c, o, kubernetesVersion{minors: &o.Settings.Kubernetes}, "")
}

// kindFlags adds the flags that select the source of kinds, for one or several versions of Kubernetes.
func kindFlags(c *cobra.Command, o *workspace.Options, version pflag.Value, several string) {
	c.Flags().StringArrayVarP(&o.Settings.Schemas, "schemas", "s", nil,
		"`PATH` of CRDs: a file, a directory or a Helm chart; they take precedence over built-in kinds (repeatable)")
	c.Flags().Var(version, "kubernetes-version",
		fmt.Sprintf("`VERSION` of Kubernetes whose kinds apply, such as 1.%d%s (default: the newest)",
			catalog.NewestKubernetes-3, several))
	c.Flags().Var((*featureGates)(&o.Settings.FeatureGates), "feature-gate",
		"`NAME=BOOL`: a feature gate that the API server turns on or off, such as HPAScaleToZero=true (repeatable)")
	c.Flags().StringVar(&o.Files.Config, "config", "",
		"configuration `FILE` for all paths instead of the nearest .kindvet.yaml; none disables configuration")
}

// kubernetesVersion is the value of the flag --kubernetes-version. It allows several versions for a check.
type kubernetesVersion struct {
	minors  *[]int
	several bool
}

func (v kubernetesVersion) String() string {
	var list []string
	if v.minors != nil {
		for _, minor := range *v.minors {
			list = append(list, "1."+strconv.Itoa(minor))
		}
	}
	return strings.Join(list, ",")
}

func (v kubernetesVersion) Type() string { return "Kubernetes version" }

func (v kubernetesVersion) Set(text string) error {
	minors, err := catalog.ParseVersions(strings.Split(text, ",")...)
	if err == nil && len(minors) > 1 && !v.several {
		err = errors.New("use a single version: only a check can have several")
	}
	if err == nil {
		*v.minors = minors
	}
	return err
}

// featureGates is the value of the flag --feature-gate. Each text adds to the gates, and a later one wins.
type featureGates map[string]bool

func (g *featureGates) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(*g)) {
		list = append(list, fmt.Sprintf("%s=%t", name, (*g)[name]))
	}
	return strings.Join(list, ",")
}

func (g *featureGates) Type() string { return "feature gate" }

func (g *featureGates) Set(text string) error {
	all := maps.Clone(*g)
	if all == nil {
		all = featureGates{}
	}
	for entry := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(entry, "=")
		on, err := strconv.ParseBool(value)
		if name == "" || err != nil {
			return errors.New("use NAME=true or NAME=false")
		}
		if near, ok := catalog.NearestGate(name); ok {
			return fmt.Errorf("unknown feature gate %q; did you mean %s?", name, near)
		}
		all[name] = on
	}
	*g = all
	return nil
}

// registryOf returns the kinds that apply to the files in the working directory. The command must have registryFlags.
func registryOf(c *cobra.Command, s *Streams, o *workspace.Options) (registry *catalog.Catalog, err error) {
	err = completeFlags(c, s, flagsOfRegistry(c.Flags()), func() error {
		if o.Files.Base, err = here(); err != nil {
			return err
		}
		registry, err = workspace.Catalog(turnedOff(*o))
		return err
	})
	return registry, err
}

// here returns the base for all paths that a user types: the working directory.
func here() (find.Base, error) {
	dir, err := os.Getwd()
	return find.OnDisk(dir), err
}

// turnedOff turns configuration files off if --config is none.
func turnedOff(o workspace.Options) workspace.Options {
	if o.Files.Config == "none" {
		o.Files.Config, o.Files.NoConfig = "", true
	}
	return o
}

func configCommand(s *Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Create and check configuration files",
	}
	addGroup(c, configCheckCommand(s), configSchemaCommand(s), configInitCommand(s))
	return c
}

func configCheckCommand(s *Streams) *cobra.Command {
	color := "auto"
	c := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Check configuration files and the files they name",
		Long: `Check configuration files, the files they extend, and the schemas and rules they name. The default FILE is the configuration of the
current directory.

Exit codes: 0 for no findings, 1 for findings, 2 if a file cannot be read.`,
		RunE: func(_ *cobra.Command, args []string) error {
			colored, err := wantsColor(color, s.OutIsTerminal, s.Getenv)
			if err != nil {
				return err
			}
			return checkConfig(s, args, colored)
		},
	}
	c.Flags().StringVar(&color, "color", color, "`WHEN` to color the report: auto, always or never")
	return c
}

func checkConfig(s *Streams, names []string, colored bool) error {
	base, err := here()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		name, err := find.FindConfig(base)
		if err != nil {
			return err
		}
		names = []string{name}
	}
	var violations []diag.Violation
	for _, name := range names {
		found, err := settings.CheckConfig(base, name)
		if err != nil {
			return err
		}
		violations = append(violations, found...)
	}
	diag.SortViolations(violations)
	if err := render.Text(s.Out, &diag.Report{Violations: violations}, render.Options{Color: colored}); err != nil {
		return err
	}
	if len(violations) > 0 {
		return failed{exitViolations}
	}
	return nil
}

func configSchemaCommand(s *Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration file",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.Out, config.JSONSchema())
			return err
		},
	}
}

func configInitCommand(s *Streams) *cobra.Command {
	detect := false
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration file to start from",
		Long: "Write " + config.Names[0] + ` to the working directory, as a file to start from. An existing file is not
changed.

With --detect, the file lists the directories with CRDs below the working directory (schemas), maps
built-in API groups to those that the manifests use (names), and has the feature gates and API versions that the configuration
of a cluster turns on (Talos, kubeadm, Cluster API, k3s, RKE2 and kind).`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var detected config.Detected
			if detect {
				base, err := here()
				if err != nil {
					return err
				}
				if detected, err = workspace.Detect(c.Context(), base); err != nil {
					return err
				}
				kinds, documents, err := workspace.Unvalidated(c.Context(), base)
				if err != nil {
					return err
				}
				if needs, _ := releases.Projects(kinds); len(needs) > 0 {
					defer s.say(fmt.Sprintf("%s without a schema; to add those of %s: kindvet schemas add --detect",
						diag.Count(documents, "document"), diag.Count(len(needs), "known project")))
				}
			}
			f, err := os.OpenFile(config.Names[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return errors.New(config.Names[0] + " already exists")
			}
			if err != nil {
				return err
			}
			_, err = f.WriteString(detected.Text())
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			text := "wrote " + config.Names[0]
			if detect {
				text += ": " + detectedWords(&detected)
			}
			_, err = fmt.Fprintln(s.Err, text)
			return err
		},
	}
	c.Flags().BoolVar(&detect, "detect", false, "write schemas and names for the CRDs and manifests found")
	return c
}

// detectedWords describes what a detected configuration sets.
func detectedWords(d *config.Detected) string {
	switches := len(d.FeatureGates) + len(d.APIs)
	if len(d.Groups)+len(d.Schemas)+switches == 0 {
		return "found no CRDs and no renamed built-in kinds, so every setting is a comment"
	}
	groups, paths := diag.Count(len(d.Groups), "group"), diag.Count(len(d.Schemas), "path")
	text := fmt.Sprintf("%s of built-in kinds, %s with CRDs", groups, paths)
	if switches > 0 {
		text += ", " + diag.Count(switches, "setting") + " of an API server"
	}
	return text
}
