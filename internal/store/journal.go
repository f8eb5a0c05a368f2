package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// A journal is where a server that is alone on a SQLite file writes the tasks that
// have ended: one behind the other into a file, those that end at the same time
// with one wait for the disk. The database takes them a moment later, hundreds in
// one transaction (see ended.go), which costs each of them a fraction of what a
// transaction of its own costs.
//
// There are two files, which take turns. What one holds is a generation: a header
// (the journal's id, the number of the generation), and records behind it, each
// with a checksum that begins with the header, so that what is left of an earlier
// generation in the same file is not taken for one of this.
type journal struct {
	path  string // of the database
	id    [journalID]byte
	files [2]*os.File

	io      sync.Mutex // held while a generation is written to or ended
	gen     uint64     // the generation that is written, in files[gen%2]
	at      int        // where its next record goes; 0: it has no header yet
	seed    uint32     // the checksum of its header
	text    []byte     // a buffer that write uses
	shut    bool       // it takes no more: the disk failed, or the server ends
	stalled bool       // both files hold records that are needed
}

const (
	journalID     = 16
	journalHeader = journalID + 8 + 4 // id, generation, checksum
	recordHeader  = 4 + 4             // length, checksum

	journalFile = 1 << 20 // bytes of a file; they are there from the beginning, so that to write takes no changes of what the file system says of it
	journalPage = 4 << 10
	keptText    = 64 << 10  // bytes of the buffer that are kept
	maxRecord   = 128 << 10 // bytes; a larger task goes into the database at once
)

var (
	errJournal = errors.New("store: the journal takes no record now")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func journalPaths(path string) []string { return []string{path + ".tasks0", path + ".tasks1"} }

// createJournal makes the files of a journal, beside the database, in the place of
// those that are there.
func createJournal(path string, id [journalID]byte) (*journal, error) {
	j := &journal{path: path, id: id, gen: 1}
	for i, name := range journalPaths(path) {
		var err error
		if j.files[i], err = createFile(name); err != nil {
			j.close()
			return nil, err
		}
	}
	return j, syncFolder(filepath.Dir(path))
}

// createFile makes a file of zeros that only its owner may read, whatever was there.
// It writes them page by page: Linux keeps in one piece what is written in one, and
// each record would then send the whole of it to the disk again.
func createFile(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, journalPage)
	for n := 0; err == nil && n < journalFile; n += journalPage {
		_, err = f.Write(zeros)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// journalExists reports whether there is a journal beside the database at path.
func journalExists(path string) bool {
	return slices.ContainsFunc(journalPaths(path), func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

// removeJournal removes the files of a journal, of which nothing is needed any more.
func removeJournal(path string) (err error) {
	for _, name := range journalPaths(path) {
		if failed := os.Remove(name); !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// end has the journal take no more.
func (j *journal) end() {
	j.io.Lock()
	defer j.io.Unlock()
	j.shut = true
}

func (j *journal) close() error {
	var all []error
	for _, f := range j.files {
		if f != nil {
			all = append(all, f.Close())
		}
	}
	return errors.Join(all...)
}

// record is what a journal holds: it appends itself to a buffer.
type record interface{ appendTo([]byte) []byte }

// write appends records to the generation, as many as find room, and waits for the
// disk. It returns how many were written. A file that cannot be written to is
// not used again. It is called with j.io held.
func (j *journal) write(records []record) (n int, err error) {
	if j.shut || j.stalled {
		return 0, errJournal
	}
	text, seed := j.text[:0], j.seed
	if j.at == 0 {
		text = binary.LittleEndian.AppendUint64(append(text, j.id[:]...), j.gen)
		seed = crc32.Checksum(text, castagnoli)
		text = binary.LittleEndian.AppendUint32(text, seed)
	}
	for _, r := range records {
		before := len(text)
		text = r.appendTo(append(text, make([]byte, recordHeader)...))
		if j.at+len(text) > journalFile {
			text = text[:before]
			break
		}
		body := text[before+recordHeader:]
		binary.LittleEndian.PutUint32(text[before:], uint32(len(body)))
		binary.LittleEndian.PutUint32(text[before+4:], crc32.Update(seed, castagnoli, body))
		n++
	}
	if cap(text) <= keptText {
		j.text = text
	}
	if n == 0 {
		return 0, nil
	}
	f := j.files[j.gen%2]
	if _, err = f.WriteAt(text, int64(j.at)); err == nil {
		err = f.Sync()
	}
	if err != nil {
		j.shut = true
		return 0, err
	}
	j.at, j.seed = j.at+len(text), seed
	return n, nil
}

// next begins a generation in the other file, whose records nobody needs any more.
// It is called with j.io held.
func (j *journal) next() { j.gen, j.at = j.gen+1, 0 }

// generation is what a file of a journal holds.
type generation struct {
	id      [journalID]byte
	number  uint64
	records [][]byte
}

// readJournal returns what the files hold, the older generation first. A record that
// was not written to its end was promised to nobody, and is no error.
func readJournal(path string) (found []generation, err error) {
	for _, name := range journalPaths(path) {
		text, err := os.ReadFile(name) // all of it: another version's may be longer
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if g, ok := parseGeneration(text); ok {
			found = append(found, g)
		}
	}
	if len(found) == 2 && found[0].number > found[1].number {
		found[0], found[1] = found[1], found[0]
	}
	return found, nil
}

func parseGeneration(text []byte) (g generation, ok bool) {
	if len(text) < journalHeader {
		return g, false
	}
	seed := crc32.Checksum(text[:journalHeader-4], castagnoli)
	if binary.LittleEndian.Uint32(text[journalHeader-4:]) != seed {
		return g, false
	}
	copy(g.id[:], text)
	g.number = binary.LittleEndian.Uint64(text[journalID:])
	for text = text[journalHeader:]; len(text) >= recordHeader; {
		n, sum := binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint32(text[4:])
		text = text[recordHeader:]
		if n == 0 || uint64(n) > uint64(len(text)) || crc32.Update(seed, castagnoli, text[:n]) != sum {
			break
		}
		g.records = append(g.records, text[:n])
		text = text[n:]
	}
	return g, true
}

// syncFolder has the disk know the names in a folder. Windows does not need it, nor can
// do it.
func syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
