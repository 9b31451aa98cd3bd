package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/render"
)

// completeFlags sets flags that were not typed from environment variables, and calls use. If use returns an error
// about such a flag, the error names the variable instead. The flags are some or all of the command.
func completeFlags(c *cobra.Command, s *Streams, flags *pflag.FlagSet, use func() error) error {
	env := environment{getenv: s.Getenv}
	s.reportUnknownVariables(c.Root())
	if err := firstEmpty(flags); err != nil {
		return err
	}
	if err := env.apply(flags); err != nil {
		return err
	}
	return env.blame(use())
}

// firstEmpty returns an error about the first flag that was typed with an empty text, such as the value of a variable
// of a pipeline that is not set. With --old, it would turn rules off.
func firstEmpty(flags *pflag.FlagSet) (failure error) {
	flags.VisitAll(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		isEmpty := f.Value.Type() == "string" && f.Value.String() == "" || isList && slices.Contains(list.GetSlice(), "")
		if f.Changed && isEmpty && failure == nil {
			failure = invalidValue(f.Name, "", "must not be empty")
		}
	})
	return failure
}

// flagsOfRegistry returns the flags that select kinds and rules. Other flags of commands that list them, such as
// --output of 'kindvet rules', mean something else than in 'kindvet validate', so no variable sets them.
func flagsOfRegistry(flags *pflag.FlagSet) *pflag.FlagSet {
	selected := pflag.NewFlagSet("registry", pflag.ContinueOnError)
	for _, name := range []string{"schemas", "kubernetes-version", "feature-gate", "config", "rules"} {
		if f := flags.Lookup(name); f != nil {
			selected.AddFlag(f)
		}
	}
	return selected
}

// environment sets flags that were not typed from environment variables. For example, KINDVET_FAIL_ON sets --fail-on.
// Lists are separated by commas.
type environment struct {
	getenv func(string) string
	// flags are the flags that were set from a variable.
	flags map[string]bool
}

// variable returns the name of the environment variable for a flag.
func variable(flag string) string {
	return "KINDVET_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// usedElsewhere are the prefixes of variables for the GitHub action and the GitLab pipeline template.
var usedElsewhere = []string{"KINDVET_ACTION_", "KINDVET_CI_"}

// reportUnknownVariables prints a line for each variable with the prefix of kindvet that no command reads.
func (s *Streams) reportUnknownVariables(root *cobra.Command) {
	if s.Environ == nil {
		return
	}
	var unknown []string
	for _, entry := range s.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		isForeign := slices.ContainsFunc(usedElsewhere, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if strings.HasPrefix(name, "KINDVET_") && value != "" && !isForeign {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	known := variables(root)
	for _, name := range unknown {
		if slices.Contains(known, name) {
			continue
		}
		line := "kindvet: unknown environment variable " + render.Clean(name)
		if near, ok := nearest.Name(name, known); ok {
			line += "; did you mean " + near + "?"
		}
		fmt.Fprintln(s.Err, line)
	}
}

// variables returns the names of all variables: those for the flags of two commands, of which other
// commands read some.
func variables(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if c.Name() == "validate" || c.Name() == "baseline" {
			names = append(names, variablesOf(c)...)
		}
	}
	return names
}

// variablesOf returns the names of the variables for the flags of a command and its subcommands.
func variablesOf(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, variable(f.Name)) })
	for _, below := range c.Commands() {
		names = append(names, variablesOf(below)...)
	}
	return names
}

// apply sets flags from their variables. Empty variables are ignored.
func (e *environment) apply(flags *pflag.FlagSet) error {
	e.flags = map[string]bool{}
	var failure error
	flags.VisitAll(func(f *pflag.Flag) {
		text := e.getenv(variable(f.Name))
		if text == "" || f.Changed || failure != nil || f.Name == "help" {
			return
		}
		if err := set(flags, f, text); err != nil {
			failure = invalidType(text, variable(f.Name), f.Value.Type(), err)
			return
		}
		e.flags[f.Name] = true
	})
	return failure
}

// invalidType returns an error about a value of a flag or variable that has the wrong type. why is what the flag says of it.
func invalidType(text, name, kind string, why error) error {
	use := "a " + kind
	switch kind {
	case "int":
		use = "an integer"
	case "bool":
		use = "true or false"
	case (*featureGates)(nil).Type():
		use = "the name of a feature gate and true or false, such as HPAScaleToZero=true"
	case kubernetesVersion{}.Type():
		if invalid, ok := errors.AsType[*pflag.InvalidValueError](why); ok {
			why = invalid.Unwrap()
		}
		return fmt.Errorf("invalid value %q for %s: %w", text, name, why)
	}
	return fmt.Errorf("invalid value %q for %s: use %s", text, name, use)
}

func set(flags *pflag.FlagSet, f *pflag.Flag, text string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(strings.Split(text, ","))
	}
	return flags.Set(f.Name, text)
}

// blame returns an error about a flag as an error about the variable that set the flag.
func (e *environment) blame(err error) error {
	if wrong, ok := errors.AsType[*flagError](err); ok && e.flags[wrong.flag] {
		return errors.New(wrong.about(variable(wrong.flag)))
	}
	return err
}

// flagError is an error about the value of a flag.
type flagError struct {
	flag    string // without dashes
	value   string // "" if the message is not about a single value
	message string
}

func (e *flagError) Error() string { return e.about("--" + e.flag) }

// about returns the message for the flag or variable with the given name.
func (e *flagError) about(name string) string {
	if e.value == "" {
		return name + ": " + e.message
	}
	return fmt.Sprintf("invalid value %q for %s: %s", e.value, name, e.message)
}

func flagErrorf(flag, format string, arguments ...any) error {
	return &flagError{flag: flag, message: fmt.Sprintf(format, arguments...)}
}

// invalidValue returns an error about an invalid flag value. help lists the valid values.
func invalidValue(flag, value, help string) error { return &flagError{flag, value, help} }
