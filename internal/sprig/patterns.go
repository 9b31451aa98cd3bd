package sprig

import (
	"regexp"
	"text/template"

	"github.com/kindvet/kindvet/internal/semver"
)

// patterns returns the functions about regular expressions and versions.
func patterns() template.FuncMap {
	return template.FuncMap{
		"regexMatch":     func(pattern, text string) bool { is, _ := regexp.MatchString(pattern, text); return is },
		"mustRegexMatch": regexp.MatchString,
		"regexFindAll": func(pattern, text string, n int) []string {
			return regexp.MustCompile(pattern).FindAllString(text, n)
		},
		"mustRegexFindAll": func(pattern, text string, n int) ([]string, error) {
			return with(pattern, []string{}, func(r *regexp.Regexp) []string { return r.FindAllString(text, n) })
		},
		"regexFind": func(pattern, text string) string { return regexp.MustCompile(pattern).FindString(text) },
		"mustRegexFind": func(pattern, text string) (string, error) {
			return with(pattern, "", func(r *regexp.Regexp) string { return r.FindString(text) })
		},
		"regexReplaceAll": func(pattern, text, by string) string {
			return regexp.MustCompile(pattern).ReplaceAllString(text, by)
		},
		"mustRegexReplaceAll": func(pattern, text, by string) (string, error) {
			return with(pattern, "", func(r *regexp.Regexp) string { return r.ReplaceAllString(text, by) })
		},
		"regexReplaceAllLiteral": func(pattern, text, by string) string {
			return regexp.MustCompile(pattern).ReplaceAllLiteralString(text, by)
		},
		"mustRegexReplaceAllLiteral": func(pattern, text, by string) (string, error) {
			return with(pattern, "", func(r *regexp.Regexp) string { return r.ReplaceAllLiteralString(text, by) })
		},
		"regexSplit": func(pattern, text string, n int) []string { return regexp.MustCompile(pattern).Split(text, n) },
		"mustRegexSplit": func(pattern, text string, n int) ([]string, error) {
			return with(pattern, []string{}, func(r *regexp.Regexp) []string { return r.Split(text, n) })
		},
		"regexQuoteMeta": regexp.QuoteMeta,
		"semver":         semver.NewVersion, "semverCompare": semverCompare,
	}
}

// with returns what a compiled pattern yields, or a value and the error of the pattern.
func with[R any](pattern string, otherwise R, use func(*regexp.Regexp) R) (R, error) {
	r, err := regexp.Compile(pattern)
	if err != nil {
		return otherwise, err
	}
	return use(r), nil
}

func semverCompare(constraint, version string) (bool, error) {
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return false, err
	}
	v, err := semver.NewVersion(version)
	if err != nil {
		return false, err
	}
	return c.Check(v), nil
}
