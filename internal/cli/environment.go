package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completeFlags gives the flags of a command that were not typed their values from the environment, and calls use. An error of use about
// such a flag becomes one about the variable.
func completeFlags(c *cobra.Command, s *Streams, use func() error) error {
	env := environment{getenv: s.Getenv}
	if err := env.apply(c.Flags()); err != nil {
		return err
	}
	return env.blame(use())
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

// blame returns an error about a flag, such as --fail-on: no severity "low", as one about the variable that the value came from.
func (e *environment) blame(err error) error {
	if wrong, ok := errors.AsType[*flagError](err); ok && e.flags[wrong.flag] {
		return fmt.Errorf("%s: %s", variable(wrong.flag), wrong.message)
	}
	return err
}

// flagError reports a flag whose value cannot be used.
type flagError struct {
	flag    string // without dashes
	message string
}

func (e *flagError) Error() string { return "--" + e.flag + ": " + e.message }

func flagErrorf(flag, format string, arguments ...any) error {
	return &flagError{flag, fmt.Sprintf(format, arguments...)}
}
