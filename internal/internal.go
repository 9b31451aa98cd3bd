// Package internal contains the packages of kindvet. They are listed in import order: a package imports only packages
// above it. A test reads this list and enforces the order.
//
//	collector the garbage collector, which runs late
//	source    the text of a file, and positions in it
//	tuple     lists of values that are keys of maps
//	pattern   regular expressions, compiled to tables for many strings
//	search    fixed texts, found by their rarest byte
//	nearest   the known name that is closest to a mistyped one
//	lfs       pointers of Git LFS
//	gitignore .gitignore patterns, and which paths they exclude
//	program   the external programs that kindvet runs, found in PATH and never in checked directories
//	git       the git repository of a checked file, and remote repositories with schemas
//	kubectl   the CRDs of the current cluster, read with kubectl
//	archive   tar and zip archives from untrusted sources
//	disk      untrusted configuration, ignore and rule files
//	formats   string formats of schemas, such as date-time, and the syntax of names
//	edit      changes of texts by bytes, and where each byte went
//	diag      findings and reports
//	manifest  YAML and JSON documents as trees of nodes with positions
//	semver    semantic versions and ranges of them
//	placeholder  words that people leave where a value has to be set
//	sprig     functions that the templates of Helm charts call
//	chart/engine  the templates of Helm charts, executed within a budget
//	chart/reads   the values that the templates of a chart read, found in their text
//	chart     Helm charts, rendered in memory with the places where the output was written
//	projects  well-known projects that define kinds, and where their CRDs are
//	releases  the versions of known projects that a repository uses
//	openapi   CRDs made of the definitions in OpenAPI documents
//	derived   the CRDs that controllers make of other definitions, such as those of Crossplane
//	schema    structural schemas, and the validation of documents against them
//	native    the validation of documents of the kinds of Kubernetes, which a server decodes into Go types
//	cel/adapter      nodes of a document as CEL values, typed by schemas
//	cel/library      the CEL functions that Kubernetes adds, and what calls cost
//	cel/environment  the CEL environment and cost limits of an API server
//	cel/native       the functions that only rules about the kinds of Kubernetes can call
//	cel/closure      checked CEL expressions as Go closures, which leave uncertain cases to cel-go
//	cel              compilation and evaluation of CEL expressions with named variables
//	cel/blame        the operands that made an expression false
//	cel/fields       the fields that an expression names, compared with schemas
//	validations      x-kubernetes-validations of a kind, evaluated on a document
//	expressions  the CEL expressions in objects of built-in kinds
//	definition  validation of CRDs, as an API server does on installation
//	names     a platform's names for built-in kinds
//	kustomization  the files that a kustomization names
//	kustomize kustomizations, built in memory with the places where the output was written
//	gitops    objects of Flux and Argo CD that deploy charts and directories of a repository
//	filetype  recognition of files that are not manifests
//	catalog   the known kinds, by group, kind and version
//	policy           admission policies, their bindings, and the objects that they refer to
//	policy/typecheck  the fields that the expressions of admission policies name, compared with schemas
//	policy/decoded   objects with all that an API server has filled in when it asks policies
//	policy/match     the policies that apply to a request
//	policy/evaluate  what admission policies decide about a request
//	store     the CRDs that a repository keeps in .kindvet, and their lock file
//	fetch     CRDs from URLs, git repositories, clusters and known projects; the only package that uses the network
//	lint/rule  lint rules: their files, the index of them, and the evaluation of their expressions
//	lint/sets  lint rules about several documents: what each document leaves, and what is found in all of them
//	lint       lint rules about one document
//	export    kinds and rules in formats for clusters and editors
//	helmvalues  the values of Helm charts: what templates do with them, and their schema
//	suppress  suppressions in comments and annotations
//	baseline  files of known findings
//	check     an engine that takes texts and returns findings
//	config    the configuration file
//	find      the files to check: paths, directories, globs and ignore files, on disk or in the git index
//	settings  configurations as catalogs and rules, which directories with the same settings share
//	report    the report of a check, made in stages from the results of its texts
//	example   the examples of lint rules, as tests
//	workspace the files, charts and kustomizations that are checked, and their report
//	fix       the fixes of findings, applied and checked again
//	render    report formats
//	krm       KRM functions: a ResourceList and its results
//	cli       commands, flags, help and exit codes
//
// Packages below test help tests, and those below generate write files of the repository. The product uses none of them.
package internal
