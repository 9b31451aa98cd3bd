package render

import "strings"

// uri returns a path as a URI, which is relative if the path is. It escapes every byte that is not unreserved (RFC
// 3986, section 2.3), so the URI contains no control characters and nothing that looks like a scheme.
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
		if c == '/' || c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' ||
			'a' <= c && c <= 'z' {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
	}
	return b.String()
}
