package render

import (
	"bufio"
	"encoding/xml"
	"io"
)

// writeXML writes a value as an XML document. Its texts are clean already; the library escapes what XML has a meaning
// for.
func writeXML(w io.Writer, value any) error {
	out := bufio.NewWriter(w)
	out.WriteString(xml.Header)
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	if err := e.Encode(value); err != nil {
		return err
	}
	out.WriteString("\n")
	return out.Flush()
}
