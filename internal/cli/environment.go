package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completeFlags gives the flags of a command that were not typed their values from the environment, and checks them all.
func completeFlags(c *cobra.Command, s *Streams, check func() error) error {
	env := environment{getenv: s.Getenv}
	if err := env.apply(c.Flags()); err != nil {
		return err
	}
	return env.blame(check())
}

// environment gives flags that were not typed the values of environment variables: --fail-on that of KINDVET_FAIL_ON. A list has
// commas between its items.
type environment struct {
	getenv func(string) string
	// flags are those that have taken their value from a variable.
	flags map[string]bool
}

// variable is the name of the environment variable that stands for a flag.
func variable(flag string) string {
	return "KINDVET_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// apply sets the flags that a variable speaks of. A variable that is empty says nothing.
func (e *environment) apply(flags *pflag.FlagSet) error {
	e.flags = map[string]bool{}
	var failure error
	flags.VisitAll(func(f *pflag.Flag) {
		text := e.getenv(variable(f.Name))
		if text == "" || f.Changed || failure != nil || f.Name == "help" {
			return
		}
		if err := set(flags, f, text); err != nil {
			failure = fmt.Errorf("%s: %q cannot be used as a %s", variable(f.Name), text, f.Value.Type())
			return
		}
		e.flags[f.Name] = true
	})
	return failure
}

func set(flags *pflag.FlagSet, f *pflag.Flag, text string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(strings.Split(text, ","))
	}
	return flags.Set(f.Name, text)
}

// blame returns an error about a flag, as --fail-on: no severity "low", as one about the variable that the value came from.
func (e *environment) blame(err error) error {
	if err == nil {
		return nil
	}
	name, rest, ok := strings.Cut(err.Error(), ": ")
	if flag := strings.TrimPrefix(name, "--"); ok && e.flags[flag] {
		return fmt.Errorf("%s: %s", variable(flag), rest)
	}
	return err
}
