package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

// flagValues completes the values of flags, by flag name or, if flags of the same name differ, by command and flag
// name. File names are completed only for the flags here and for the arguments in [argumentValues].
var flagValues = map[string]cobra.CompletionFunc{
	"kindvet validate --output":   reportFormats,
	"kindvet version --output":    choices("text", "json"),
	"kindvet rules --output":      choices("text", "json"),
	"kindvet test --output":       choices("text", "junit"),
	"kindvet rules test --output": choices("text", "junit"),
	"profile":                     choices(rule.Profiles...),
	"enable":                      completeRules,
	"disable":                     completeRules,
	"rules":                       anyFiles,
	"in":                          anyFiles,
	"out":                         anyFiles,
	"color":                       choices("auto", "always", "never"),
	"fail-on":                     choices("error", "warning", "info", "never"),
	"junit-dialect":               choices("gitlab", "github", "jenkins"),
	"unknown-kinds":               choices("auto", "error", "warn", "skip"),
	"schemas":                     manifestFiles,
	"policies":                    manifestFiles,
	"operation":                   choices("create", "update", "delete"),
	"baseline":                    anyFiles,
	"old":                         anyFiles,
	"stdin-filename":              anyFiles,
}

// argumentValues completes the arguments of commands. File names are not completed for other commands.
var argumentValues = map[string]cobra.CompletionFunc{
	"kindvet validate":        manifestFiles,
	"kindvet baseline create": anyFiles,
	"kindvet baseline prune":  anyFiles,
	"kindvet test":            anyFiles,
	"kindvet rules test":      anyFiles,
	"kindvet explain":         completeExplained,
	"kindvet kinds":           completeGroups,
}

// asksForCompletions reports whether a shell asks for completions. Other runs do not set up completions.
func asksForCompletions(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addCompletion adds the command that prints completion scripts.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.Long = "Print the completion script of a shell", ""
			addGroup(c)
			for _, shell := range c.Commands() {
				describeShell(shell)
			}
		}
	}
}

// describeShell replaces cobra's help of a command that prints the script of one shell.
func describeShell(c *cobra.Command) {
	needs := map[string]string{"bash": " It needs the package bash-completion.", "zsh": " It needs compinit."}
	examples := map[string]string{
		"bash": `  source <(kindvet completion bash)                        # in this shell
  echo 'source <(kindvet completion bash)' >> ~/.bashrc    # in each new shell`,
		"zsh": `  source <(kindvet completion zsh)                       # in this shell
  echo 'source <(kindvet completion zsh)' >> ~/.zshrc    # in each new shell, after compinit`,
		"fish": `  kindvet completion fish | source                                     # in this shell
  kindvet completion fish > ~/.config/fish/completions/kindvet.fish    # in each new shell`,
		"powershell": `  kindvet completion powershell | Out-String | Invoke-Expression    # in this shell
  kindvet completion powershell >> $PROFILE                         # in each new shell`,
	}
	c.Short = "Print the completion script of " + c.Name()
	c.Long = c.Short + "." + needs[c.Name()]
	c.Example = examples[c.Name()]
}

// addCompletions adds completions to a command and its subcommands.
func addCompletions(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		f.Usage = strings.ReplaceAll(f.Usage, "`", "") // backquotes mark the name of the value on the help page
		if err := c.RegisterFlagCompletionFunc(f.Name, completeFlag(c, f)); err != nil {
			panic("a flag that was visited has no completion yet: " + err.Error())
		}
	})
	if !c.HasSubCommands() {
		c.ValidArgsFunction = cobra.NoFileCompletions
		if complete, ok := argumentValues[commandPath(c)]; ok {
			c.ValidArgsFunction = withoutHidden(complete)
		}
	}
	for _, below := range c.Commands() {
		addCompletions(below)
	}
}

// withoutHidden leaves out completions that a shell cannot show as they are, such as the name of a kind with control
// characters.
func withoutHidden(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := complete(c, args, typed)
		return slices.DeleteFunc(found, func(one cobra.Completion) bool {
			value, description, _ := strings.Cut(one, "\t")
			return render.Clean(value) != value || render.Clean(description) != description
		}), directive
	}
}

// commandPath returns the path of a command under the program's own name.
func commandPath(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name()
	}
	return commandPath(c.Parent()) + " " + c.Name()
}

func completeFlag(c *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	if complete, ok := flagValues[commandPath(c)+" --"+f.Name]; ok {
		return complete
	}
	if complete, ok := flagValues[f.Name]; ok {
		return complete
	}
	return cobra.NoFileCompletions
}

func choices(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// reportFormats completes the formats of a report. After "FORMAT=" it completes file names.
func reportFormats(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return render.Names(), cobra.ShellCompDirectiveNoFileComp
}

func manifestFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

func anyFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeRules completes the IDs of the lint rules.
func completeRules(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []cobra.Completion
	for _, r := range rule.All(nil) {
		if strings.HasPrefix(string(r.ID), typed) {
			found = append(found, cobra.CompletionWithDesc(string(r.ID), r.Title))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeExplained completes what explain accepts: kinds and lint rules.
func completeExplained(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, directive := completeKinds(c, args, typed)
	if len(args) > 0 || typed == "" {
		return found, directive
	}
	rules, none := completeRules(c, args, typed)
	if len(found) == 0 {
		return rules, none
	}
	return append(found, rules...), directive
}

// completeGroups completes what kinds accepts: API groups, and kinds by name or plural.
func completeGroups(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var groups []cobra.Completion
	entries := typedRegistry(c).Entries()
	for _, e := range entries {
		if strings.HasPrefix(groupName(e), typed) && !slices.Contains(groups, groupName(e)) {
			groups = append(groups, groupName(e))
		}
	}
	return append(groups, kindsWith(entries, typed)...), cobra.ShellCompDirectiveNoFileComp
}

// kindsWith returns the kinds whose name or plural starts with what has been typed, each with its group.
func kindsWith(entries []*catalog.Entry, typed string) (found []cobra.Completion) {
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name, typed):
			found = append(found, cobra.CompletionWithDesc(e.Name, groupName(e)))
		case strings.HasPrefix(e.Plural, typed):
			found = append(found, cobra.CompletionWithDesc(e.Plural, groupName(e)))
		}
	}
	return found
}

// completeKinds completes the kinds of the registry, each with its group, and the fields of a kind after a dot. It
// adds no space, because the path of a field may follow.
func completeKinds(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	registry := typedRegistry(c)
	version, _ := c.Flags().GetString("version")
	found := kindsWith(registry.Entries(), typed)
	if dot := strings.LastIndexByte(typed, '.'); dot >= 0 {
		found = append(found, completeFields(registry, version, typed[:dot], typed[dot+1:])...)
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// typedRegistry returns the registry for the configuration and the flags typed so far. If it cannot be loaded, it
// returns the built-in registry.
func typedRegistry(c *cobra.Command) *catalog.Catalog {
	var o workspace.Options
	o.Settings.Schemas, _ = c.Flags().GetStringArray("schemas")
	o.Files.Config, _ = c.Flags().GetString("config")
	if f := c.Flags().Lookup("kubernetes-version"); f != nil {
		o.Settings.Kubernetes, _ = catalog.ParseVersions(strings.Split(f.Value.String(), ",")...)
	}
	var err error
	if o.Files.Base, err = here(); err != nil {
		return catalog.Embedded()
	}
	registry, err := workspace.Catalog(turnedOff(o))
	if err != nil {
		return catalog.Embedded()
	}
	return registry
}

// completeFields completes the fields of an object, each with its type.
func completeFields(registry *catalog.Catalog, version, object, typed string) []cobra.Completion {
	f, ok, err := findField(registry, object, version)
	if !ok || err != nil {
		return nil
	}
	s := f.schema
	for s.Items != nil {
		s = s.Items
	}
	var found []cobra.Completion
	for _, p := range s.Properties {
		if strings.HasPrefix(p.Name, typed) {
			found = append(found, cobra.CompletionWithDesc(object+"."+p.Name, typeText(p.Schema)))
		}
	}
	return found
}
