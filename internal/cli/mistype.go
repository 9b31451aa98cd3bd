package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/nearest"
)

// addGroup adds subcommands to a command that does nothing by itself. Without a subcommand it prints its help. It
// fails if the subcommand is unknown.
func addGroup(c *cobra.Command, below ...*cobra.Command) {
	c.AddCommand(below...)
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(c, args[0])
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.SetFlagErrorFunc(func(flagged *cobra.Command, err error) error {
		if args := flagged.Flags().Args(); flagged == c && len(args) > 0 { // the flags belong to the unknown command
			return unknownCommand(c, args[0])
		}
		return unusable(flagged, err)
	})
}

// nameArguments makes commands name their arguments if the number of them is wrong.
func nameArguments(c *cobra.Command) {
	for _, below := range c.Commands() {
		nameArguments(below)
	}
	if count := c.Args; count != nil && !c.HasSubCommands() {
		c.Args = func(c *cobra.Command, args []string) error {
			if count(c, args) == nil {
				return nil
			}
			wrong := "too many arguments"
			if len(args) == 0 {
				wrong = "missing argument"
			}
			_, names, _ := strings.Cut(c.Use, " ")
			return fmt.Errorf("%s; use '%s'", wrong, strings.TrimSpace(c.CommandPath()+" "+names))
		}
	}
}

// helpCommand prints the help of any command.
func helpCommand(s *Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0 && of.HasSubCommands():
				return unknownCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			of.SetOut(s.Out)
			return of.Help()
		},
	}
}

// unknownCommand returns an error for an unknown command, with a suggestion.
func unknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
		if slices.Contains(below.SuggestFor, name) {
			return fmt.Errorf("unknown command %q; did you mean %q?", name, below.Name())
		}
	}
	for _, group := range c.Commands() { // "init" instead of "config init"
		for _, below := range group.Commands() {
			if below.Name() == name {
				return fmt.Errorf("unknown command %q; did you mean %q?", name, group.Name()+" "+name)
			}
		}
	}
	if near, ok := nearest.Name(name, names); ok {
		return fmt.Errorf("unknown command %q; did you mean %q?", name, near)
	}
	if _, err := os.Stat(name); err == nil && !c.HasParent() {
		return fmt.Errorf("unknown command %q; to check it, use 'kindvet validate %s'", name, name)
	}
	return fmt.Errorf("unknown command %q; see '%s --help'", name, c.CommandPath())
}

// unusable returns an error for invalid flags. For an unknown flag it includes a suggestion.
func unusable(c *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		err = invalidType(invalid.GetValue(), "--"+f.Name, f.Value.Type(), invalid)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%w; see '%s --help'", err, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near, ok := nearest.Name(unknown.GetSpecifiedName(), names)
	if i := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, unknown.GetSpecifiedName())
	}); i >= 0 && !ok {
		near, ok = names[i], true
	}
	if ok {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return fmt.Errorf("%w; see '%s --help'", err, c.CommandPath())
}
