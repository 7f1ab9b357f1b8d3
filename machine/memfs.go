package machine

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"
)

// memFS is a read-only file tree in memory, as an archive was unpacked into.
type memFS map[string]*memNode

// memNode is one file or directory of a memFS; it is its own fs.FileInfo.
type memNode struct {
	name     string
	dir      bool
	data     []byte
	children []*memNode
}

func newMemFS() memFS { return memFS{".": {name: ".", dir: true}} }

// add stores a file under a clean relative path, with the directories above
// it. The first of two files of one path stays. It reports whether the path
// was free and did not lead through a file.
func (m memFS) add(p string, data []byte) bool {
	if _, taken := m[p]; taken {
		return false
	}
	parent := m.mkdir(path.Dir(p))
	if parent == nil {
		return false
	}
	n := &memNode{name: path.Base(p), data: data}
	m[p] = n
	parent.children = append(parent.children, n)
	return true
}

// mkdir returns the directory at p, made if need be; nil when a file is in the way.
func (m memFS) mkdir(p string) *memNode {
	if n, ok := m[p]; ok {
		if !n.dir {
			return nil
		}
		return n
	}
	parent := m.mkdir(path.Dir(p))
	if parent == nil {
		return nil
	}
	n := &memNode{name: path.Base(p), dir: true}
	m[p] = n
	parent.children = append(parent.children, n)
	return n
}

// sort puts every directory into the order of names that fs.ReadDir promises.
func (m memFS) sort() {
	for _, n := range m {
		slices.SortFunc(n.children, func(a, b *memNode) int { return cmp.Compare(a.name, b.name) })
	}
}

// Open implements fs.FS.
func (m memFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	n, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if n.dir {
		return &memDir{memNode: n, path: name}, nil
	}
	return &memFile{memNode: n, Reader: bytes.NewReader(n.data)}, nil
}

func (n *memNode) Name() string               { return n.name }
func (n *memNode) Size() int64                { return int64(len(n.data)) }
func (n *memNode) ModTime() time.Time         { return time.Time{} }
func (n *memNode) IsDir() bool                { return n.dir }
func (n *memNode) Sys() any                   { return nil }
func (n *memNode) Type() fs.FileMode          { return n.Mode().Type() }
func (n *memNode) Info() (fs.FileInfo, error) { return n, nil }
func (n *memNode) String() string             { return fs.FormatFileInfo(n) }

// Mode implements fs.FileInfo.
func (n *memNode) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

type memFile struct {
	*memNode
	*bytes.Reader
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f.memNode, nil }
func (f *memFile) Size() int64                { return f.memNode.Size() }
func (f *memFile) Close() error               { return nil }

type memDir struct {
	*memNode
	path string
	at   int
}

func (d *memDir) Stat() (fs.FileInfo, error) { return d.memNode, nil }
func (d *memDir) Close() error               { return nil }

func (d *memDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (d *memDir) ReadDir(n int) ([]fs.DirEntry, error) {
	left := d.children[d.at:]
	if n > 0 && len(left) == 0 {
		return nil, io.EOF
	}
	if n > 0 && len(left) > n {
		left = left[:n]
	}
	d.at += len(left)
	entries := make([]fs.DirEntry, len(left))
	for i, c := range left {
		entries[i] = c
	}
	return entries, nil
}
