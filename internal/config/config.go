// Package config holds the configuration file, .kindvet.yaml: what it may contain, and how it is read.
//
// The file is read and checked as manifests are, against a schema that is data (schema.yaml), so each finding has a
// line, a column and the nearest known key. This package does not look for configuration files, nor read those that
// one extends: package run does.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Names are the possible names of a configuration file. If a directory has several, the first one counts.
var Names = []string{".kindvet.yaml", ".kindvet.yml"}

// Config is the content of a configuration file, merged with the files that it extends. The zero value sets nothing.
type Config struct {
	// File is the name of the file.
	File string
	// Extends, Schemas, Rules and Policies are files and directories. Relative paths have been joined to the directory of the
	// file that names them.
	Extends, Schemas, Rules, Policies []source.Word
	// Names are the platform's own words.
	Names names.Vocabulary
	// Profile and UnknownKinds are "" if the file does not set them.
	Profile, UnknownKinds string
	// Kubernetes are the minor versions of Kubernetes 1 whose kinds apply, the oldest first; nil if the file does not set them.
	Kubernetes []int
	// Helm is the major version of Helm whose output is that of charts; 0 if the file does not set it.
	Helm int
	// FeatureGates and APIs are those that an API server turns on or off, in contrast to its defaults.
	FeatureGates, APIs map[string]bool
	// Discovery reports whether CRDs among the files are used to check the others. It is nil if the file does not set
	// it.
	Discovery *bool
	// Complete reports whether the targets of all references must be among the files. It is nil if the file does not
	// set it.
	Complete *bool
	// FailOn, Output, AllowEmpty and Baseline apply to a run as a whole. They are "", nil or the empty word if the
	// file does not set them. A relative baseline path has been joined to the directory of the file.
	FailOn, Output string
	AllowEmpty     *bool
	Baseline       source.Word
	// Enable and Disable are names of lint rules.
	Enable, Disable []source.Word
	// Severities are the severities of lint rules. If there are several for a rule, the last one counts.
	Severities []Severity
	// Params are the parameters of lint rules. If there are several for a parameter, the last one counts.
	Params   []Param
	Charts   []ValueSet
	Excludes []Exclude
	Ignores  []Ignore
}

// Severity is the severity that the file gives to a lint rule.
type Severity struct {
	Rule     source.Word
	Severity diag.Severity
}

// Param is the value that the file gives to a parameter of a lint rule.
type Param struct {
	// Rule and Name are the keys of the rule and of the parameter.
	Rule, Name source.Word
	Value      rule.ParamValue
}

// Exclude holds patterns of files that are not checked, and the directory that the patterns are relative to.
type Exclude struct {
	Dir      string
	Patterns gitignore.Patterns
	// File is the configuration file that holds the patterns. Private means that none of its text may be shown.
	File    string
	Private bool
}

// Parse reads a configuration file. If there are violations, the returned Config must not be used.
func Parse(src *source.Source) (Config, []diag.Violation) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if tree.Root().Valid() {
			return Config{}, []diag.Violation{{
				Rule: diag.Syntax, Severity: diag.Error, Message: "a configuration file must have one document",
				Place: src.Place(source.Span{Start: part.Span.Start, End: part.Span.Start}),
			}}
		}
		if violations := tree.Read(src, part); len(violations) > 0 {
			return Config{}, violations
		}
	}
	c := Config{File: src.Name}
	if !tree.Root().Valid() || tree.Root().Type() == manifest.Null {
		return c, nil
	}
	violations := schema.Check(tree.Root(), fileSchema(), schema.Resource{Plain: true}, manifest.Node{})
	if version, ok := tree.Root().Field(kubernetesVersion); ok {
		violations = slices.DeleteFunc(violations, func(v diag.Violation) bool {
			return len(v.Path) > 0 && v.Path[0].Name == kubernetesVersion
		})
		violations = append(violations, wrongVersions(version)...)
		diag.SortViolations(violations)
	}
	if len(violations) == 0 { // their number is limited then, and so is the time to look for similar names
		violations = unknownSwitches(tree.Root())
	}
	if len(violations) > 0 {
		return Config{}, violations
	}
	c.read(tree.Root())
	return c, nil
}

// kubernetesVersion is the key of the version of Kubernetes. Its schema lists minor versions.
const kubernetesVersion = "kubernetesVersion"

// wrongVersions returns the violations of a version of Kubernetes or a list of different ones. Their schema describes one as a
// minor version; each may have any form, such as v1.34.6-eks-bbe087e.
func wrongVersions(n manifest.Node) (all []diag.Violation) {
	if n.Type() != manifest.List {
		return wrongVersion(n)
	}
	if !n.First().Valid() {
		return []diag.Violation{n.Finding(diag.Violation{
			Rule: diag.BadCount, Severity: diag.Error, Message: "must have at least one version", Help: "remove it, or add one",
		})}
	}
	seen := map[int]bool{}
	for item := range n.Children() {
		if len(all) >= diag.MaxDescribed { // as many as the check of other keys describes
			break
		}
		if wrong := wrongVersion(item); len(wrong) > 0 {
			all = append(all, wrong...)
			continue
		}
		minor, _ := catalog.ParseKubernetes(item.Text())
		if seen[minor] {
			all = append(all, item.Finding(diag.Violation{
				Rule: diag.DuplicateItem, Severity: diag.Error, Message: fmt.Sprintf("1.%d appears twice", minor), Help: "remove it",
			}))
		}
		seen[minor] = true
	}
	return all
}

func wrongVersion(n manifest.Node) []diag.Violation {
	if n.Type() == manifest.String {
		if _, ok := catalog.ParseKubernetes(n.Text()); ok {
			return nil
		}
	}
	one := fileSchema().Properties[slices.IndexFunc(fileSchema().Properties, func(p schema.Property) bool {
		return p.Name == kubernetesVersion
	})].Schema
	return schema.Check(n, one, schema.Resource{Plain: true}, manifest.Node{})
}

// versions returns the texts of a version of Kubernetes, or of a list of them.
func versions(n manifest.Node) []string {
	if n.Type() != manifest.List {
		return []string{n.Text()}
	}
	var list []string
	for item := range n.Children() {
		list = append(list, item.Text())
	}
	return list
}

// These are the keys of what an API server turns on or off.
const featureGates, apis = "featureGates", "apis"

// unknownSwitches returns violations for misspelled feature gates and for unknown APIs.
func unknownSwitches(root manifest.Node) (all []diag.Violation) {
	for f := range root.At(featureGates).Children() {
		if near, ok := catalog.NearestGate(f.Key()); ok {
			all = append(all, unknownSwitch(f, "unknown feature gate "+diag.Quote(f.Key()), "use "+diag.Quote(near)))
		}
	}
	for f := range root.At(apis).Children() {
		if !catalog.IsAPI(f.Key()) {
			all = append(all, unknownSwitch(f, "unknown API "+diag.Quote(f.Key()),
				"use a group and version of Kubernetes, such as resource.k8s.io/v1beta1, also with a plural, or api/beta"))
		}
	}
	return all
}

func unknownSwitch(f manifest.Node, message, help string) diag.Violation {
	return diag.Violation{
		Rule: diag.UnknownField, Severity: diag.Error, Message: message, Help: help, Place: f.KeyPlace(), Path: f.Path(),
	}
}

func switches(n manifest.Node) map[string]bool {
	all := map[string]bool{}
	for f := range n.Children() {
		all[strings.Clone(f.Key())] = f.Boolean()
	}
	return all
}

// Merged returns switches with others that take precedence.
func Merged(base, own map[string]bool) map[string]bool {
	if len(own) == 0 {
		return base
	}
	all := maps.Clone(own)
	for name, on := range base {
		if _, ok := own[name]; !ok {
			all[name] = on
		}
	}
	return all
}

// read copies the settings of a file that has been validated.
func (c *Config) read(root manifest.Node) {
	for f := range root.Children() {
		switch f.Key() {
		case "extends":
			c.Extends = c.paths(f)
		case "schemas":
			c.Schemas = c.paths(f)
		case "rules":
			c.Rules = c.paths(f)
		case "policies":
			c.Policies = c.paths(f)
		case "names":
			c.Names = vocabulary(f)
		case "profile":
			c.Profile = text(f)
		case "enable":
			c.Enable = words(f)
		case "disable":
			c.Disable = words(f)
		case "severity":
			for s := range f.Children() {
				severity, _ := diag.ParseSeverity(s.Text()) // the schema allows only valid severities
				c.Severities = append(c.Severities, Severity{Rule: keyWord(s), Severity: severity})
			}
		case "params":
			for of := range f.Children() {
				for p := range of.Children() {
					c.Params = append(c.Params, Param{keyWord(of), keyWord(p), rule.ParamValueOf(p)})
				}
			}
		case "unknownKinds":
			c.UnknownKinds = text(f)
		case kubernetesVersion:
			c.Kubernetes, _ = catalog.ParseVersions(versions(f)...) // Parse allows only known versions
		case "helmVersion":
			c.Helm = int(f.Integer())
		case featureGates:
			c.FeatureGates = switches(f)
		case apis:
			c.APIs = switches(f)
		case "discovery":
			uses := f.Boolean()
			c.Discovery = &uses
		case "complete":
			complete := f.Boolean()
			c.Complete = &complete
		case "failOn":
			c.FailOn = text(f)
		case "output":
			c.Output = text(f)
		case "allowEmpty":
			allow := f.Boolean()
			c.AllowEmpty = &allow
		case "baseline":
			c.Baseline = c.path(word(f))
		case "charts":
			for set := range f.Children() {
				c.Charts = append(c.Charts, c.valueSet(set))
			}
		case "exclude":
			c.Excludes = append(c.Excludes,
				Exclude{Dir: c.dir(), Patterns: patterns(f), File: c.File, Private: f.Tree().Source.Private})
		case "ignores":
			for i := range f.Children() {
				c.Ignores = append(c.Ignores, c.ignore(i))
			}
		}
	}
}

// dir returns the directory part of the file's name.
func (c *Config) dir() string { return filepath.Dir(c.File) }

// paths reads a list of files and directories that are relative to the directory of the file.
func (c *Config) paths(n manifest.Node) []source.Word {
	list := words(n)
	for i := range list {
		list[i] = c.path(list[i])
	}
	return list
}

// path joins a path to the directory of the file that names it. The result has slashes, as paths in reports have.
func (c *Config) path(w source.Word) source.Word {
	if !filepath.IsAbs(w.Text) {
		w.Text = filepath.Join(c.dir(), w.Text)
	}
	w.Text = filepath.ToSlash(w.Text)
	return w
}

func words(n manifest.Node) []source.Word {
	var list []source.Word
	for item := range n.Children() {
		list = append(list, word(item))
	}
	return list
}

func word(n manifest.Node) source.Word {
	return source.Word{Text: text(n), Place: n.Tree().Source.Place(n.Span())}
}

func keyWord(n manifest.Node) source.Word {
	return source.Word{Text: strings.Clone(n.Key()), Place: n.KeyPlace()}
}

func text(n manifest.Node) string { return strings.Clone(n.Text()) }

func patterns(n manifest.Node) gitignore.Patterns {
	var p gitignore.Patterns
	for item := range n.Children() {
		p.Add(text(item), word(item).Place.Start().Line)
	}
	return p
}

// Extend returns c merged with base, which it extends. Settings of c take precedence, and its lists follow those of
// base.
func (c Config) Extend(base Config) Config {
	c.Schemas = behind(base.Schemas, c.Schemas)
	c.Rules = behind(base.Rules, c.Rules)
	c.Policies = behind(base.Policies, c.Policies)
	c.Names = c.Names.Extend(base.Names)
	if c.Profile == "" {
		c.Profile = base.Profile
	}
	if c.UnknownKinds == "" {
		c.UnknownKinds = base.UnknownKinds
	}
	if c.Kubernetes == nil {
		c.Kubernetes = base.Kubernetes
	}
	c.Helm = cmp.Or(c.Helm, base.Helm)
	c.FeatureGates, c.APIs = Merged(base.FeatureGates, c.FeatureGates), Merged(base.APIs, c.APIs)
	c.FailOn, c.Output = cmp.Or(c.FailOn, base.FailOn), cmp.Or(c.Output, base.Output)
	c.AllowEmpty = cmp.Or(c.AllowEmpty, base.AllowEmpty)
	c.Discovery, c.Complete = cmp.Or(c.Discovery, base.Discovery), cmp.Or(c.Complete, base.Complete)
	if c.Baseline.Text == "" {
		c.Baseline = base.Baseline
	}
	enable, disable := without(base.Enable, c.Disable), without(base.Disable, c.Enable)
	c.Enable, c.Disable = behind(enable, c.Enable), behind(disable, c.Disable)
	c.Severities = behind(base.Severities, c.Severities)
	c.Params = behind(base.Params, c.Params)
	c.Charts = behind(base.Charts, c.Charts)
	c.Excludes = behind(base.Excludes, c.Excludes)
	c.Ignores = behind(base.Ignores, c.Ignores)
	return c
}

// UsesDiscovery reports whether CRDs among the files are used to check the others. They are, unless c disables it.
func (c *Config) UsesDiscovery() bool { return c.Discovery == nil || *c.Discovery }

// Len returns the number of settings in the lists of c.
func (c Config) Len() int {
	return len(c.Schemas) + len(c.Rules) + len(c.Policies) + len(c.Enable) + len(c.Disable) + len(c.Severities) + len(c.Params) +
		len(c.Charts) + len(c.Excludes) + len(c.Ignores) +
		len(c.FeatureGates) + len(c.APIs) + len(c.Names.Groups) + len(c.Names.Kinds) + len(c.Names.Fields) + len(c.Names.Words)
}

// behind returns base followed by own. If own is empty, it returns base itself.
func behind[T any](base, own []T) []T {
	if len(own) == 0 {
		return slices.Clip(base)
	}
	return slices.Concat(base, own)
}

// without returns the words in list that are not in takenBack.
func without(list, takenBack []source.Word) []source.Word {
	if len(takenBack) == 0 {
		return list
	}
	gone := map[string]bool{}
	for _, w := range takenBack {
		gone[w.Text] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(w source.Word) bool { return gone[w.Text] })
}

// Texts returns the texts of words.
func Texts(list []source.Word) []string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.Text
	}
	return texts
}
