package diag

import "strconv"

// Count says how many of a thing there are, as "1 item" or "2 items"; the plural of the noun must end in s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun + "s"
}
