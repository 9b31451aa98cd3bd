// Package cli is the command line: flags in, exit code out.
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

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/render"
)

// The exit codes.
const (
	exitOK          = 0   // nothing at or above --fail-on
	exitViolations  = 1   // violations at or above --fail-on
	exitTrouble     = 2   // could not work: usage, unreadable input, nothing to check
	exitInterrupted = 130 // as a shell reports an interrupt
)

// Streams is what a program is given by the system, so that a test can give it something else.
type Streams struct {
	// Program is the file that was started; kubectl starts its plugins by a name of their own.
	Program  string
	In       io.Reader
	Out, Err io.Writer
	// Getenv looks an environment variable up. Environ returns all of them, as name=value; nil returns none.
	Getenv  func(string) string
	Environ func() []string
	// Now is the clock.
	Now func() time.Time
	// OutIsTerminal and ErrIsTerminal report whether a person is reading along.
	OutIsTerminal, ErrIsTerminal bool
	// InIsPipe reports whether In comes from another program, InIsFile whether it is a regular file. If neither, as
	// with a terminal or /dev/null, a command that is given no paths does not read it.
	InIsPipe, InIsFile bool
	// Patience is how long such a command waits for the first byte of a pipe; 0 means a minute.
	Patience time.Duration
	// MaxInput is the most bytes of standard input that are kept in memory, where a command needs all of it; 0 means
	// 256 MiB.
	MaxInput int64
	// GitProtocols and GitSettings are for tests, which have no git server with https; see package fetch.
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

func isTerminal(f *os.File) bool {
	stat, err := f.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0 && stat.Mode()&os.ModeDevice != 0 && f.Name() != os.DevNull
}

// failed ends a command with an exit code that has been explained already.
type failed struct{ code int }

func (f failed) Error() string { return fmt.Sprintf("exit code %d", f.code) }

// Main runs the program with the given arguments, and returns its exit code.
func Main(args []string, s Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program wherever it is
	root := rootCommand(&s)
	if asksForCompletions(args) {
		addCompletions(root)
	}
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := execute(ctx, root)
	var f failed
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE): // anyone who was reading has had enough
		return exitOK
	}
	message := hintsBy(commandName(s.Program), strings.TrimPrefix(err.Error(), "kindvet: "))
	for line := range strings.Lines(render.CleanLines(message)) {
		fmt.Fprintln(s.Err, "kindvet: "+strings.TrimSuffix(line, "\n"))
	}
	return exitTrouble
}

// patienceAfterInterrupt is how long a command may go on after an interrupt, to remove what it has begun to write.
const patienceAfterInterrupt = time.Second

// execute runs a command. After an interrupt it does not wait for one that is stuck: in a FIFO that nobody reads, or
// a disk that is gone.
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
		Short: "Validate Kubernetes-style manifests as an API server would",
		Long: `kindvet validates manifests against built-in kinds and your own CRDs, as an API server would, and prints every
finding with file, line and column. Only 'kindvet schemas add' uses the network.`,
		Example: `  kindvet validate deploy/
  kustomize build . | kindvet validate -
  kindvet kinds`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	addGroup(root, validateCommand(s), baselineCommand(s), kindsCommand(s), rulesCommand(s), explainCommand(s), testCommand(s), configCommand(s),
		exportCommand(s), schemaCommand(s), schemasCommand(s), versionCommand(s))
	addVersionFlag(root, s)
	setHelp(root)
	root.SetHelpCommand(helpCommand(s))
	root.DisableAutoGenTag = true // man pages depend on the commands alone
	if name := commandName(s.Program); name != root.Name() {
		callBy(name, root)
	}
	return root
}
