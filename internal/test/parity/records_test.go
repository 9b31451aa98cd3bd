package parity

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestRecordedCasesAreReadBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cases.jsonl.gz")
	want := []Case{
		{Name: "a <b> & c", Verdict: Verdict{Accepted: true}}, {Name: "second", Request: Request{New: "{}\n", JSON: true}},
	}
	if err := WriteCases(file, want); err != nil {
		t.Fatal(err)
	}
	have, err := ReadCases(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %+v, want %+v", have, want)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteCases(file, want[:1]); err != nil {
		t.Fatal(err)
	}
	if same, err := IsRecord(file, want); same || err != nil {
		t.Errorf("after other cases are written: IsRecord: have %v, %v", same, err)
	}
	if err := WriteCases(file, want); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(file); !bytes.Equal(first, again) {
		t.Error("the same cases give other bytes")
	}
}

// A record must not show up as changed because another version of Go compressed it to other bytes.
func TestARecordOfTheSameCasesStaysAsItIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cases.jsonl.gz")
	cases := []Case{{Name: "one"}}
	text, err := encode(cases)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Comment = "compressed elsewhere"
	z.Write(text)
	z.Close()
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteCases(file, cases); err != nil {
		t.Fatal(err)
	}
	if have, _ := os.ReadFile(file); !bytes.Equal(have, b.Bytes()) {
		t.Error("the file was written again")
	}
}

func TestMissingRecordsAreAnError(t *testing.T) {
	if cases, err := Cases(t.TempDir()); err == nil {
		t.Errorf("have %d cases and no error", len(cases))
	}
}
