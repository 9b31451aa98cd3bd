// Package projects compares rules/projects.yaml with the repositories of the projects, and writes the kinds that they
// define. Its test does so for the verified version of each project:
//
//	go test ./internal/generate/projects -repositories DIR [-update] [-projects NAMES]
//
// Without -repositories the test is skipped, because the repositories have gigabytes.
package projects
