package formats

import (
	"strconv"
	"strings"
	"time"
)

// cronField is a field of a cron schedule: the values that it may have, and their names in lower case.
type cronField struct {
	least, most int
	names       string
}

// cronFields are the fields of a schedule, in order.
var cronFields = [...]cronField{
	{least: 0, most: 59},
	{least: 0, most: 23},
	{least: 1, most: 31},
	{least: 1, most: 12, names: " janfebmaraprmayjunjulaugsepoctnovdec"},
	{least: 0, most: 6, names: "sunmontuewedthufrisat"},
}

// isCronSchedule reports whether a text is a schedule (github.com/robfig/cron/v3, ParseStandard, which the server
// uses). As upstream, it may begin with a time zone, a field may consist of commas, and the end of a range that begins
// with a star is ignored.
func isCronSchedule(text string) bool {
	if strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ=") {
		zone, rest, ok := strings.Cut(text, " ")
		if _, zone, _ = strings.Cut(zone, "="); !ok || zone != "" && zone != "Local" && !isTimeZone(zone) {
			return false
		}
		text = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(text, "@") {
		return isCronDescriptor(text)
	}
	fields := strings.Fields(text)
	if len(fields) != len(cronFields) {
		return false
	}
	for i, f := range fields {
		for r := range strings.SplitSeq(f, ",") {
			if r != "" && !cronFields[i].hasRange(r) {
				return false
			}
		}
	}
	return true
}

func isCronDescriptor(text string) bool {
	switch text {
	case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
		return true
	}
	every, ok := strings.CutPrefix(text, "@every ")
	if !ok {
		return false
	}
	_, err := time.ParseDuration(every)
	return err == nil
}

// hasRange reports whether a range, such as "5", "1-5" or "*/2", is valid for a field.
func (f cronField) hasRange(text string) bool {
	limits, step, hasStep := strings.Cut(text, "/")
	low, high, isPair := strings.Cut(limits, "-")
	start, end := f.least, f.most
	if low != "*" && low != "?" {
		var ok bool
		if start, ok = f.value(low); !ok {
			return false
		}
		switch {
		case isPair:
			if end, ok = f.value(high); !ok {
				return false
			}
		case !hasStep:
			end = start
		}
	}
	if hasStep {
		n, err := strconv.Atoi(step)
		if err != nil || n <= 0 {
			return false
		}
	}
	return f.least <= start && start <= end && end <= f.most
}

// value returns the value that a number or a name stands for.
func (f cronField) value(text string) (int, bool) {
	if i := strings.Index(f.names, strings.ToLower(text)); len(text) == 3 && i >= 0 {
		if at := i - f.least; at%3 == 0 {
			return at/3 + f.least, true
		}
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0
}
