package library

import (
	"net/url"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// URLs returns the functions of URLs, such as url and getHost (k8s.io/apiserver, cel/library/urls.go).
func URLs() cel.EnvOption {
	part := func(name, overload string, f func(*url.URL) string) cel.EnvOption {
		return method(name, overload, cel.StringType,
			unary(func(u *url.URL) ref.Val { return types.String(f(u)) }), apiservercel.URLType)
	}
	return newLibrary("kubernetes.urls",
		global("url", "string_to_url", apiservercel.URLType, unary(parseURL), cel.StringType),
		part("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		part("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
		part("getHostname", "url_get_hostname", (*url.URL).Hostname),
		part("getPort", "url_get_port", (*url.URL).Port),
		part("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
		method("getQuery", "url_get_query", cel.MapType(cel.StringType, cel.ListType(cel.StringType)), unary(query),
			apiservercel.URLType),
		global("isURL", "is_url_string", cel.BoolType, unary(isURL), cel.StringType),
	)
}

// parseURL parses an absolute URL. It is parsed twice, because ParseRequestURI, which alone rejects relative URLs,
// takes a fragment for a part of the path or the query.
func parseURL(text string) ref.Val {
	_, err := url.ParseRequestURI(text)
	if err != nil {
		return types.NewErr("URL parse error during conversion from string: %v", err)
	}
	u, err := url.Parse(text)
	if err != nil {
		return types.NewErr("URL parse error during conversion from string: %v", err)
	}
	return apiservercel.URL{URL: u}
}

func isURL(text string) ref.Val {
	_, err := url.ParseRequestURI(text)
	return types.Bool(err == nil)
}

func query(u *url.URL) ref.Val {
	values := map[ref.Val]ref.Val{}
	for key, texts := range u.Query() {
		values[types.String(key)] = types.NewStringList(types.DefaultTypeAdapter, texts)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, values)
}
