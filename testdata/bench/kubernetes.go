package bench

import "path/filepath"

// Kubernetes is a stream of Services and Deployments in turn, as applications have them.
const Kubernetes Workloads = "Deployment"

// writeKubernetes writes the document of a number: a Service, then the Deployment that a Service may select.
func writeKubernetes(d *draft, number int) {
	if number%2 == 0 {
		writeService(d)
		return
	}
	writeDeployment(d)
}

func writeService(d *draft) {
	name := d.name()
	d.head("v1", "Service", name, namespaced)
	d.line("spec:")
	d.line("  type: %s", d.pick([]string{"ClusterIP", "NodePort", "LoadBalancer"}))
	d.line("  selector:")
	d.line("    app.kubernetes.io/name: %s", name)
	if d.chance(4) {
		d.line("  sessionAffinity: None")
		d.line("  publishNotReadyAddresses: true")
	}
	d.line("  ports:")
	d.line("    - name: http")
	d.line("      port: 80")
	d.line("      targetPort: http")
	d.line("      protocol: TCP")
	if d.chance(2) {
		d.line("    - {name: metrics, port: %d, targetPort: %d}", d.between(9000, 9100), d.between(9000, 9100))
	}
}

func writeDeployment(d *draft) {
	name := d.name()
	d.head("apps/v1", "Deployment", name, namespaced)
	d.line("spec:")
	d.faulty(UnknownField, "  replica: 2")
	d.line("  replicas: %s", d.unless(WrongType, "2", `"2"`))
	d.faulty(DuplicateKey, "  replicas: 3")
	d.line("  revisionHistoryLimit: %d", d.between(1, 10))
	d.line("  selector:")
	d.line("    matchLabels:")
	d.line("      app.kubernetes.io/name: %s", name)
	d.line("  strategy:")
	d.line("    type: RollingUpdate")
	d.line("    rollingUpdate: {maxSurge: 25%%, maxUnavailable: %d}", d.between(0, 3))
	d.line("  template:")
	d.line("    metadata:")
	d.line("      labels:")
	d.line("        app.kubernetes.io/name: %s", name)
	d.line("    spec:")
	d.line("      serviceAccountName: %s", name)
	d.line("      securityContext: {runAsNonRoot: true, runAsUser: %d}", d.between(1000, 2000))
	d.line("      containers:")
	writeContainer(d, name, "http", d.between(8000, 9000))
	if d.chance(3) {
		writeContainer(d, "proxy", "proxy", d.between(15000, 16000))
	}
	d.line("      volumes:")
	d.line("        - name: data")
	d.line("          emptyDir: {sizeLimit: %dMi}", d.between(1, 64)*64)
	d.line("        - name: settings")
	d.line("          configMap:")
	d.line("            name: %s", name)
}

func writeContainer(d *draft, name, port string, number int) {
	d.line("        - name: %s", name)
	d.line("          image: images.example.com/%s/%s:%d.%d.%d", d.pick(teams), name, d.between(0, 9), d.between(0, 40),
		d.between(0, 20))
	d.line("          imagePullPolicy: IfNotPresent")
	d.line("          ports:")
	d.line("            - name: %s", port)
	d.line("              containerPort: %d", number)
	d.line("          env:")
	d.line("            - name: ZONE")
	d.line(`              value: "%s"`, d.pick(zones))
	d.line("            - name: NODE_NAME")
	d.line("              valueFrom:")
	d.line("                fieldRef: {fieldPath: spec.nodeName}")
	d.line("          readinessProbe:")
	d.line("            httpGet: {path: /ready, port: %s}", port)
	d.line("            periodSeconds: %d", d.between(5, 30))
	d.line("          resources:")
	d.line("            requests: {cpu: %dm, memory: %dMi}", d.between(1, 20)*100, d.between(1, 64)*64)
	d.line("            limits:")
	d.line("              memory: %dMi", d.between(64, 128)*64)
	d.line("          volumeMounts:")
	d.line("            - {name: data, mountPath: /var/lib/%s}", name)
	d.line("            - name: settings")
	d.line("              mountPath: /etc/%s", name)
	d.line("              readOnly: true")
}

// WriteKubernetesFiles writes the documents of a stream of Kubernetes into a folder, each into a file as FileName
// names it.
func WriteKubernetesFiles(dir string, seed uint64, count int) error {
	d := newDraft(seed)
	for number := range count {
		d.start(Sound)
		writeKubernetes(d, number)
		if err := writeFile(filepath.Join(dir, FileName(number)), d.text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
