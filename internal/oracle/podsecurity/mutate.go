package podsecurity

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Mutator generates objects with pods that differ in the fields that checks read. The same start gives the same
// objects.
type Mutator struct{ rand *rand.Rand }

// NewMutator returns a mutator.
func NewMutator(start uint64) *Mutator { return &Mutator{rand.New(rand.NewPCG(start, 0))} }

type object = map[string]any

// null is a null, which is the same as no value.
var null = object(nil)

// field is a field that a check reads, and values to set it to. nil removes the field.
type field struct {
	path   string
	values []any
}

func list(values ...any) []any { return values }

var profiles = list(nil, null, object{"type": "RuntimeDefault"},
	object{"type": "Localhost", "localhostProfile": "a.json"}, object{"type": "Unconfined"})

var seLinux = list(nil, null, object{}, object{"level": "s0"}, object{"type": ""}, object{"type": "container_t"},
	object{"type": "container_init_t"},
	object{"type": "container_kvm_t"}, object{"type": "container_engine_t"}, object{"type": "spc_t"},
	object{"user": "sysadm_u"}, object{"role": "sysadm_r"}, object{"type": "container_t", "user": "", "role": ""},
	object{"type": "spc_t", "user": "a", "role": "b"})

var flags = list(nil, null, true, true, false)

// ofBoth are the fields of the securityContext of pods and of containers. Those of pods on Windows are apart.
var ofBoth = []field{
	{"securityContext.runAsNonRoot", list(nil, null, true, true, false)},
	{"securityContext.runAsUser", list(nil, null, 0, 1, 1000)},
	{"securityContext.seccompProfile", profiles},
	{"securityContext.appArmorProfile", profiles},
	{"securityContext.seLinuxOptions", seLinux},
	{"securityContext.runAsGroup", list(nil, 0, 5)}, // no check reads it
}

var ofPods = []field{
	{"securityContext", list(nil, null, object{})},
	{"hostNetwork", flags},
	{"hostPID", flags},
	{"hostIPC", flags},
	{"hostUsers", flags},
	{"os", list(nil, object{"name": "linux"})},
	{"securityContext.sysctls", list(nil, list(), sysctls("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range"),
		sysctls("net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"),
		sysctls("net.ipv4.ip_local_reserved_ports"), sysctls("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout"),
		sysctls("net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"), sysctls("net.ipv4.tcp_rmem"),
		sysctls("net.ipv4.tcp_wmem"), sysctls("kernel.msgmax"), sysctls("kernel.shm_rmid_forced", "net.ipv4.tcp_mem"))},
}

func sysctls(names ...string) (all []any) {
	for _, name := range names {
		all = append(all, object{"name": name, "value": "0"})
	}
	return all
}

var handlers = list(nil, null, object{"httpGet": object{"port": 80}},
	object{"httpGet": object{"port": 80, "host": ""}}, object{"httpGet": object{"port": 80, "host": null}},
	object{"httpGet": object{"port": 80, "host": "127.0.0.1"}}, object{"tcpSocket": object{"port": 80}},
	object{"tcpSocket": object{"port": 80, "host": "example.com"}}, object{"exec": object{"command": list("a")}})

var ofContainers = []field{
	{"securityContext", list(nil, null, object{})},
	{"securityContext.privileged", flags},
	{"securityContext.allowPrivilegeEscalation", list(nil, null, true, false, false)},
	{"securityContext.procMount", list(nil, null, "Default", "Unmasked", "Unmasked")},
	{"securityContext.capabilities", list(nil, null, object{})},
	{
		"securityContext.capabilities.drop",
		list(nil, null, list(), list("ALL"), list("all"), list("NET_RAW", "ALL"), list("NET_RAW")),
	},
	{"securityContext.capabilities.add",
		list(nil, null, list(), list("NET_BIND_SERVICE"), list("CHOWN"), list("NET_BIND_SERVICE", "SYS_ADMIN"),
			list("AUDIT_WRITE", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
			list("SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
			list("ALL"), list("chown"), list("CAP_CHOWN"))},
}

// ofRunning are the fields that ephemeral containers, and most init containers, cannot have.
var ofRunning = []field{
	{"ports", list(nil, null, list(object{"containerPort": 80}), list(object{"containerPort": 80, "hostPort": 0}),
		list(object{"containerPort": 80, "hostPort": 8080}),
		list(object{"containerPort": 80}, object{"containerPort": 81, "hostPort": 81}))},
	{"livenessProbe", handlers},
	{"readinessProbe", handlers},
	{"startupProbe", handlers},
	{"lifecycle.postStart", handlers},
	{"lifecycle.preStop", handlers},
}

// ofWindows are the fields that a pod on Windows can have.
var ofWindows = []field{
	{"securityContext.runAsNonRoot", list(nil, true, true, false)},
	{"securityContext.windowsOptions", list(nil, object{}, object{"hostProcess": false}, object{"runAsUserName": "a"})},
}

// hostProcess are the changes that make a pod one of HostProcess containers, which the API server allows only
// together.
var hostProcess = []field{
	{"securityContext.windowsOptions", list(object{"hostProcess": true})},
	{"hostNetwork", list(true)},
}

var annotations = list(nil, null, object{},
	object{"container.apparmor.security.beta.kubernetes.io/main": "runtime/default"},
	object{"container.apparmor.security.beta.kubernetes.io/main": "localhost/a"},
	object{"container.apparmor.security.beta.kubernetes.io/main": "unconfined"},
	object{"seccomp.security.alpha.kubernetes.io/pod": "runtime/default"},
	object{"seccomp.security.alpha.kubernetes.io/pod": "unconfined"},
	object{"seccomp.security.alpha.kubernetes.io/pod": "docker/default"},
	object{"container.seccomp.security.alpha.kubernetes.io/main": "localhost/a"},
	object{"container.seccomp.security.alpha.kubernetes.io/main": "unconfined"},
	object{"container.seccomp.security.alpha.kubernetes.io/other": "unconfined"},
	object{"example.com/a": "unconfined"})

var volumes = map[string]object{
	"configMap": {"name": "a"}, "csi": {"driver": "a.example.com"}, "downwardAPI": {}, "emptyDir": {},
	"image": {"reference": "a"},
	"ephemeral": {"volumeClaimTemplate": object{"spec": object{
		"accessModes": list("ReadWriteOnce"), "resources": object{"requests": object{"storage": "1Gi"}},
	}}},
	"persistentVolumeClaim": {"claimName": "a"}, "projected": {"sources": list()}, "secret": {"secretName": "a"},
	"hostPath": {"path": "/a"}, "gcePersistentDisk": {"pdName": "a"}, "awsElasticBlockStore": {"volumeID": "a"},
	"gitRepo": {"repository": "a"}, "nfs": {"server": "a", "path": "/a"},
	"iscsi":     {"targetPortal": "192.0.2.1", "iqn": "iqn.2001-04.com.example:a", "lun": 0},
	"glusterfs": {"endpoints": "a", "path": "a"}, "rbd": {"monitors": list("a"), "image": "a"},
	"flexVolume": {"driver": "a/b"},
	"cinder":     {"volumeID": "a"}, "cephfs": {"monitors": list("a")}, "flocker": {"datasetName": "a"},
	"fc":        {"targetWWNs": list("a"), "lun": 0},
	"azureFile": {"secretName": "a", "shareName": "a"}, "vsphereVolume": {"volumePath": "a"},
	"quobyte":   {"registry": "a:1", "volume": "a"},
	"azureDisk": {"diskName": "a", "diskURI": "https://example.com/a"}, "portworxVolume": {"volumeID": "a"},
	"photonPersistentDisk": {"pdID": "a"},
	"scaleIO":              {"gateway": "a", "system": "a", "secretRef": object{"name": "a"}, "volumeName": "a"},
	"storageos":            {"volumeName": "a"},
}

// Next generates an object of a kind that has pods.
func (m *Mutator) Next() string {
	pod := object{"containers": list(container("main"))}
	m.addContainers(pod)
	metadata := object{"name": "a", "namespace": "a"}
	if pick(m, list(true, false, false, false)) == true {
		m.mutateWindows(pod)
	} else {
		m.mutateLinux(pod, metadata)
	}
	for range m.rand.IntN(3) / 2 * (1 + m.rand.IntN(3)) {
		m.addVolume(pod)
	}
	text, err := yaml.Marshal(m.wrap(metadata, pod))
	if err != nil {
		panic("a generated object consists of maps, lists and scalars: " + err.Error())
	}
	return string(text)
}

func container(name string) object {
	return object{"name": name, "image": "a", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}
}

func (m *Mutator) addContainers(pod object) {
	for _, kind := range []string{"containers", "initContainers", "ephemeralContainers"} {
		if m.rand.IntN(3) > 0 {
			continue
		}
		all, _ := pod[kind].([]any)
		for i := range 1 + m.rand.IntN(2) {
			all = append(all, container(strings.ToLower(kind[:3])+strconv.Itoa(i)))
		}
		pod[kind] = all
	}
}

// eachContainer calls visit for each container of a pod.
func eachContainer(pod object, visit func(kind string, c object)) {
	for _, kind := range []string{"containers", "initContainers", "ephemeralContainers"} {
		all, _ := pod[kind].([]any)
		for _, c := range all {
			visit(kind, c.(object))
		}
	}
}

// mutateLinux starts from a pod that the level restricted allows, or from one without any field that a check reads.
func (m *Mutator) mutateLinux(pod, metadata object) {
	if m.rand.IntN(4) > 0 {
		pod["securityContext"] = object{"runAsNonRoot": true, "seccompProfile": object{"type": "RuntimeDefault"}}
		eachContainer(pod, func(_ string, c object) {
			c["securityContext"] = object{"allowPrivilegeEscalation": false, "capabilities": object{"drop": list("ALL")}}
		})
	}
	for range m.rand.IntN(4) {
		m.change(pod, slices.Concat(ofPods, ofBoth))
	}
	if m.rand.IntN(6) == 0 {
		pod["hostUsers"] = false
	}
	eachContainer(pod, func(kind string, c object) {
		if kind == "initContainers" && m.rand.IntN(2) == 0 {
			c["restartPolicy"] = "Always"
		}
		fields := slices.Concat(ofContainers, ofBoth)
		if kind == "containers" || c["restartPolicy"] != nil {
			fields = append(fields, ofRunning...)
		}
		for range m.rand.IntN(7) / 2 {
			m.change(c, fields)
		}
	})
	if m.rand.IntN(4) == 0 {
		set(metadata, "annotations", pick(m, annotations))
	}
}

func (m *Mutator) mutateWindows(pod object) {
	pod["os"] = object{"name": "windows"}
	if m.rand.IntN(2) == 0 {
		pod["securityContext"] = object{"runAsNonRoot": true}
	}
	for range m.rand.IntN(3) {
		m.change(pod, ofWindows)
	}
	eachContainer(pod, func(kind string, c object) {
		fields := ofWindows
		if kind == "containers" {
			fields = slices.Concat(ofWindows, ofRunning)
		}
		for range m.rand.IntN(3) {
			m.change(c, fields)
		}
	})
	if m.rand.IntN(5) == 0 {
		delete(pod, "ephemeralContainers")
		eachContainer(pod, func(_ string, c object) { delete(c, "securityContext") })
		for _, f := range hostProcess {
			m.change(pod, []field{f})
		}
	}
	if m.rand.IntN(8) == 0 { // the API server rejects most of these
		m.change(pod, slices.Concat(ofPods, ofBoth))
	}
}

// change sets or removes one of the fields.
func (m *Mutator) change(in object, fields []field) {
	f := fields[m.rand.IntN(len(fields))]
	set(in, f.path, pick(m, f.values))
}

func pick(m *Mutator, values []any) any { return clone(values[m.rand.IntN(len(values))]) }

// set sets a field, and creates the objects that lead to it. nil removes the field.
func set(in object, path string, value any) {
	first, rest, below := strings.Cut(path, ".")
	switch {
	case below:
		next, ok := in[first].(object)
		if !ok || next == nil {
			if value == nil {
				return
			}
			next = object{}
			in[first] = next
		}
		set(next, rest, value)
	case value == nil:
		delete(in, first)
	default:
		in[first] = value
	}
}

func clone(value any) any {
	switch v := value.(type) {
	case object:
		if v == nil {
			return v
		}
		c := object{}
		for name, field := range v {
			c[name] = clone(field)
		}
		return c
	case []any:
		c := make([]any, 0, len(v))
		for _, item := range v {
			c = append(c, clone(item))
		}
		return c
	}
	return value
}

var volumeTypes = slices.Sorted(maps.Keys(volumes))

func (m *Mutator) addVolume(pod object) {
	all, _ := pod["volumes"].([]any)
	name := volumeTypes[m.rand.IntN(len(volumeTypes))]
	pod["volumes"] = append(all, object{"name": fmt.Sprintf("v%d", len(all)), name: clone(volumes[name])})
}

var kinds = []string{
	"CronJob", "DaemonSet", "Deployment", "Job", "Pod", "PodTemplate", "ReplicaSet", "ReplicationController",
	"StatefulSet",
}

// wrap returns an object of any kind with this pod. Only a Pod can have ephemeral containers.
func (m *Mutator) wrap(metadata, pod object) object {
	kind := kinds[m.rand.IntN(len(kinds))]
	if m.rand.IntN(3) == 0 || pod["ephemeralContainers"] != nil {
		return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}
	}
	labels := object{"app": "a"}
	of := object{"labels": labels}
	if metadata["annotations"] != nil {
		of["annotations"] = metadata["annotations"]
	}
	template := object{"metadata": of, "spec": pod}
	identity := object{"name": "a", "namespace": "a"}
	spec := object{"template": template, "selector": object{"matchLabels": labels}}
	switch kind {
	case "Pod":
		return object{"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": pod}
	case "PodTemplate":
		return object{"apiVersion": "v1", "kind": kind, "metadata": identity, "template": template}
	case "ReplicationController":
		spec["selector"] = labels
		return object{"apiVersion": "v1", "kind": kind, "metadata": identity, "spec": spec}
	case "Job", "CronJob":
		pod["restartPolicy"] = "Never"
		delete(spec, "selector")
		if kind == "CronJob" {
			spec = object{"schedule": "0 0 * * *", "jobTemplate": object{"spec": spec}}
		}
		return object{"apiVersion": "batch/v1", "kind": kind, "metadata": identity, "spec": spec}
	case "StatefulSet":
		spec["serviceName"] = "a"
	}
	return object{"apiVersion": "apps/v1", "kind": kind, "metadata": identity, "spec": spec}
}
