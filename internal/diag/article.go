package diag

import "strings"

// Article puts "a" or "an" before a noun, such as a type or a kind. It returns "null" and "" unchanged. A noun that
// starts with U gets "a", as in a UDPRoute and a User.
func Article(noun string) string {
	switch {
	case noun == "null" || noun == "":
		return noun
	case strings.ContainsRune("aeioAEIO", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}
