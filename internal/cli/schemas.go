package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/fetch"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/store"
)

func schemasCommand(s *Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "schemas",
		Short: "Keep CRDs in the repository for every run",
		Long: `Keep CustomResourceDefinitions (CRDs) in the repository, so that every run validates with them.

The CRDs are in .kindvet/schemas, one file each. The lock file .kindvet/schemas.lock names their sources and hashes.
Commit both. 'kindvet validate' finds them by itself, and fails if a file differs from the lock file.`,
		Example: `  kindvet schemas add --detect
  kindvet schemas check`,
	}
	addGroup(c, schemasAddCommand(s), schemasUpdateCommand(s), schemasCheckCommand(s), schemasListCommand(s),
		schemasRemoveCommand(s))
	return c
}

func schemasAddCommand(s *Streams) *cobra.Command {
	detect := false
	c := &cobra.Command{
		Use:   "add SOURCE...",
		Short: "Write the CRDs of sources to .kindvet/schemas",
		Long: `Write the CustomResourceDefinitions (CRDs) of sources to .kindvet/schemas, and their hashes to the lock file.
An existing source is replaced.

SOURCE is

  NAME@VERSION           a known project; 'kindvet schemas list --known' lists them
  NAME@VERSION//GROUP,GROUP
                         the kinds of some API groups of a known project
  PATH                   a file, a directory, a Helm chart, or an archive (.tgz, .zip)
  https://HOST/FILE      a YAML file, or an archive; //PATH selects a part of an archive
  git+https://HOST/REPOSITORY@TAG//PATH
                         a git repository at a tag or commit
  cluster                the current cluster, through kubectl

With --detect, it adds the known projects of all documents below the working directory that have no schema. Each has the
version that the repository uses: that of a HelmRelease, Application, Chart.yaml, kustomization, OCIRepository, git
revision or image. Without one, it is the newest version that is known.

Only this command and 'kindvet schemas update' use the network. They print what they fetch. They use https:// only, send
no credentials, and limit size and time. From a chart, they write the CRDs that are not templates.`,
		Example: `  kindvet schemas add --detect
  kindvet schemas add cert-manager@v1.16.2 argo-cd@v3.5.1
  kindvet schemas add ../crds/config/crd/bases
  kindvet schemas add https://example.com/releases/v1.2.0/crds.yaml
  kindvet schemas add git+https://git.example.com/platform/crds@v2.1.0//config/crd
  kindvet schemas add cluster`,
		Args: func(c *cobra.Command, args []string) error {
			if detect {
				return cobra.NoArgs(c, args)
			}
			return cobra.MinimumNArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			base, err := here()
			if err != nil {
				return err
			}
			h := storedSchemas{base, find.StoreOf(base)}
			if detect {
				return s.detectSchemas(c.Context(), h)
			}
			var sources []fetch.Source
			for _, text := range args { // detect an invalid source before the first one is fetched
				source, err := fetch.Parse(text)
				if err != nil {
					return err
				}
				sources = append(sources, source)
			}
			for _, source := range sources {
				if err := s.addSchemas(c.Context(), h, source); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&detect, "detect", false, "add the known projects of all documents that have no schema")
	return c
}

// say prints a progress message of a command.
func (s *Streams) say(line string) { fmt.Fprintln(s.Err, "kindvet: "+render.Clean(line)) }

// addSchemas fetches the CRDs of a source and adds them to a store.
func (s *Streams) addSchemas(ctx context.Context, h storedSchemas, source fetch.Source) error {
	crds, fetched, err := s.fetchSchemas(ctx, h, source)
	if err == nil {
		err = h.rejectOwn(source)
	}
	if err != nil {
		return err
	}
	return s.storeSchemas(h, source, fetched, crds)
}

// fetchSchemas fetches the CRDs of a source.
func (s *Streams) fetchSchemas(ctx context.Context, h storedSchemas, source fetch.Source) ([]store.CRD, *fetch.Fetched, error) {
	options := fetch.Options{
		Checked: checkedDirectory(h.store.Base), Say: s.say, GitProtocols: s.GitProtocols, GitSettings: s.GitSettings,
	}
	fetched, err := fetch.Fetch(ctx, source, options)
	if err != nil {
		return nil, nil, err
	}
	var crds []store.CRD
	var problems []string
	for _, f := range fetched.Files {
		some, unusable := store.Split(f)
		for _, c := range some {
			if group, _ := c.Kind(); source.Wants(group) {
				crds = append(crds, c)
			}
		}
		problems = append(problems, unusable...)
	}
	crds, conflicts := store.Unique(crds)
	s.sayList(problems, "not added: ")
	if !source.IsProject() { // whose list of paths decides
		s.sayList(conflicts, "not added: ")
	}
	if len(crds) == 0 {
		return nil, nil, fmt.Errorf("%s: no CustomResourceDefinition that can be used in %s", source.Text,
			diag.Count(len(fetched.Files), "file"))
	}
	return crds, fetched, nil
}

// storeSchemas adds the CRDs of a source to a store.
func (s *Streams) storeSchemas(h storedSchemas, source fetch.Source, fetched *fetch.Fetched, crds []store.CRD) error {
	if source.IsPath() {
		fetched.Source.Name = h.nameInLock(source.Name)
	}
	change, err := h.store.Add(fetched.Source, crds)
	if err != nil {
		return err
	}
	s.sayChange(h.store, source.Text, change)
	return nil
}

// checkedDirectory returns the repository that contains a directory or, outside repositories, the directory.
func checkedDirectory(dir string) string {
	var repositories git.Finder
	if top, ok := repositories.Top(dir); ok {
		return top
	}
	return dir
}

// maxListed limits how many lines of one type are printed. The output of a command should fit on a screen. The rest is
// counted.
const maxListed = 5

// sayList prints at most maxListed lines.
func (s *Streams) sayList(lines []string, prefix string) {
	for i, line := range lines {
		if i == maxListed {
			s.say(fmt.Sprintf("and %d more", len(lines)-i))
			return
		}
		s.say(prefix + line)
	}
}

func (s *Streams) sayChange(in store.Store, source string, change store.Change) {
	text := fmt.Sprintf("%s: %s written to %s", source, diag.Count(change.Written, "CRD"), in.Schemas())
	if change.Removed > 0 {
		text += fmt.Sprintf(", %d removed", change.Removed)
	}
	if len(change.Moved) > 0 {
		text += "; some were of " + strings.Join(change.Moved, ", ")
	}
	fmt.Fprintln(s.Out, render.Clean(text))
}

func schemasCheckCommand(s *Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Compare .kindvet/schemas with the lock file",
		Long: `Compare the files of .kindvet/schemas with the lock file. It prints each file that has changed, is missing, or is
not in the lock file.

Exit codes: 0 if all files are as in the lock file, 1 if not, 2 if kindvet failed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := storeHere()
			if err != nil {
				return err
			}
			content, err := h.store.Read()
			if err != nil {
				return err
			}
			for _, fault := range content.Faults {
				fmt.Fprintln(s.Out, render.Clean(fault.String()))
			}
			if len(content.Faults) > 0 {
				s.say("to write the files again: kindvet schemas add " + h.restore(content.Lock))
				return failed{exitViolations}
			}
			fmt.Fprintln(s.Out, render.Clean(fmt.Sprintf("%s: %s of %s, all as they were added", h.store.Schemas(),
				diag.Count(len(content.Files), "CRD"), diag.Count(len(content.Lock.Sources), "source"))))
			return nil
		},
	}
}

func schemasListCommand(s *Streams) *cobra.Command {
	known := false
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sources of .kindvet/schemas, or the known projects",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if known {
				return listKnown(s)
			}
			h, lock, err := lockHere()
			if err != nil {
				return err
			}
			for _, source := range lock.Sources {
				fmt.Fprintln(s.Out, render.Clean(fmt.Sprintf("%s: %s, groups %s", h.typed(source),
					diag.Count(len(source.Files), "CRD"), strings.Join(groups(source), ", "))))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&known, "known", false, "list the projects that are known by name, and their API groups")
	return c
}

func listKnown(s *Streams) error {
	for _, p := range projects.All() {
		var groups []string
		for _, g := range p.Groups {
			groups = append(groups, g.Name)
		}
		if _, err := fmt.Fprintf(s.Out, "%s: %s, groups %s\n", p.Source(), p.Title, strings.Join(groups, ", ")); err != nil {
			return err
		}
	}
	return nil
}

func schemasRemoveCommand(s *Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "remove SOURCE...",
		Short: "Remove sources and their CRDs from .kindvet/schemas",
		Example: `  kindvet schemas remove cert-manager
  kindvet schemas remove cert-manager@v1.16.2`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			h, lock, err := lockHere()
			if err != nil {
				return err
			}
			for _, text := range args {
				i := slices.IndexFunc(lock.Sources, func(s store.Source) bool { return h.isNamed(s, text) })
				if i < 0 {
					return fmt.Errorf("%s: no such source; 'kindvet schemas list' lists them", text)
				}
				change, _, err := h.store.Remove(lock.Sources[i].Name)
				if err != nil {
					return err
				}
				fmt.Fprintln(s.Out, render.Clean(fmt.Sprintf("%s: %s removed", text, diag.Count(change.Removed, "CRD"))))
			}
			return nil
		},
	}
}
