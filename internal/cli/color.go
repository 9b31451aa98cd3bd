package cli

// wantsColor reports whether to color a stream. The flag takes precedence over the environment (force-color.org,
// no-color.org, bixense.com/clicolors), and the environment over whether the stream is a terminal.
func wantsColor(when string, terminal bool, getenv func(string) string) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
	default:
		return false, invalidValue("color", when, "use auto, always or never")
	}
	switch force := getenv("FORCE_COLOR"); {
	case force != "":
		return force != "0", nil
	case getenv("NO_COLOR") != "":
		return false, nil
	}
	if force := getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true, nil
	}
	return terminal && getenv("CLICOLOR") != "0" && getenv("TERM") != "dumb", nil
}
