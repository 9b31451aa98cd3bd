package changes

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// publicName is a type, a field of a type, or a value of an enum of the public API.
type publicName struct {
	group, version string // "core" and "v1"
	name           string // PodSpec, PodSpec.hostUsers or PodPhase=Pending
	place          place
	text           string // the Go type of a field, with a question mark if it can be left out
	tags           []tag
}

// tag is a line of a comment that generators read, such as +k8s:beta(since: "1.37")=+k8s:maxItems=32.
type tag struct {
	text  string // +k8s:maxItems=32
	stage string // beta; "" if the tag has none
}

// typeFiles are the files with types of the public API.
var typeFiles = []struct{ module, pattern string }{
	{"k8s.io/api", "*/*/types*.go"},
	{"k8s.io/apimachinery", "pkg/apis/meta/v1/types*.go"},
	{"k8s.io/apiextensions-apiserver", "pkg/apis/apiextensions/v1/types*.go"},
}

// readMembers reads the types of the public API, by group, version and name.
func readMembers(dirs directories) (map[string]publicName, error) {
	all := map[string]publicName{}
	for _, t := range typeFiles {
		names, err := filepath.Glob(filepath.Join(dirs[t.module], filepath.FromSlash(t.pattern)))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			found, err := membersOf(dirs[t.module], name)
			if err != nil {
				return nil, err
			}
			for _, m := range found {
				all[m.group+"/"+m.version+" "+m.name] = m
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no types in k8s.io/api")
	}
	return all, nil
}

func membersOf(root, name string) ([]publicName, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Rel(root, name)
	if err != nil {
		return nil, err
	}
	file = filepath.ToSlash(file)
	version := path.Dir(file)
	var found []publicName
	add := func(n ast.Node, name, text string, tags []tag) {
		found = append(found, publicName{
			group: path.Base(path.Dir(version)), version: path.Base(version), name: name,
			place: place{file, set.Position(n.Pos()).Line}, text: text, tags: tags,
		})
	}
	for _, d := range f.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec, spec.Name.Name, "", tagsOf(f, group.Pos(), group.Doc, spec.Doc))
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						if json, ok := jsonName(field); ok {
							add(field, spec.Name.Name+"."+json, typeText(field), tagsOf(nil, 0, field.Doc))
						}
					}
				}
			case *ast.ValueSpec:
				of, isTyped := spec.Type.(*ast.Ident)
				if group.Tok != token.CONST || !isTyped || len(spec.Values) != 1 {
					continue
				}
				if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
					add(spec, of.Name+"="+value.Value, "", tagsOf(nil, 0, spec.Doc))
				}
			}
		}
	}
	return found, nil
}

// jsonName returns the name of a field in JSON. A struct that is inline has the name of its type.
func jsonName(field *ast.Field) (string, bool) {
	if field.Tag == nil {
		return "", false
	}
	text, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return "", false
	}
	name, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
	if name == "" {
		name = "(" + exprText(field.Type) + ")"
	}
	return name, name != "-"
}

func typeText(field *ast.Field) string {
	text := exprText(field.Type)
	if strings.Contains(field.Tag.Value, ",omit") {
		text += "?"
	}
	return text
}

var (
	staged  = regexp.MustCompile(`^\+k8s:(alpha|beta)(?:\([^)]*\))?=(\+.*)$`)
	ignored = regexp.MustCompile(`^\+(k8s:(prerelease|deepcopy|protobuf|openapi|conversion|defaulter)|genclient|protobuf)`)
	spaces  = strings.NewReplacer(`"`, "", " ", "")
)

// tagsOf returns the tags in comments. With a file it also reads the comment that ends on the line above the one before
// the declaration at pos, which generators read too.
func tagsOf(f *ast.File, pos token.Pos, docs ...*ast.CommentGroup) []tag {
	var tags []tag
	if f != nil {
		start := pos
		if docs[0] != nil {
			start = docs[0].Pos()
		}
		for _, c := range f.Comments {
			if c.End() < start && start-c.End() <= 2 {
				docs = append(docs, c)
			}
		}
	}
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			line := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if !strings.HasPrefix(line, "+") || ignored.MatchString(line) {
				continue
			}
			t := tag{text: line}
			if m := staged.FindStringSubmatch(line); m != nil {
				t = tag{m[2], m[1]}
			}
			t.text, _, _ = strings.Cut(t.text, " #")
			t.text = spaces.Replace(t.text)
			if !slices.Contains(tags, t) {
				tags = append(tags, t)
			}
		}
	}
	return tags
}
