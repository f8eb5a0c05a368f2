package writebehind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"sync"
)

// errMissing says that rows are missing or changed.
var errMissing = errors.New("records are missing from the file, or were changed")

// keyList is a file beside the one with the records. It has the keys and the checksum of each row, so
// that records are named that were lost with the other file or its log. It is not synced: after a
// power cut it may know fewer rows than there are.
type keyList struct {
	file *os.File

	mu   sync.Mutex
	rows map[int64]keyLine
}

type keyLine struct {
	Seq  int64    `json:"seq"`
	Sum  uint32   `json:"sum"`
	Keys []string `json:"keys"`
}

// openKeys opens the list beside a file, or makes it.
func openKeys(path string) (*keyList, error) {
	f, err := os.OpenFile(path+keysSuffix, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}

	l := &keyList{file: f, rows: map[int64]keyLine{}}
	lines := json.NewDecoder(f)
	for {
		var line keyLine
		if lines.Decode(&line) != nil {
			return l, nil
		}
		l.rows[line.Seq] = line
	}
}

// close closes the file. It may be called again.
func (l *keyList) close() error {
	err := l.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// add notes the keys of a new row.
func (l *keyList) add(seq int64, text []byte, group []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := keyLine{Seq: seq, Sum: crc32.ChecksumIEEE(text), Keys: group}
	l.rows[seq] = line
	return json.NewEncoder(l.file).Encode(line)
}

// drop forgets the rows up to one.
func (l *keyList) drop(last int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.rows, func(seq int64, _ keyLine) bool { return seq <= last })
	var left bytes.Buffer
	for _, line := range l.rows {
		if err := json.NewEncoder(&left).Encode(line); err != nil {
			return err
		}
	}

	if err := l.file.Truncate(0); err != nil {
		return err
	}

	_, err := l.file.Write(left.Bytes())
	return err
}

// last returns the highest number of a row that is listed or there. The list may be behind: if a later
// row had the number of an earlier one, it would seem to be changed.
func (l *keyList) last(rows map[int64][]byte) int64 {
	seqs := slices.AppendSeq(slices.Collect(maps.Keys(l.rows)), maps.Keys(rows))
	return slices.Max(append(seqs, 0))
}

// check removes the rows that were changed, and returns the keys of all that are not there.
func (l *keyList) check(rows map[int64][]byte) (lost []string) {
	for _, seq := range slices.Sorted(maps.Keys(l.rows)) {
		line := l.rows[seq]
		text, ok := rows[seq]
		if !ok || crc32.ChecksumIEEE(text) != line.Sum {
			delete(rows, seq)
			lost = append(lost, line.Keys...)
		}
	}
	return lost
}

// name adds to damaged, which may be nil, those of the lost keys that the database does not have.
func (b *Buffer[R]) name(
	ctx context.Context, lost []string, damaged *DamagedError,
) (*DamagedError, error) {
	if len(lost) == 0 {
		return damaged, nil
	}

	missing, err := b.Database.Missing(ctx, lost)
	if err != nil || len(missing) == 0 {
		return damaged, err
	}
	if damaged == nil {
		damaged = &DamagedError{Cause: errMissing}
	}

	damaged.Missing = missing
	return damaged, nil
}
