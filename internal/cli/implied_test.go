package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

func TestAPipeThatStaysOpenIsNotWaitedForForEver(t *testing.T) {
	open, write := io.Pipe()
	defer write.Close()
	s := Streams{In: open, InIsPipe: true, Err: io.Discard, Patience: time.Millisecond}
	if path, err := s.impliedPath(false); err == nil {
		t.Errorf("have %q, want an error", path)
	}
}

func TestWhatIsCheckedWithoutPaths(t *testing.T) {
	for _, c := range []struct {
		name       string
		s          Streams
		text       string
		isStdin    bool
		want, said string
	}{
		{name: "a terminal", want: "."},
		{name: "a text that is not a pipe", text: "a: 1", want: "."},
		{name: "a pipe", s: Streams{InIsPipe: true}, text: "a: 1", want: "-"},
		{
			name: "an empty pipe", s: Streams{InIsPipe: true}, want: ".",
			said: "kindvet: standard input is empty; checking the current directory\n",
		},
		{name: "a file", s: Streams{InIsFile: true}, text: "a: 1", want: "-"},
		{name: "an empty file", s: Streams{InIsFile: true}, want: "-"},
		{name: "a terminal that has a name", isStdin: true, want: "-"},
		{name: "an empty pipe that has a name", s: Streams{InIsPipe: true}, isStdin: true, want: "-"},
	} {
		var said bytes.Buffer
		c.s.In, c.s.Err = strings.NewReader(c.text), &said
		have, err := c.s.impliedPath(c.isStdin)
		if err != nil || have != c.want || said.String() != c.said {
			t.Errorf("%s: have %q, %v, saying %q; want %q, saying %q", c.name, have, err, said.String(), c.want, c.said)
		}
		if text, _ := io.ReadAll(c.s.In); string(text) != c.text {
			t.Errorf("%s: %q is left to read, want %q", c.name, text, c.text)
		}
	}
}
