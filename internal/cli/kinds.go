package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/workspace"
)

func kindsCommand(s *Streams) *cobra.Command {
	var o workspace.Options
	c := &cobra.Command{
		Use:   "kinds [GROUP|KIND...]",
		Short: "List known kinds",
		Long: `List the kinds that are known in the current directory: those of Kubernetes, other built-in kinds with the names from the
configuration, and kinds from --schemas and the configuration. Arguments select API groups, such as apps or core, and
kinds by name, plural or short name.`,
		Example: `  kindvet kinds
  kindvet kinds apps batch
  kindvet kinds deploy svc`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			registry, err := registryOf(c, s, &o)
			if err != nil {
				return err
			}
			entries, err := selectKinds(registry.Entries(), args)
			if err != nil {
				return err
			}
			return printClean(s.Out, func(out io.Writer) error { return listKinds(out, entries) })
		},
	}
	registryFlags(c, &o)
	return c
}

func listKinds(out io.Writer, entries []*catalog.Entry) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tGROUP\tVERSIONS\tSCOPE\tLIST KIND")
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n",
			e.Name, groupName(e), strings.Join(e.Versions, ", "), e.Scope(), cmp.Or(e.ListName, "-"))
	}
	return w.Flush()
}

// groupName returns the API group of a kind, "core" for the group without a name.
func groupName(e *catalog.Entry) string { return cmp.Or(e.Group, "core") }

// selectKinds returns the kinds that arguments name, all without arguments. Each argument is an API group, or the
// kind, list kind, plural, short name or initials of a kind.
func selectKinds(entries []*catalog.Entry, args []string) ([]*catalog.Entry, error) {
	if len(args) == 0 {
		return entries, nil
	}
	names := func(arg string) func(*catalog.Entry) bool {
		return func(e *catalog.Entry) bool {
			return arg == groupName(e) || e.IsCalled(arg) || strings.EqualFold(arg, e.ListName)
		}
	}
	var selected []*catalog.Entry
	called := map[*catalog.Entry]bool{} // by their initials
	for _, arg := range args {
		if slices.ContainsFunc(entries, names(arg)) {
			continue
		}
		i := withInitials(entries, arg)
		if i < 0 {
			return nil, unknownKind(entries, arg)
		}
		called[entries[i]] = true
	}
	for _, e := range entries {
		if called[e] || slices.ContainsFunc(args, func(arg string) bool { return names(arg)(e) }) {
			selected = append(selected, e)
		}
	}
	return selected, nil
}

func unknownKind(entries []*catalog.Entry, name string) error {
	var known []string
	for _, e := range entries {
		known = append(known, e.Name, e.Plural, groupName(e))
	}
	if near, ok := nearest.Name(name, known); ok {
		return fmt.Errorf("unknown group or kind %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown group or kind %q; see 'kindvet kinds'", name)
}
