package git

import (
	"encoding/hex"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// statData knows which files of the working tree have the text of their entry in the git index, without reading them. With
// each entry, git keeps what lstat returned when the file had that text. A file is believed to have it still only if git
// itself would not read it again, and in fewer cases than git:
//
//   - Everything that git keeps must be equal: size, owner, inode, and the times of the last change of the content and of
//     the inode, to the nanosecond. The settings core.trustctime and core.checkStat have no effect. Nobody can set the time
//     of an inode change, so stat data that come with a git directory in an archive or a copy are never believed.
//
//   - Both times must be before the index was written, on the same file system. Otherwise the file may have changed in the
//     same tick of the clock ("racy git" in the documentation of git). Times of whole seconds are not believed.
//
//   - No bit makes git believe more: entries with assume-unchanged, skip-worktree, intent-to-add or conflicts are not
//     believed. The extensions for a file system monitor and for untracked files are not read.
//
//   - No attribute may let git write another text than that of the object (see [conversions]).
//
// Everything else is read and hashed: links, and all files if the index is split or has an unknown extension, or if the
// system is neither Linux nor macOS.
//
// What remains is what git has, too: somebody could set the clock of the machine, or change a file in the same tick in
// which git has read it, while git still writes the index.
type statData struct {
	top         string
	entries     []statEntry // sorted by name
	written     time.Time   // when the index was written
	device      uint64      // of the index
	conversions *conversions
}

// statEntry is an entry of the git index.
type statEntry struct {
	name   string
	object string // the bytes of its hash
	stat   stat
}

// stat is what the git index keeps of lstat, cut to 32 bits as there.
type stat struct{ ctime, ctimeNano, mtime, mtimeNano, ino, uid, gid, size uint32 }

// readStatData reads the stat data of the index. If anything is unusual, it has no entries.
func (r *Repository) readStatData() *statData {
	d := &statData{top: r.Top}
	name := r.indexPath()
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > r.limits.listing {
		return d
	}
	f, err := os.Open(name)
	if err != nil {
		return d
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // git may have replaced the file
		return d
	}
	_, device, ok := statOf(info)
	if !ok {
		return d
	}
	text, err := io.ReadAll(io.LimitReader(f, r.limits.listing))
	if err != nil {
		return d
	}
	entries, attributes, ok := parseIndex(string(text))
	if !ok {
		return d
	}
	return &statData{r.Top, entries, info.ModTime(), device, newConversions(r, attributes)}
}

// indexPath returns the path of the index file.
func (r *Repository) indexPath() string {
	if r.index != "" {
		return r.index
	}
	return filepath.Join(r.dir, "index")
}

// object returns the object whose text a file of the working tree has. It returns false for a link, and if the file must
// be read to know. It is safe for concurrent use.
func (d *statData) object(name string) (string, bool) {
	i, ok := slices.BinarySearchFunc(d.entries, name,
		func(e statEntry, name string) int { return strings.Compare(e.name, name) })
	if !ok || !d.isUnchanged(&d.entries[i]) || d.conversions.concern(path.Dir(name)) {
		return "", false
	}
	return hex.EncodeToString([]byte(d.entries[i].object)), true
}

func (d *statData) isUnchanged(e *statEntry) bool {
	info, err := os.Lstat(filepath.Join(d.top, filepath.FromSlash(e.name)))
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	now, device, ok := statOf(info)
	// git itself marks an entry by the size 0 if the file must be read.
	return ok && device == d.device && now == e.stat && now.size > 0 &&
		d.isBeforeIndex(now.mtime, now.mtimeNano) && d.isBeforeIndex(now.ctime, now.ctimeNano)
}

// isBeforeIndex reports whether a time is before that of the index. The file system rounds both in the same way, so a file
// that changes after the index was written has a later time.
func (d *statData) isBeforeIndex(seconds, nano uint32) bool {
	return nano != 0 && time.Unix(int64(seconds), int64(nano)).Before(d.written)
}
