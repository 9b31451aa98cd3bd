package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// heading says what the figures are, and of what.
func heading(t tools, rounds int) string {
	return fmt.Sprintf("%s, %s/%s with %d processors, %s; kindvet %s, kubeconform %s, kubectl-validate %s.\n"+
		"Medians of %d rounds in turn after a warm-up (ten times as many of one small file); ratios are medians of the rounds' ratios.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(),
		t.kindvet.version, t.kubeconform.version, t.kubectlValidate.version, rounds)
}

// writeHeads names the columns of the table.
func writeHeads(w io.Writer) {
	fmt.Fprintln(w, "| work | tool | CPU s | wall s | peak MiB | CPU, relative to kindvet |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|")
}

// writeRows writes the rows of one work.
func (m *measured) writeRows(w io.Writer) {
	for i := range m.tasks {
		name := ""
		if i == 0 {
			name = m.name
		}
		tool := m.tasks[i].tool.name
		if note := m.tasks[i].note; note != "" {
			tool += " (" + note + ")"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", name, tool,
			figure(m.median(i, run.cpuSeconds)), figure(m.median(i, run.wallSeconds)), m.peakOf(i), m.ratio(i))
	}
}

func (r run) cpuSeconds() float64  { return r.cpu.Seconds() }
func (r run) wallSeconds() float64 { return r.wall.Seconds() }

// median is the median of a figure of a task's runs, for the whole work.
func (m *measured) median(i int, figure func(run) float64) float64 {
	var list []float64
	for _, r := range m.runs[i] {
		list = append(list, figure(r)*float64(m.tasks[i].times()))
	}
	return median(list)
}

func (m *measured) peakOf(i int) string {
	var list []int64
	for _, r := range m.runs[i] {
		list = append(list, r.peak)
	}
	if p := median(list); p > 0 {
		return figure(float64(p) / (1 << 20))
	}
	return "not known"
}

// ratio is the median of the ratios of CPU time in the same round.
func (m *measured) ratio(i int) string {
	if i == 0 {
		return "1"
	}
	var list []float64
	for round, r := range m.runs[i] {
		list = append(list, r.cpuSeconds()*float64(m.tasks[i].times())/m.runs[0][round].cpuSeconds())
	}
	return figure(median(list))
}

// median is the middle value of a list that is not empty; the upper one of two.
func median[T cmp.Ordered](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// figure writes a number with three digits, or all before the point.
func figure(f float64) string {
	places := 0
	for limit := 100.0; places < 4 && f < limit; limit /= 10 {
		places++
	}
	return fmt.Sprintf("%.*f", places, f)
}

// writeRaw writes a line for each run.
func (m *measured) writeRaw(w io.Writer) error {
	for i, t := range m.tasks {
		for round, r := range m.runs[i] {
			_, err := fmt.Fprintf(w, "%s\t%s\t%d\t%.6f\t%.6f\t%d\t%d\n",
				m.name, t.tool.name, round+1, r.cpuSeconds(), r.wallSeconds(), r.peak, t.times())
			if err != nil {
				return err
			}
		}
	}
	return nil
}
