package render

import (
	"bufio"
	"encoding/xml"
	"io"
)

// writeXML writes a value as an XML document. Text in it must be clean; the library escapes the characters that are
// special in XML.
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
