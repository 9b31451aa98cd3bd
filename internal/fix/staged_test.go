package fix

import "testing"

// A change of the git index is made in the working tree, too, if the lines there are the same.
func TestAChangeInAnotherVersionOfAText(t *testing.T) {
	for _, c := range []struct {
		about, before, after, other, want string
		isOther                           bool
	}{
		{about: "the same", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "a\nb\nc\n", want: "a\nB\nc\n"},
		{about: "lines before", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "x\na\nb\nc\n", want: "x\na\nB\nc\n"},
		{about: "a line right before", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "a\nx\nb\nc\n", want: "a\nx\nB\nc\n"},
		{about: "a line right after", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "a\nb\nx\nc\n", want: "a\nB\nx\nc\n"},
		{about: "without the lines around", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "b\n", want: "B\n"},
		{about: "another line", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "a\nx\nc\n", isOther: true},
		{about: "without the line", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "a\nc\n", isOther: true},
		{about: "empty", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "", isOther: true},
		{about: "changed already", before: "a\nb\nc\n", after: "a\nB\nc\n", other: "a\nB\nc\nd\n", want: "a\nB\nc\nd\n"},
		{about: "one of two is changed already", before: "a\nb\nc\nd\ne\n", after: "a\nB\nc\nD\ne\n", other: "a\nb\nc\nD\ne\n",
			want: "a\nB\nc\nD\ne\n"},
		{about: "one of two is another", before: "a\nb\nc\nd\ne\n", after: "a\nB\nc\nD\ne\n", other: "a\nb\nc\nx\ne\n", isOther: true},
		{about: "a new line", before: "a\nb\n", after: "a\nx\nb\n", other: "y\na\nb\n", want: "y\na\nx\nb\n"},
		{about: "a new line where there is another", before: "a\nb\n", after: "a\nx\nb\n", other: "a\ny\nb\n", isOther: true},
		{about: "a removed line", before: "a\nb\nc\n", after: "a\nc\n", other: "x\na\nb\nc\n", want: "x\na\nc\n"},
		{about: "CRLF in the working tree", before: "a\nb\nc\n", after: "a\nB\nx\nc\n", other: "a\r\nb\r\nc\r\n", want: "a\r\nB\r\nx\r\nc\r\n"},
		{about: "a new line with CRLF", before: "a\nb\n", after: "a\nx\nb\n", other: "a\r\nb\r\n", want: "a\r\nx\r\nb\r\n"},
		{about: "CRLF in the index", before: "a\r\nb\r\n", after: "a\r\nB\r\n", other: "a\nb\n", want: "a\nB\n"},
		{about: "no line break at the end", before: "a\nb", after: "a\nB", other: "x\na\nb", want: "x\na\nB"},
		{about: "not ASCII", before: "ä\nö\n", after: "ä\nü\n", other: "ß\nä\nö\n", want: "ß\nä\nü\n"},
	} {
		have, ok := alsoIn(c.other, c.before, c.after)
		if ok == c.isOther || have != c.want {
			t.Errorf("%s: have %q (%v), want %q", c.about, have, ok, c.want)
		}
	}
}
