package formats

import (
	"archive/zip"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "time/tzdata"
)

var update = flag.Bool("update", false, "write timezones.txt")

// The list comes from the time zones of Go itself. With -update, the test writes it.
func TestTimeZonesAreThoseOfGo(t *testing.T) {
	if *update {
		writeTimeZones(t)
	}
	text, err := os.ReadFile("timezones.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(text))
	if len(names) < 590 || !slices.IsSorted(names) {
		t.Fatalf("%d names", len(names))
	}
	for _, name := range names {
		if _, err := time.LoadLocation(name); err != nil {
			t.Error(err)
		}
	}
}

func writeTimeZones(t *testing.T) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var names []string
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name+"\n")
		}
	}
	slices.Sort(names)
	if err := os.WriteFile("timezones.txt", []byte(strings.Join(names, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
