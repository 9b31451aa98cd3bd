package bench

import (
	"bufio"
	"io"
	"strings"
)

// Workloads is a kind of documents for streams: Kubernetes, or a kind of crds/; it says which.
type Workloads string

// The two kinds of crds/ differ in their CEL rules alone: none, or three a document.
const (
	Plain Workloads = "Workload"
	Ruled Workloads = "RuledWorkload"
)

// WriteStream writes a stream of documents of one kind, or of Deployments and Services in turn; a document of crds/
// has about 600 bytes. The last one has the fault: DuplicateKey only if it is a Deployment, and FailedRule only if the
// kind has rules.
func WriteStream(w io.Writer, seed uint64, kind Workloads, documents int, last Fault) error {
	d := newDraft(seed)
	b := bufio.NewWriter(w)
	for number := range documents {
		d.start(Sound)
		if number == documents-1 {
			d.fault = last
		}
		if number > 0 {
			d.line("---")
		}
		if kind == Kubernetes {
			writeKubernetes(d, number)
		} else {
			writeWorkload(d, kind)
		}
		b.Write(d.text.Bytes())
	}
	return b.Flush()
}

// writeWorkload writes a document that has everything that the rules of RuledWorkload ask for.
func writeWorkload(d *draft, kind Workloads) {
	name := d.name()
	d.head("bench.example.com/v1", string(kind), name, namespaced)
	d.line("spec:")
	d.faulty(UnknownField, "  images: []")
	if d.chance(4) {
		d.line("  build:")
		d.line("    repository: code.example.com/%s/%s", d.pick(teams), name)
		d.line(`    revision: "%s"`, d.letters(12, hexadecimal))
	} else {
		d.line("  image: images.example.com/%s/%s:%d.%d.%d", d.pick(teams), name, d.between(0, 9), d.between(0, 40),
			d.between(0, 20))
	}
	d.line("  strategy: %s", d.pick([]string{"Rolling", "Recreate", "Canary"}))
	d.line("  scale: {min: %s, max: %d}", d.unless(FailedRule, "2", "2000"), d.between(3, 40))
	d.line("  ports:")
	d.line("    - name: http")
	d.line("      port: %s", d.unless(WrongType, "8080", `"8080"`))
	d.line("      protocol: TCP")
	d.line("    - name: metrics")
	d.line("      port: 9090")
	d.line("  env:")
	d.line("    - name: %s", d.pick([]string{"LOG_LEVEL", "REGION", "TIMEOUT", "TARGET"}))
	d.line(`      value: "%s"`, d.pick(zones))
	if d.chance(2) {
		d.line("  args: [--listen=:8080, '--peer=%s', \"--verbose\"]  # as %s needs it", d.pick(products), d.pick(teams))
	}
	d.line("  resources: {cpu: %dm, memory: %dMi}", d.between(1, 20)*100, d.between(1, 64)*64)
}

// WriteList writes a List of at least size bytes; its items are the sound documents of WriteFiles.
func WriteList(w io.Writer, seed uint64, size int) error {
	d := newDraft(seed)
	b := bufio.NewWriter(w)
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for number, written := 0, 0; written < size; number++ {
		d.mixed(number, Sound)
		item := d.item()
		b.WriteString(item)
		written += len(item)
	}
	return b.Flush()
}

// item is the document as an item of a list, its first comment above it.
func (d *draft) item() string {
	var item strings.Builder
	indent := "  - "
	for line := range strings.Lines(d.text.String()) {
		if strings.HasPrefix(line, "#") {
			item.WriteString("  " + line)
			continue
		}
		item.WriteString(indent + line)
		indent = "    "
	}
	return item.String()
}

// bytesOfPod is about what one pod of a ClusterPolicyEndpoint takes.
const bytesOfPod = 105

// WriteDocument writes one document of about size bytes: a ClusterPolicyEndpoint with many pods.
func WriteDocument(w io.Writer, seed uint64, size int) error {
	d := newDraft(seed)
	d.start(Sound)
	d.policyEndpoint(size / bytesOfPod)
	_, err := w.Write(d.text.Bytes())
	return err
}
