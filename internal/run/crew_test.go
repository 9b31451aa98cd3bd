package run

import (
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kindvet/kindvet/internal/kinds"
	"github.com/kindvet/kindvet/internal/lint"
)

// A worker checks many files in the memory of one: what is said of each is what is said of it alone.
func TestWhatIsSaidOfAFileOutlivesTheNext(t *testing.T) {
	rules, err := lint.New(lint.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	with := &settings{registry: kinds.Embedded(), rules: rules, unknownKinds: Auto}
	var files []file
	for _, folder := range []string{"kinds", "demo"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "testdata", folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && isManifest(path) {
				files = append(files, file{name: path, settings: with})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(files []file) [][]*outcome {
		c := crew{options: &Options{Jobs: 1}, pieceSize: pieceSize}
		return c.checkFiles(context.Background(), files)
	}
	said := 0
	for i, together := range check(files) {
		alone := check(files[i : i+1])[0]
		said += len(alone[0].violations)
		if !reflect.DeepEqual(together, alone) {
			t.Errorf("%s:\nhave %+v\nwant %+v", files[i].name, *together[0], *alone[0])
		}
	}
	if said < 500 {
		t.Errorf("only %d violations in %d files", said, len(files))
	}
}
