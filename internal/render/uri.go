package render

import "strings"

// uri writes a path as a URI: relative if the path is, with every byte escaped that is not plain in any part of one
// (RFC 3986, section 2.3), and so free of control characters and of what could be taken for a scheme.
func uri(path string) string {
	var b strings.Builder
	switch {
	case strings.HasPrefix(path, "/"):
		b.WriteString("file://")
	case len(path) > 2 && path[1] == ':' && path[2] == '/':
		b.WriteString("file:///")
	}
	const hex = "0123456789ABCDEF"
	for i := range len(path) {
		c := path[i]
		if c == '/' || c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
	}
	return b.String()
}
