package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// conversions knows the files that git may write with another text than that of their object, because of attributes: with
// an external filter, an encoding or $Id$. It knows a directory as a whole. Attributes of the user and of the system are
// not read: no repository can set them.
type conversions struct {
	top     string
	always  bool            // attributes outside the working tree may concern any file
	inIndex map[string]bool // names of files of attributes: git reads one that is missing on disk from the index

	mutex       sync.Mutex
	directories map[string]bool
}

// newConversions returns the conversions of a working tree with these files of attributes in its index.
func newConversions(r *Repository, inIndex map[string]bool) *conversions {
	common, ok := commonDir(r.dir)
	return &conversions{
		top: r.Top, inIndex: inIndex, directories: map[string]bool{},
		always: !ok || mayConvert(filepath.Join(r.dir, "info", "attributes"), false) ||
			mayConvert(filepath.Join(common, "info", "attributes"), false),
	}
}

// concern reports whether git may convert a file in a directory, which is relative to the top, with slashes.
func (c *conversions) concern(dir string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.always || c.in(dir)
}

func (c *conversions) in(dir string) bool {
	known, ok := c.directories[dir]
	if !ok {
		name := path.Join(dir, attributesFile)
		known = dir != "." && c.in(path.Dir(dir)) ||
			mayConvert(filepath.Join(c.top, filepath.FromSlash(name)), c.inIndex[name])
		c.directories[dir] = known
	}
	return known
}

// attributesFile is the name of a file of attributes in the working tree.
const attributesFile = ".gitattributes"

// mostAttributes is the maximum size of a file of attributes that is read. A larger one may say anything. The largest
// .gitattributes of 29 public repositories has 578 bytes.
const mostAttributes = 1 << 20

// converting are the names of attributes that convert a text, and what defines further names. text, eol and crlf only
// change line endings.
var converting = [...]string{"filter", "ident", "working-tree-encoding", "[attr]"}

// mayConvert reports whether a file of attributes may set one that converts a text. A missing file may if ifMissing is set.
func mayConvert(name string, ifMissing bool) bool {
	stat, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ifMissing
	}
	if err != nil || !stat.Mode().IsRegular() || stat.Size() > mostAttributes {
		return true
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return true
	}
	for _, word := range converting {
		if strings.Contains(string(text), word) {
			return true
		}
	}
	return false
}
