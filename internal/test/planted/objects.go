package planted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/test/parity"
	"github.com/kindvet/kindvet/internal/workspace"
)

// Object is one that an API server creates, and in which kindvet finds nothing.
type Object struct {
	Value map[string]any
	// IsBuiltIn means that the oracle of built-in kinds has the verdict.
	IsBuiltIn bool
}

// Objects returns those of the recorded verdicts. oracle is the directory with them; dir is an empty directory.
func Objects(ctx context.Context, oracle, dir string) (good []Object, err error) {
	files, err := filepath.Glob(filepath.Join(oracle, "testdata", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s: no records", oracle))
	}
	var all []Object
	isKnown := map[string]bool{}
	for _, file := range append(files, filepath.Join(oracle, "builtin", "testdata", "cases.jsonl.gz")) {
		cases, err := parity.ReadCases(file)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if !c.Verdict.Accepted || c.Old != "" || c.JSON || isKnown[c.New] || strings.HasPrefix(c.Schema, "internal/") {
				continue
			}
			isKnown[c.New] = true
			if object, ok := Read(c.New); ok {
				all = append(all, Object{object, c.Kind != ""})
			}
		}
	}
	texts := map[string]string{}
	for i, o := range all {
		text, err := json.Marshal(o.Value)
		if err != nil {
			return nil, err
		}
		texts[nameOf(i, "a.json")] = string(text)
	}
	report, err := workspace.Run(ctx, options(dir, texts))
	if err != nil {
		return nil, err
	}
	found := byFile(report.Report.Violations)
	for i, o := range all {
		if len(found[nameOf(i, "a.json")]) == 0 {
			good = append(good, o)
		}
	}
	return good, nil
}
