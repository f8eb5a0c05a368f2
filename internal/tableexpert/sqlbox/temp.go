package sqlbox

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Sorting, grouping and materializing go to temporary files once they
// outgrow SQLite's cache, and nothing in SQLite bounds those: without a limit
// here one query fills the disk, or the memory where /tmp is kept in it. So
// each connection opens its files through a copy of the default VFS
// (https://www.sqlite.org/vfs.html) that differs in one function: a write to
// a temporary file fails once the connection has written its share.

// tempFiles is that VFS. SQLite holds its fields by address, so that it must
// stay where it is and be reachable until it is closed.
type tempFiles struct {
	left int64 // bytes that may still be written

	vfs     sqlite3.Tsqlite3_vfs
	methods sqlite3.Tsqlite3_io_methods // of temporary files
	sizes   map[uintptr]int64           // of the files that are open, by address

	onOpen  func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	onWrite func(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32

	open  func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	write func(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32
}

// temporary are the flags that SQLite opens temporary files with.
const temporary = sqlite3.SQLITE_OPEN_TEMP_DB | sqlite3.SQLITE_OPEN_TRANSIENT_DB | sqlite3.SQLITE_OPEN_TEMP_JOURNAL | sqlite3.SQLITE_OPEN_SUBJOURNAL

// register makes the VFS known to SQLite under name, which is in C memory and
// as unique as its address.
func (f *tempFiles) register(tls *libc.TLS, name uintptr) error {
	f.sizes = map[uintptr]int64{}
	standard := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if standard == 0 {
		return fmt.Errorf("sqlite has no file system")
	}
	copyFromC(&f.vfs, standard)
	f.open = function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](f.vfs.FxOpen)
	f.onOpen, f.onWrite = f.openFile, f.writeFile
	f.vfs.FxOpen = address(&f.onOpen)
	f.vfs.FzName = name
	f.vfs.FpNext = 0
	if rc := sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&f.vfs)), 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("registering the temporary files: %d", rc)
	}
	return nil
}

func (f *tempFiles) unregister(tls *libc.TLS) {
	sqlite3.Xsqlite3_vfs_unregister(tls, uintptr(unsafe.Pointer(&f.vfs)))
	runtime.KeepAlive(f)
}

// openFile opens any file as the standard VFS does, and has the writes of
// temporary ones counted.
func (f *tempFiles) openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	rc := f.open(tls, vfs, name, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || flags&temporary == 0 {
		return rc
	}
	standard := pointerAt(file) // sqlite3_file begins with its methods
	if f.write == nil {
		copyFromC(&f.methods, standard)
		f.write = function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.methods.FxWrite)
		f.methods.FxWrite = address(&f.onWrite)
	}
	f.sizes[file] = 0
	putPointer(file, uintptr(unsafe.Pointer(&f.methods)))
	return rc
}

func (f *tempFiles) writeFile(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	if end := offset + int64(n); end > f.sizes[file] {
		f.left -= end - f.sizes[file]
		f.sizes[file] = end
	}
	if f.left < 0 {
		return sqlite3.SQLITE_FULL
	}
	return f.write(tls, file, data, n, offset)
}

const pointerSize = int(unsafe.Sizeof(uintptr(0)))

// pointerAt reads the C pointer at p.
func pointerAt(p uintptr) uintptr {
	b := libc.GoBytes(p, pointerSize)
	if pointerSize == 4 {
		return uintptr(binary.NativeEndian.Uint32(b))
	}
	return uintptr(binary.NativeEndian.Uint64(b))
}

// putPointer writes v to the C memory at p. (libc.GoBytes is a view of that
// memory, not a copy.)
func putPointer(p, v uintptr) {
	copy(libc.GoBytes(p, pointerSize), unsafe.Slice((*byte)(unsafe.Pointer(&v)), pointerSize))
}

// copyFromC fills v with the C memory at p.
func copyFromC[T any](v *T, p uintptr) {
	n := int(unsafe.Sizeof(*v))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(v)), n), libc.GoBytes(p, n))
}

// address returns what the translated C code takes for the address of the
// function that f points to: the Go function value itself. Whoever passes it
// on keeps the function alive.
func address[F any](f *F) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// function is the reverse of address.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }
