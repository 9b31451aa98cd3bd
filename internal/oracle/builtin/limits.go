package builtin

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// Changes of scalars and keys at the limits of what validation allows.

var bounds = []int64{
	-1, 0, 1, 2, 10, 64, 65, 100, 101, 255, 256, 511, 512, 600, 1000, 1001, 3600, 3601, 10000, 10001, 30000, 32767, 32768,
	65535, 65536, 86400, 86401, 100000, 100001, 1000000000, 1000000001, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32,
}

func setBound(m *Mutator, _ []site, s site) bool {
	schema := m.definitions.resolve(s.schema)
	if !schema.Type.Contains("integer") {
		return false
	}
	value := bounds[m.rand.IntN(len(bounds))]
	if old, err := strconv.ParseInt(s.value().Value, 10, 64); err == nil && m.rand.IntN(3) == 0 {
		value = []int64{old + 1, old - 1, -old, old * 2}[m.rand.IntN(4)]
	}
	if schema.Format == "int32" { // a patch that does not fit is cut to 32 bits, which is no validation
		value = max(math.MinInt32, min(math.MaxInt32, value))
	}
	s.set(plain(strconv.FormatInt(value, 10)))
	return true
}

// lengths are the limits of names and keys in Kubernetes, and one more.
var lengths = []int{
	1, 15, 16, 32, 33, 52, 53, 57, 58, 63, 64, 128, 129, 253, 254, 256, 257, 512, 513, 1024, 1025, 2048, 2049,
}

// setLength sets a string of a length that is a limit somewhere.
func setLength(m *Mutator, _ []site, s site) bool {
	if s.value().Kind != yaml.ScalarNode || !m.definitions.resolve(s.schema).Type.Contains("string") {
		return false
	}
	s.set(quoted(longName(m)))
	return true
}

func longName(m *Mutator) string {
	n := lengths[m.rand.IntN(len(lengths))]
	switch m.rand.IntN(4) {
	case 0:
		label := strings.Repeat("a", min(63, max(1, n/2)))
		return strings.TrimRight((strings.Repeat(label+".", n/(len(label)+1)+1))[:n], ".")
	case 1:
		return "example.com/" + strings.Repeat("a", n)
	}
	return strings.Repeat("a", n)
}

// changeCharacter makes a small change that turns a valid name into an invalid one, or into another valid one.
func changeCharacter(m *Mutator, _ []site, s site) bool {
	if s.value().Kind != yaml.ScalarNode || !m.definitions.resolve(s.schema).Type.Contains("string") {
		return false
	}
	s.set(quoted(changedText(m, s.value().Value)))
	return true
}

func changedText(m *Mutator, old string) string {
	part := pick(m.rand, "-", ".", "_", "/", " ", "A", "1", "a", ":", "%", "*", "@", "é", "\n", "=", ",", "..", "--")
	i := m.rand.IntN(len(old) + 1)
	changed := pick(m.rand, part+old, old+part, strings.ToUpper(old), old+old, old[:i]+part+old[i:], old[i:],
		strings.TrimSpace(old)+" ")
	return strings.ToValidUTF8(changed, "") // i may be inside of a character
}

var keys = []string{
	"a", "A", "example.com/a", "a.b/c", "A.b/c", "a/", "/a", "a/b/c", "", " ", "a b", "a_b", "-a", "a-", "a..b", ".",
	"..", "..a", "kubernetes.io/a", "app", "1", "a:b", "é", "KEY", "cpu", "memory", "storage", "pods", "limits.cpu",
	"requests.memory", "requests.storage", "ephemeral-storage", "hugepages-2Mi", "hugepages-1", "example.com/gpu",
	"count/pods", "count/deployments.apps", "services.nodeports", "requests.example.com/gpu",
	"gold.storageclass.storage.k8s.io/requests.storage", "persistentvolumeclaims", "kubernetes.io/gpu",
	"limits.example.com/gpu", "requests.hugepages-2Mi", "tls.crt", "tls.key", ".dockerconfigjson", ".dockercfg",
	"ssh-privatekey", "username", "password", "kubernetes.io/hostname", "kubernetes.io/os", "node.kubernetes.io/a",
	"kubernetes.io/service-account.name", "seccomp.security.alpha.kubernetes.io/pod",
	"container.apparmor.security.beta.kubernetes.io/web", "scheduler.alpha.kubernetes.io/tolerations",
	"endpoints.kubernetes.io/over-capacity", "service.kubernetes.io/topology-mode", "kubernetes.io/ingress.class",
	"volume.beta.kubernetes.io/storage-class", "kubernetes.io/config.mirror",
	"controller.kubernetes.io/pod-deletion-cost", "batch.kubernetes.io/controller-uid", "controller-uid", "job-name",
}

// changeMapKey changes a key of a map, or adds one with the same value.
func changeMapKey(m *Mutator, _ []site, s site) bool {
	if !s.inMap {
		return false
	}
	key := keys[m.rand.IntN(len(keys))]
	switch m.rand.IntN(4) {
	case 0:
		key = longName(m)
	case 1:
		key = changedText(m, s.key())
	}
	if at(s.parent, key) != nil {
		return false
	}
	if m.rand.IntN(2) == 0 {
		s.setKey(quoted(key))
	} else {
		s.insert(quoted(key), clone(s.value()))
	}
	return true
}

// renameReference renames one of several equal strings: one side of a reference.
func renameReference(m *Mutator, all []site, s site) bool {
	n := s.value()
	if n.Kind != yaml.ScalarNode || !m.definitions.resolve(s.schema).Type.Contains("string") || n.Value == "" {
		return false
	}
	same := 0
	for _, other := range all {
		if v := other.value(); v.Kind == yaml.ScalarNode && v.Value == n.Value ||
			other.isField() && other.inMap && other.key() == n.Value {
			same++
		}
	}
	if same < 2 {
		return false
	}
	s.set(quoted(pick(m.rand, n.Value+"2", "other")))
	return true
}

// copyValue sets the value of another field of the same type, often of one with the same name.
func copyValue(m *Mutator, all []site, s site) bool {
	for range 10 {
		other := all[m.rand.IntN(len(all))]
		if other.parent == s.parent && other.index == s.index || other.schema == nil || s.schema == nil ||
			sameText(other.value(), s.value()) {
			continue
		}
		if !m.definitions.isSameType(s.schema, other.schema) || strings.HasPrefix(s.path, other.path) {
			continue
		}
		old := s.value()
		s.set(clone(other.value()))
		if m.rand.IntN(3) == 0 && !strings.HasPrefix(other.path, s.path) {
			other.set(old)
		}
		return true
	}
	return false
}

func setEnumValue(m *Mutator, _ []site, s site) bool {
	enum := m.definitions.resolve(s.schema).Enum
	if len(enum) == 0 {
		return false
	}
	value := fmt.Sprint(enum[m.rand.IntN(len(enum))])
	if m.rand.IntN(5) == 0 {
		value = pick(m.rand, strings.ToLower(value), value+" ", "Other", "")
	}
	if value == s.value().Value {
		return false
	}
	s.set(quoted(value))
	return true
}

func setPercentage(m *Mutator, _ []site, s site) bool {
	if !strings.HasSuffix(typeName(s.schema), ".IntOrString") {
		return false
	}
	if m.rand.IntN(3) == 0 {
		s.set(plain(pick(m.rand, "0", "1", "2", "-1", "100", "65535", "65536")))
	} else {
		s.set(quoted(pick(m.rand, "0%", "1%", "25%", "100%", "101%", "-1%", "1.5%", "%", "00%", "a", "http", "1", "")))
	}
	return true
}

func setQuantity(m *Mutator, _ []site, s site) bool {
	if !strings.HasSuffix(typeName(s.schema), ".Quantity") {
		return false
	}
	s.set(quoted(pick(m.rand, "0", "1", "2", "100m", "1m", "0.5", "1500m", "1Gi", "64Mi", "2Mi", "3Mi", "1k", "-1", "1u",
		"1n", "10E", "1e3", "0.0001", "100M", "1.5Gi")))
	return true
}
