package bench

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Inputs says how much to write; the zero value of a member leaves out what it is for.
type Inputs struct {
	Seed uint64
	// Files are how many small files there are, in a folder for each count.
	Files []int
	// Documents are how many there are in each stream: 83,000 make 50 MB.
	Documents int
	// Kubernetes is how many Deployments and Services there are, in one stream and in as many files.
	Kubernetes int
	// Repository is how many small files there are in a git repository with one staged change.
	Repository int
	// Times is how many times as long the long stream is.
	Times int
	// ListSize and DocumentSize are in bytes.
	ListSize, DocumentSize int
}

// Published are the inputs of the published figures.
func Published() Inputs {
	return Inputs{Seed: Seed, Files: []int{1000, 10000}, Documents: 83000, Kubernetes: 10000, Repository: 10000, Times: 10,
		ListSize: 20e6, DocumentSize: 5e6}
}

// Names of the inputs in their folder. The tenths have a tenth of the documents, for tools that would take minutes
// over the rest.
const (
	OneFile          = "one.yaml"
	PlainStream      = "stream.yaml"
	PlainStreamTenth = "stream-tenth.yaml"
	RuledStream      = "stream-with-rules.yaml"
	RuledStreamTenth = "stream-with-rules-tenth.yaml"
	LongStream       = "stream-with-rules-long.yaml"
	List             = "list.yaml"
	Document         = "document.yaml"
	KubernetesStream = "kubernetes.yaml"
	KubernetesDir    = "kubernetes"
	RepositoryDir    = "repository"
)

// FilesFolder is the name of the folder of so many small files.
func FilesDir(count int) string { return "files-" + strconv.Itoa(count) }

// Write writes the inputs into a folder; what it held under their names is replaced.
func (in Inputs) Write(dir string) error {
	for _, count := range in.Files {
		if err := WriteFiles(filepath.Join(dir, FilesDir(count)), in.Seed, count); err != nil {
			return err
		}
	}
	if err := WriteKubernetesFiles(filepath.Join(dir, KubernetesDir), in.Seed, in.Kubernetes); err != nil {
		return err
	}
	if in.Repository > 0 {
		if err := WriteRepository(filepath.Join(dir, RepositoryDir), in.Seed, in.Repository); err != nil {
			return err
		}
	}
	streams := []struct {
		name      string
		kind      Workloads
		documents int
	}{
		{PlainStream, Plain, in.Documents},
		{PlainStreamTenth, Plain, in.Documents / 10},
		{RuledStream, Ruled, in.Documents},
		{RuledStreamTenth, Ruled, in.Documents / 10},
		{LongStream, Ruled, in.Documents * in.Times},
		{KubernetesStream, Kubernetes, in.Kubernetes},
	}
	for _, s := range streams {
		if s.documents == 0 {
			continue
		}
		write := func(w io.Writer) error { return WriteStream(w, in.Seed, s.kind, s.documents, Sound) }
		if err := writeTo(filepath.Join(dir, s.name), write); err != nil {
			return err
		}
	}
	if in.ListSize > 0 {
		write := func(w io.Writer) error { return WriteList(w, in.Seed, in.ListSize) }
		if err := writeTo(filepath.Join(dir, List), write); err != nil {
			return err
		}
	}
	if in.DocumentSize > 0 {
		write := func(w io.Writer) error { return WriteDocument(w, in.Seed, in.DocumentSize) }
		if err := writeTo(filepath.Join(dir, Document), write); err != nil {
			return err
		}
	}
	return writeTo(filepath.Join(dir, OneFile), func(w io.Writer) error { return WriteFile(w, in.Seed) })
}

func writeTo(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
