package formats

import (
	_ "embed"
	"strings"
)

// timeZones are the names of the time zones that Go knows, a line each. They take far less space than the time zones
// themselves, and the result does not depend on the machine.
//
//go:embed timezones.txt
var timeZones string

// isTimeZone reports whether a text is the name of a time zone (k8s.io/kubernetes,
// pkg/apis/batch/validation.validateTimeZone).
func isTimeZone(text string) bool {
	return !strings.Contains(text, "\n") && strings.Contains("\n"+timeZones, "\n"+text+"\n")
}
