package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/fetch"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/releases"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/store"
	"github.com/kindvet/kindvet/internal/workspace"
)

// detectSchemas adds the schemas of the known projects that define the kinds without a schema.
func (s *Streams) detectSchemas(ctx context.Context, h storedSchemas) error {
	kinds, documents, err := workspace.Unvalidated(ctx, h.base)
	if err != nil {
		return err
	}
	needs, others := releases.Projects(kinds)
	if len(kinds) == 0 {
		s.say("each document has a schema, or is of a group of Kubernetes")
		return nil
	}
	lock, err := h.store.ReadLock()
	if err != nil {
		return err
	}
	for i := range needs {
		addStored(&needs[i], lock)
	}
	s.say(fmt.Sprintf("%s without a schema: %s of %s", diag.Count(documents, "document"),
		diag.Count(len(kinds), "kind"), diag.Count(len(needs), "known project")))
	missing, err := s.addNeeds(ctx, h, needs, false)
	if err != nil {
		return err
	}
	s.sayList(groupsWithoutProject(others), "no known project: ")
	return s.failedFor(missing, len(needs), "not added: ")
}

// failedFor returns the error that something was not done for some of all projects: exit code 1 if it was done for others.
func (s *Streams) failedFor(missing []string, all int, what string) error {
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) == all:
		return errors.New(what + strings.Join(missing, ", "))
	}
	s.say(what + strings.Join(missing, ", "))
	return failed{exitViolations}
}

// addStored adds the kinds of a project with very many kinds that are stored already, so that they are kept.
func addStored(need *releases.Need, lock store.Lock) {
	for _, source := range lock.Sources {
		name, list, isPart := strings.Cut(source.Name, "//")
		if !isPart || name != need.Project.Name {
			continue
		}
		for _, group := range strings.Split(list, ",") {
			need.Kinds = append(need.Kinds, releases.Kind{Group: group})
		}
	}
}

func groupsWithoutProject(kinds []releases.Kind) (groups []string) {
	for _, k := range kinds {
		groups = append(groups, k.Group)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// addNeeds adds the schemas of projects in the versions that the repository uses or, if it uses none, in the newest that
// is known. It returns those that could not be added.
func (s *Streams) addNeeds(ctx context.Context, h storedSchemas, needs []releases.Need, onlyChanges bool) (missing []string, err error) {
	uses, err := workspace.Releases(ctx, find.Base{Dir: checkedDirectory(h.store.Base), Tree: h.base.Tree})
	if err != nil {
		return nil, err
	}
	lock, err := h.store.ReadLock()
	if err != nil {
		return nil, err
	}
	for i := range needs {
		need := &needs[i]
		version, reason := need.Project.Verified, "the newest that is known; no file states a version"
		use, isUsed := releases.Newest(uses, need.Project.Name)
		if isUsed {
			version, reason = use.Version, fmt.Sprintf("%s in %s:%d", use.By, use.File, use.Line)
		}
		if onlyChanges && isStored(lock, need.Source(version)) {
			continue
		}
		s.say(need.Source(version) + ": " + reason)
		err := s.addNeed(ctx, h, need, version, !isUsed)
		if err != nil && isUsed && version != need.Project.Verified && ctx.Err() == nil {
			s.say(fmt.Sprintf("%s; %s is used instead", err, need.Source(need.Project.Verified)))
			err = s.addNeed(ctx, h, need, need.Project.Verified, true)
		}
		if ctx.Err() != nil {
			return missing, ctx.Err()
		}
		if err != nil {
			s.say(err.Error())
			missing = append(missing, need.Project.Name)
		}
	}
	return missing, nil
}

// isStored reports whether a lock file has a source in a version.
func isStored(lock store.Lock, text string) bool {
	source, err := fetch.ParseProject(text)
	return err == nil && slices.ContainsFunc(lock.Sources, func(s store.Source) bool {
		return s.Name == source.Name && s.Version == source.Version
	})
}

// addNeed adds the schemas of a project. isNewest reports whether nobody has chosen the version. It returns an error if
// they are not those of the kinds.
func (s *Streams) addNeed(ctx context.Context, h storedSchemas, need *releases.Need, version string,
	isNewest bool) error {
	source, err := fetch.ParseProject(need.Source(version))
	if err != nil {
		return err
	}
	crds, fetched, err := s.fetchSchemas(ctx, h, source)
	if err != nil {
		return err
	}
	var missing []string
	for _, k := range need.Kinds {
		has := func(c store.CRD) bool {
			group, kind := c.Kind()
			return group == k.Group && (kind == k.Kind || k.Kind == "")
		}
		_, isOfProject := projects.ForKind(k.Group, k.Kind)
		if isOfProject && !slices.ContainsFunc(crds, has) {
			missing = append(missing, k.Kind)
		}
	}
	if len(missing) > 0 && version != need.Project.Verified {
		return fmt.Errorf("%s has no CRD of %s", source.Text, strings.Join(missing, ", "))
	}
	fetched.Source.IsNewest = isNewest
	return s.storeSchemas(h, source, fetched, crds)
}

func schemasUpdateCommand(s *Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "update",
		Short: "Move known projects to the versions that the repository uses",
		Long: `Move the known projects of .kindvet/schemas to the versions that the repository uses: those of HelmReleases,
Applications, Chart.yaml, kustomizations, OCIRepositories, git revisions and images. A project that no file states a
version of moves to the newest version that is known. Other sources stay as they are.

Like 'kindvet schemas add', it uses the network.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			h, lock, err := lockHere()
			if err != nil {
				return err
			}
			needs := storedNeeds(lock)
			if len(needs) == 0 {
				return errors.New("no known project in " + h.store.Schemas())
			}
			missing, err := s.addNeeds(c.Context(), h, needs, true)
			if err != nil {
				return err
			}
			if err := s.failedFor(missing, len(needs), "not updated: "); err != nil {
				return err
			}
			after, err := h.store.ReadLock()
			if err != nil {
				return err
			}
			s.sayMoved(lock, after)
			return nil
		},
	}
}

// storedNeeds returns the known projects of a lock file with their kinds.
func storedNeeds(lock store.Lock) (needs []releases.Need) {
	for _, source := range lock.Sources {
		name, list, isPart := strings.Cut(source.Name, "//")
		p, ok := projects.Named(name)
		if !ok || source.From == "" {
			continue
		}
		need := releases.Need{Project: p, IsPart: isPart}
		if isPart {
			for _, group := range strings.Split(list, ",") {
				need.Kinds = append(need.Kinds, releases.Kind{Group: group})
			}
		}
		needs = append(needs, need)
	}
	return needs
}

// sayMoved prints which projects have another version now.
func (s *Streams) sayMoved(before, after store.Lock) {
	moved := 0
	for _, a := range after.Sources {
		i := slices.IndexFunc(before.Sources, func(b store.Source) bool { return b.Name == a.Name })
		if i >= 0 && before.Sources[i].Version != a.Version {
			moved++
			fmt.Fprintln(s.Out, render.Clean(fmt.Sprintf("%s: %s -> %s", a.Name, before.Sources[i].Version, a.Version)))
		}
	}
	if moved == 0 {
		s.say("every known project has the version that is used")
	}
}
