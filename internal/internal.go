// Package internal holds the rooms of kindvet, in the order in which text becomes documents, documents are checked, and what is
// wrong becomes a report. A room imports only rooms above it; a test reads this list and sees to it.
//
//	source    the text of a file, and places in it
//	pattern   regular expressions, as tables where texts are many
//	nearest   the known name that a mistyped one was meant to be
//	gitignore patterns as .gitignore files write them, and which paths they leave out
//	program   the programs that kindvet runs, found in PATH without trust in the checked files
//	git       the repository of a checked file: its commits and its index; and one elsewhere, for schemas
//	kubectl   the CRDs of the current cluster, by the kubectl program
//	archive   tar and zip archives, read without trust in who made them
//	disk      files that say how to check, read without trust in who wrote them
//	diag      what we say: a violation, a report
//	manifest  YAML and JSON become documents whose every node knows its place
//	projects  the well-known projects that define kinds, and where their CRDs are
//	schema    a kind's structural schema, and the check of a document against it
//	cel/adapter      nodes of a document as CEL values, typed by schemas
//	cel/environment  the CEL libraries and limits of an API server, and the work of calls
//	cel/closure      checked CEL expressions as Go closures: true and false are certain, everything else is unsure
//	cel              compile and evaluate CEL expressions, whose signatures name their variables
//	cel/blame        the operands that made an expression false
//	cel/celtest      for tests: expressions evaluated as closures and by cel-go, side by side
//	validations      x-kubernetes-validations of a kind, evaluated on a document
//	definition  what an API server wants of a CustomResourceDefinition
//	names     what a platform calls the kinds
//	kustomization  the files that a kustomization names
//	filetype  files that are not manifests, and what they are
//	catalog   the known kinds, by group, kind and version
//	store     the CRDs that a repository keeps in .kindvet, and their lock file
//	fetch     CRDs from elsewhere: URLs, git repositories, a cluster, known projects; no other package uses the network
//	lint      rules about what a server accepts and the person will regret: load them, run them
//	export    kinds and rules become what clusters and editors take
//	suppress  what comments and annotations accept on record
//	baseline  what a repository had when it took kindvet up
//	check     an engine: texts in, findings out
//	config    the configuration file
//	find      the files to check: paths, directories, globs, ignore files, charts; on disk, or in the git index
//	session   what texts are checked with: configurations, catalogs, rules; kept between checks, with the texts of an editor
//	example   the examples beside lint rules: what each finds, and what it lets pass
//	run       one run: paths in, a report out
//	parity    verdicts of upstream's own code on record, and ours beside them
//	render    a report becomes text
//	krm       a ResourceList of a KRM function, and its answer
//	cli       flags in, exit code out
package internal
