package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/testdata/bench"
)

// work is one thing that tools are measured on. kindvet comes first: the others are compared with it.
type work struct {
	name string
	// repeat is how many times as many rounds as usual there are, for what takes milliseconds; 0 means 1.
	repeat int
	tasks  []task
}

// task is one tool's part of a work.
type task struct {
	tool tool
	// path is below the folder of inputs.
	path string
	// exit is the code that the tool ends with.
	exit int
	// fraction says that the tool is given only that part of the work, 1/fraction, and its times are multiplied; 0
	// means all of it.
	fraction int
	note     string
	// inside says that the tool starts in the path, and is not given it.
	inside bool
}

// times is the number that the task's times are multiplied by.
func (t *task) times() int { return max(t.fraction, 1) }

const tenth = "one tenth of the stream, figures times 10"

func works(t tools, in bench.Inputs) []work {
	list := []work{{
		name: "one small file, cold", repeat: 10, tasks: []task{
			{tool: t.kindvet, path: bench.OneFile},
			{tool: t.linting, path: bench.OneFile},
			{tool: t.kubeconform, path: bench.OneFile},
			{tool: t.kubectlValidate, path: bench.OneFile},
		},
	}}
	for _, count := range in.Files {
		dir := bench.FilesDir(count)
		list = append(list, work{name: thousands(count) + " files with CEL rules, 5% invalid", tasks: []task{
			{tool: t.kindvet, path: dir, exit: 1},
			{tool: t.linting, path: dir, exit: 1},
			{tool: t.kubeconform, path: dir, exit: 1},
			{tool: t.kubectlValidate, path: dir, exit: 1},
		}})
	}
	if in.Repository > 0 {
		list = append(list, changeWork(t, thousands(in.Repository)+" files in a git repository, one changed"))
	}
	stream := fmt.Sprintf("%d MB stream of %s documents", in.Documents*bytesOfDocument/1e6, thousands(in.Documents))
	list = append(list, work{name: stream + ", no CEL rules", tasks: []task{
		{tool: t.kindvetStreams, path: bench.PlainStream},
		{tool: t.lintingStreams, path: bench.PlainStream},
		{tool: t.kubeconform, path: bench.PlainStream},
		{tool: t.kubectlValidate, path: bench.PlainStreamTenth, fraction: 10, note: tenth},
	}}, work{name: stream + ", three CEL rules each", tasks: []task{
		{tool: t.kindvetStreams, path: bench.RuledStream},
		{tool: t.lintingStreams, path: bench.RuledStream},
		{tool: t.kubeconform, path: bench.RuledStream},
		{tool: t.kubectlValidate, path: bench.RuledStreamTenth, fraction: 10, note: tenth},
	}})
	if in.Times > 0 {
		name := fmt.Sprintf("the same stream %d times as long", in.Times)
		list = append(list, work{name: name, tasks: []task{{tool: t.kindvetStreams, path: bench.LongStream}}})
	}
	list = append(list,
		kubernetesWork(t, bench.KubernetesStream, thousands(in.Kubernetes)+" Deployments and Services in one file"),
		kubernetesWork(t, bench.KubernetesDir, "the same documents in "+thousands(in.Kubernetes)+" files"))
	return append(list, work{name: "one List of 20 MB", tasks: []task{
		{tool: t.kindvet, path: bench.List},
		{tool: t.linting, path: bench.List},
		{tool: t.kubeconform, path: bench.List}, // kubectl-validate has no schema for a List
	}}, work{name: "one document of 5 MB", tasks: []task{
		{tool: t.kindvet, path: bench.Document, exit: 1, note: "validated, but rejected: too large for an API server"},
		{tool: t.kubeconform, path: bench.Document},
		{tool: t.kubectlValidate, path: bench.Document},
	}})
}

// changeWork is a whole repository, and what has changed in it.
func changeWork(t tools, name string) work {
	w := work{name: name, tasks: []task{{tool: t.linting, path: bench.RepositoryDir, exit: 1, inside: true}}}
	for _, mode := range []struct {
		flags []string
		exit  int
	}{
		{[]string{"--since", "HEAD", "."}, 0},
		{[]string{"--staged"}, 0},
		{[]string{"--old", "HEAD", "."}, 1},
	} {
		changed := task{tool: t.linting, path: bench.RepositoryDir, exit: mode.exit, inside: true}
		changed.tool.name += ", `" + strings.TrimSuffix(strings.Join(mode.flags, " "), " .") + "`"
		changed.tool.before = slices.Concat(t.linting.before, mode.flags)
		w.tasks = append(w.tasks, changed)
	}
	w.tasks[0].tool.before = slices.Concat(t.linting.before, []string{"."})
	return w
}

// kubernetesWork is work on kinds of Kubernetes, of which kindvet and kubectl-validate have the schemas.
func kubernetesWork(t tools, path, name string) work {
	kubectlValidate := t.kubectlValidate
	kubectlValidate.before = nil
	return work{name: name, tasks: []task{
		{tool: t.kindvet, path: path},
		{tool: t.linting, path: path},
		{tool: t.kubeconform, path: path},
		{tool: kubectlValidate, path: path},
	}}
}

// bytesOfDocument is the mean size of a document of a stream.
const bytesOfDocument = 603

// thousands writes a number with a comma between its thousands.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// measured is a work with the runs of each of its tasks, a run a round.
type measured struct {
	work
	runs [][]run
}

// measure runs the tasks of the work in turn.
func (w work) measure(rounds int, inputs string) (measured, error) {
	progress("measuring %s", w.name)
	m := measured{work: w, runs: make([][]run, len(w.tasks))}
	for round := range rounds*max(w.repeat, 1) + 1 {
		for i := range w.tasks {
			r, err := w.tasks[i].run(filepath.Join(inputs, w.tasks[i].path))
			if err != nil {
				return measured{}, err
			}
			if round > 0 { // the first is the warm-up
				m.runs[i] = append(m.runs[i], r)
			}
		}
	}
	return m, nil
}
