package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shape is how documents of one kind are written.
type shape struct {
	write func(*draft)
	// faults are those that a document of the kind can have; not all kinds have CEL rules that fail on create, or a
	// closed spec.
	faults []Fault
}

var (
	structural = []Fault{WrongType, UnknownField, DuplicateKey}
	shapes     = []shape{
		{writeBrowser, structural},
		{writeTargetGroupBinding, Faults[:]},
		{writeClusterNetworkPolicy, Faults[:]},
		{writeBrowserProfile, structural},
		{writeIngressClassParams, Faults[:]},
		{writeAgentRuntime, nil},
		{writeOldTargetGroupBinding, Faults[:]},
		{writeAgentRuntimeEndpoint, structural},
		{writeClusterPolicyEndpoint, Faults[:]},
		{writeEvent, []Fault{WrongType, FailedRule, DuplicateKey}},
	}
)

// oneFaultyIn is how many files have one that is faulty: 5 %.
const oneFaultyIn = 20

// FaultOf is what is wrong with the file of a number, from 0: one in twenty has a fault, the faults in turn.
func FaultOf(number int) Fault {
	if number%oneFaultyIn != oneFaultyIn-1 {
		return Sound
	}
	return Faults[number/oneFaultyIn%len(Faults)]
}

// FileName is the name of the file of a number below the folder of the files, a hundred in each folder.
func FileName(number int) string {
	return filepath.Join(fmt.Sprintf("app-%03d", number/100), fmt.Sprintf("manifest-%05d.yaml", number))
}

// WriteFiles writes small files of mixed kinds into a folder, one document each, FaultOf says which are faulty. The
// first count files of a longer row are the same.
func WriteFiles(dir string, seed uint64, count int) error {
	d := newDraft(seed)
	for number := range count {
		d.mixed(number, FaultOf(number))
		name := filepath.Join(dir, FileName(number))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, d.text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// WriteRepository writes the files of WriteFiles into a git repository. A sound one, in the middle, has a change that is
// staged but not committed.
func WriteRepository(dir string, seed uint64, count int) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := WriteFiles(dir, seed, count); err != nil {
		return err
	}
	git := func(arguments ...string) error {
		c := exec.Command("git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com"}, arguments...)...)
		c.Dir, c.Stderr = dir, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
		}
		return nil
	}
	err := errors.Join(git("init", "--quiet"), git("add", "--all"), git("commit", "--quiet", "--message", "files"))
	if err != nil {
		return err
	}
	changed := filepath.Join(dir, FileName(count/2/oneFaultyIn*oneFaultyIn))
	text, err := os.ReadFile(changed)
	if err != nil {
		return err
	}
	edited := bytes.Replace(text, []byte("\n    team: "), []byte("\n    team: new-"), 1)
	if bytes.Equal(edited, text) {
		return fmt.Errorf("%s has no team", changed)
	}
	return errors.Join(os.WriteFile(changed, edited, 0o644), git("add", "--all"))
}

// WriteFile writes one small sound manifest of a kind with CEL rules.
func WriteFile(w io.Writer, seed uint64) error {
	d := newDraft(seed)
	d.start(Sound)
	writeTargetGroupBinding(d)
	_, err := w.Write(d.text.Bytes())
	return err
}

// mixed writes the document of a number: the kinds take turns, those that cannot have the fault left out.
func (d *draft) mixed(number int, fault Fault) {
	able := shapes
	if fault != Sound {
		able = slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return !slices.Contains(s.faults, fault) })
		number /= oneFaultyIn * len(Faults)
	}
	d.start(fault)
	able[number%len(able)].write(d)
}
