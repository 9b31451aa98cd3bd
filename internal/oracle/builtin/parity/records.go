package parity

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadCases returns the cases recorded in a .jsonl.gz file: one case per line, compressed.
func ReadCases(file string) ([]Case, error) { return readLines[Case](file) }

func readLines[T any](file string) ([]T, error) {
	text, err := readRecord(file)
	if err != nil {
		return nil, err
	}
	var cases []T
	for line := range bytes.Lines(text) {
		var c T
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// IsRecord reports whether a file holds exactly these cases, byte for byte after decompression.
func IsRecord[T any](file string, cases []T) (bool, error) {
	want, err := encode(cases)
	if err != nil {
		return false, err
	}
	have, err := readRecord(file)
	return err == nil && bytes.Equal(have, want), err
}

// WriteCases records cases in a file. A file that already holds them is left unchanged, because another version of
// Go may compress the same text to other bytes.
func WriteCases[T any](file string, cases []T) error {
	if same, err := IsRecord(file, cases); same || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := encode(cases)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression) // the header has no name and no time
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func encode[T any](cases []T) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, c := range cases {
		if err := e.Encode(c); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func readRecord(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return text, nil
}
