// Package cli is the command line: it parses arguments, runs commands and returns the exit code.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/render"
)

// The exit codes.
const (
	exitOK          = 0   // nothing at or above --fail-on
	exitViolations  = 1   // violations at or above --fail-on
	exitTrouble     = 2   // failure: invalid usage, unreadable input, nothing to check
	exitInterrupted = 130 // as shells report an interrupt
)

// Streams is the environment of a process: standard streams, variables and clock. Tests replace it.
type Streams struct {
	// Program is the name of the executable file. kubectl starts plugins under a different name.
	Program  string
	In       io.Reader
	Out, Err io.Writer
	// Getenv returns the value of an environment variable. Environ returns all variables as name=value; if it is nil,
	// there are none.
	Getenv  func(string) string
	Environ func() []string
	// Now returns the current time.
	Now func() time.Time
	// OutIsTerminal and ErrIsTerminal report whether Out and Err are terminals.
	OutIsTerminal, ErrIsTerminal bool
	// InIsPipe reports whether In is a pipe, InIsFile whether it is a regular file. If neither is set, as for a
	// terminal or /dev/null, a command without paths does not read In.
	InIsPipe, InIsFile bool
	// Patience is how long a command without paths waits for the first byte of a pipe; 0 means one minute.
	Patience time.Duration
	// MaxInput is the maximum number of bytes of standard input that are kept in memory, for commands that need all
	// of it; 0 means 256 MiB.
	MaxInput int64
	// GitProtocols and GitSettings are for tests, which have no https git server; see package fetch.
	GitProtocols string
	GitSettings  []string
}

// System returns the streams of the process.
func System() Streams {
	return Streams{
		Program: os.Args[0],
		In:      os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Environ: os.Environ, Now: time.Now,
		OutIsTerminal: isTerminal(os.Stdout), ErrIsTerminal: isTerminal(os.Stderr),
		InIsPipe: isOfMode(os.Stdin, fs.ModeNamedPipe|fs.ModeSocket), InIsFile: isRegular(os.Stdin),
	}
}

func isOfMode(f *os.File, any fs.FileMode) bool {
	stat, err := f.Stat()
	return err == nil && stat.Mode()&any != 0
}

func isRegular(f *os.File) bool {
	stat, err := f.Stat()
	return err == nil && stat.Mode().IsRegular()
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// failed ends a command with an exit code. The reason has already been printed.
type failed struct{ code int }

func (f failed) Error() string { return fmt.Sprintf("exit code %d", f.code) }

// Main runs the program with the given arguments and returns its exit code.
func Main(args []string, s Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program immediately
	root := rootCommand(&s)
	if asksForCompletions(args) {
		addCompletions(root)
	}
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := broughtFlag(root, args)
	if err == nil {
		err = execute(ctx, root)
	}
	var f failed
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE): // the reader has closed the pipe
		return exitOK
	}
	message := hintsBy(commandName(s.Program), strings.TrimPrefix(failureText(err), "kindvet: "))
	for line := range strings.Lines(render.CleanLines(message)) {
		fmt.Fprintln(s.Err, "kindvet: "+strings.TrimSuffix(line, "\n"))
	}
	return exitTrouble
}

// patienceAfterInterrupt is how long a command may run after an interrupt, to remove incomplete files.
const patienceAfterInterrupt = time.Second

// execute runs a command. After an interrupt it does not wait for a blocked command, such as one that writes to a
// FIFO without a reader.
func execute(ctx context.Context, c *cobra.Command) error {
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patienceAfterInterrupt):
		return ctx.Err()
	}
}

func rootCommand(s *Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "kindvet",
		Short: "Validate Kubernetes manifests like an API server",
		Long: `kindvet validates manifests against built-in kinds and your own CRDs, as an API server would, and prints every
finding with file, line and column. Only 'kindvet schemas' uses the network.`,
		Example: `  kindvet validate deploy/
  kustomize build . | kindvet validate -
  kindvet kinds`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	addGroup(root, validateCommand(s), fixCommand(s), baselineCommand(s), kindsCommand(s), rulesCommand(s), explainCommand(s),
		testCommand(s), configCommand(s), exportCommand(s), schemaCommand(s), schemasCommand(s), versionCommand(s))
	addVersionFlag(root, s)
	setHelp(root)
	addCompletion(root)
	nameArguments(root)
	root.SetHelpCommand(helpCommand(s))
	root.DisableAutoGenTag = true // man pages must depend only on the commands
	if name := commandName(s.Program); name != root.Name() {
		callBy(name, root)
	}
	return root
}
