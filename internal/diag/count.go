package diag

import "strconv"

// Count formats a number of things, such as "1 item" or "2 items". The plural of noun must be formed with s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun + "s"
}
