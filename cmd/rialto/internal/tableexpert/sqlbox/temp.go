package sqlbox

import (
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

// tempFiles is that VFS.
type tempFiles struct {
	remaining int64             // bytes that may still be written
	sizes     map[uintptr]int64 // open files, by address

	// These are in C memory, because C code reckons with their addresses.
	vfs     uintptr // a sqlite3_vfs
	methods uintptr // the sqlite3_io_methods of temporary files; 0 until there is one

	// SQLite holds ours by address; here is what keeps them alive.
	onOpen  openFunc
	onWrite writeFunc

	open  openFunc // of the default VFS
	write writeFunc
}

type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	writeFunc = func(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32
)

// temporary are the flags that SQLite opens temporary files with.
const temporary = sqlite3.SQLITE_OPEN_TEMP_DB |
	sqlite3.SQLITE_OPEN_TRANSIENT_DB |
	sqlite3.SQLITE_OPEN_TEMP_JOURNAL |
	sqlite3.SQLITE_OPEN_SUBJOURNAL

// register makes the VFS known to SQLite under name, which is in C memory and
// as unique as its address.
func (f *tempFiles) register(tls *libc.TLS, name uintptr) error {
	f.sizes = map[uintptr]int64{}
	standard := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if standard == 0 {
		return fmt.Errorf("sqlite has no file system")
	}

	vfs := copyVFS(tls, standard)
	f.open = function[openFunc](vfs.FxOpen)
	f.onOpen = f.openFile
	f.onWrite = f.writeFile
	vfs.FxOpen = address(&f.onOpen)
	vfs.FzName = name
	vfs.FpNext = 0
	f.vfs = allocateCopy(tls, vfs)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, f.vfs, 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("registering the temporary files: %d", rc)
	}

	return nil
}

// copyVFS reads a registered VFS under the lock that guards the list of them:
// its link to the next changes when a neighbour comes or goes.
func copyVFS(tls *libc.TLS, vfs uintptr) sqlite3.Tsqlite3_vfs {
	list := sqlite3.Xsqlite3_mutex_alloc(tls, sqlite3.SQLITE_MUTEX_STATIC_MAIN)
	sqlite3.Xsqlite3_mutex_enter(tls, list)
	defer sqlite3.Xsqlite3_mutex_leave(tls, list)
	return load[sqlite3.Tsqlite3_vfs](vfs)
}

func (f *tempFiles) unregister(tls *libc.TLS) {
	if f.vfs == 0 {
		return
	}
	sqlite3.Xsqlite3_vfs_unregister(tls, f.vfs)
	sqlite3.Xsqlite3_free(tls, f.vfs)
	sqlite3.Xsqlite3_free(tls, f.methods)
	runtime.KeepAlive(f)
}

// openFile opens any file as the standard VFS does, and has the writes of
// temporary ones counted.
func (f *tempFiles) openFile(
	tls *libc.TLS,
	vfs, name, file uintptr,
	flags int32,
	outFlags uintptr,
) int32 {
	rc := f.open(tls, vfs, name, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || flags&temporary == 0 {
		return rc
	}
	if f.methods == 0 {
		methods := load[sqlite3.Tsqlite3_io_methods](
			load[uintptr](file),
		) // sqlite3_file begins with its methods
		f.write = function[writeFunc](methods.FxWrite)
		methods.FxWrite = address(&f.onWrite)
		f.methods = allocateCopy(tls, methods)
	}

	f.sizes[file] = 0
	store(file, f.methods)
	return rc
}

func (f *tempFiles) writeFile(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	if end := offset + int64(n); end > f.sizes[file] {
		f.remaining -= end - f.sizes[file]
		f.sizes[file] = end
	}
	if f.remaining < 0 {
		return sqlite3.SQLITE_FULL
	}
	return f.write(tls, file, data, n, offset)
}

// load returns the value in the C memory at p.
func load[T any](p uintptr) (v T) {
	copy(bytesOf(&v), cBytes(p, int(unsafe.Sizeof(v))))
	return v
}

// store writes v to the C memory at p.
func store[T any](p uintptr, v T) { copy(cBytes(p, int(unsafe.Sizeof(v))), bytesOf(&v)) }

// allocateCopy returns the address of a copy of v in new C memory.
func allocateCopy[T any](tls *libc.TLS, v T) uintptr {
	p := allocate(tls, int(unsafe.Sizeof(v)))
	store(p, v)
	return p
}

// allocate returns n bytes of C memory.
func allocate(tls *libc.TLS, n int) uintptr {
	p := sqlite3.Xsqlite3_malloc64(tls, uint64(n))
	if p == 0 {
		panic("out of memory")
	}
	return p
}

// cBytes returns n bytes of C memory, as they are and not as a copy.
func cBytes(p uintptr, n int) []byte { return libc.GoBytes(p, n) }

func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

const pointerSize = int(unsafe.Sizeof(uintptr(0)))

// address returns what the translated C code takes for the address of the
// function that f points to: the Go function value itself. The caller that passes it
// on keeps the function alive.
func address[F any](f *F) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// function is the reverse of address.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }
