package diag

import "strings"

// Article puts "a" or "an" before a noun, such as a type or a kind; null needs neither. A noun in U has "a", as
// a UDPRoute and a User do.
func Article(noun string) string {
	switch {
	case noun == "null" || noun == "":
		return noun
	case strings.ContainsRune("aeioAEIO", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}
