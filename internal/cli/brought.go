package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// brought says what to use instead of flags that people know from kubeconform, kubeval, kube-linter, helm lint and kubectl.
var brought = map[string]string{
	// kubeconform and kubeval
	"additional-schema-locations": "use --schemas PATH for CRDs; the kinds of Kubernetes are built in",
	"cache":                       "leave it out: validate never uses the network",
	"debug":                       "use --verbose",
	"directories":                 "name the directories without a flag",
	"exit-on-error":               "leave it out: every run reports all findings",
	"force-color":                 "use --color always",
	"ignore-filename-pattern":     "use exclude: in .kindvet.yaml",
	"ignore-filename-patterns":    "use exclude: in .kindvet.yaml",
	"ignored-filename-patterns":   "use exclude: in .kindvet.yaml",
	"ignore-missing-schemas":      "use --unknown-kinds skip",
	"insecure-skip-tls-verify":    "leave it out: validate never uses the network",
	"n":                           "use --jobs NUMBER",
	"openshift":                   "use 'kindvet schemas add' for the kinds of OpenShift",
	"reject":                      "use a lint rule of your own; see 'kindvet rules new --help'",
	"reject-kinds":                "use a lint rule of your own; see 'kindvet rules new --help'",
	"schema-location":             "use --schemas PATH for CRDs; the kinds of Kubernetes are built in",
	"skip":                        "use ignores: with kind in .kindvet.yaml",
	"skip-kinds":                  "use ignores: with kind in .kindvet.yaml",
	"strict":                      "leave it out: unknown and duplicate fields are always errors; --fail-on warning also fails for warnings",
	"summary":                     "leave it out: every run ends with a summary",
	// kube-linter
	"add-all-built-in":         "use --profile all",
	"do-not-auto-add-defaults": "use --profile schema with --enable RULE",
	"exclude":                  "use --disable RULE, or exclude: in .kindvet.yaml for files",
	"fail-if-no-objects-found": "leave it out: a run with nothing to check fails",
	"fail-on-invalid-resource": "leave it out: an invalid manifest always fails the run",
	"format":                   "use --output FORMAT",
	"ignore-paths":             "use exclude: in .kindvet.yaml",
	"include":                  "use --enable RULE",
	"with-color":               "use --color always",
	// helm lint and helm template
	"skip-schema-validation": "leave it out: a wrong value is an error of the chart",
	"with-subcharts":         "leave it out: subcharts are checked as parts of their chart",
	// kubectl
	"filename":  "name the files and directories without a flag",
	"recursive": "leave it out: directories are searched with all below them",
}

// broughtFlag returns an error for the first argument of 'kindvet validate', or of kindvet without a command, that is a flag of
// another tool. Those of kubeconform have one dash, so that -strict would be read as --schemas trict.
func broughtFlag(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] != "validate" && !strings.HasPrefix(args[0], "-") {
		return nil
	}
	if args[0] != "validate" {
		args = append([]string{"validate"}, args...)
	}
	command, _, err := root.Find([]string{"validate"})
	if err != nil {
		return nil
	}
	for i, arg := range args[1:] {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		dashes := len(arg) - len(strings.TrimLeft(arg, "-"))
		if arg == "--" {
			return nil
		}
		if dashes == 0 || dashes > 2 || isValue(command.Flags(), args[i]) {
			continue
		}
		use, isBrought := brought[name]
		if isLong := command.Flags().Lookup(name) != nil; isLong && dashes == 1 && len(name) > 1 {
			use, isBrought = "use --"+name, true
		} else if isLong || len(name) == 1 && (dashes == 2 || command.Flags().ShorthandLookup(name) != nil) {
			continue
		}
		if isBrought {
			return fmt.Errorf("unknown flag %s: %s", strings.Repeat("-", dashes)+name, use)
		}
	}
	return nil
}

// isValue reports whether the argument after another one is its value.
func isValue(flags *pflag.FlagSet, before string) bool {
	var f *pflag.Flag
	switch name := strings.TrimLeft(before, "-"); {
	case strings.HasPrefix(before, "--") && !strings.Contains(before, "="):
		f = flags.Lookup(name)
	case strings.HasPrefix(before, "-") && len(name) == 1:
		f = flags.ShorthandLookup(name)
	}
	return f != nil && f.NoOptDefVal == ""
}
