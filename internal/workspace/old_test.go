package workspace

import (
	"context"
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// Several workers use one old tree at the same time, so the race detector can check it.
func TestWorkersShareTheOldObjectsOfOneList(t *testing.T) {
	browser := func(i int, subnet string) string {
		return fmt.Sprintf("  spec: {name: b%d, networkConfiguration: {networkMode: VPC, vpcConfig: {subnets: [%s], securityGroups: [sg-0123456789abcdef0]}}}\n", i, subnet)
	}
	const objects = 40
	head := "apiVersion: agentcorecontrol.services.platform.cloud/v1alpha1\nkind: Browser\nmetadata: {name: b%d}\n"
	list := "apiVersion: v1\nkind: List\nitems:\n"
	dir := t.TempDir()
	current := filepath.Join(dir, "new")
	if err := os.Mkdir(current, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		item := fmt.Sprintf(head, i) + strings.TrimPrefix(browser(i, "subnet-0123456789abcdef0"), "  ")
		list += "- " + strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n  ") + "\n"
		changed := fmt.Sprintf(head, i) + strings.TrimPrefix(browser(i, "subnet-0123456789abcdef1"), "  ")
		if err := os.WriteFile(filepath.Join(current, fmt.Sprintf("b%02d.yaml", i)), []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := filepath.Join(dir, "old.yaml")
	if err := os.WriteFile(old, []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := runHere(context.Background(), Options{Files: find.Options{Paths: []string{current}, Old: old, NoConfig: true}, Jobs: 8})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range result.Report.Violations {
		line := 7 + 4*i // the line of the spec of item i
		if v.Rule != diag.ImmutableChanged || len(v.Related) != 1 || v.Related[0].Place.Start().Line != line {
			t.Fatalf("violation %d: have %+v, want a change of line %d", i, v, line)
		}
	}
	if have := len(result.Report.Violations); have != objects {
		t.Errorf("have %d violations, want %d", have, objects)
	}
}
