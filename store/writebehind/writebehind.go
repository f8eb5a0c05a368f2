// Package writebehind makes records durable in a SQLite file of their own and writes
// them into the database later, many in one transaction. It does not know what a record
// holds, nor how the database keeps it.
//
// A commit waits for the disk and costs SQLite about as much as ten more rows do. With
// finished tasks written behind, Rialto answers a third more calls (make bench-bridge).
package writebehind

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// When records are written into the database: as soon as there are so many, or when the
// first has waited so long.
const (
	flushCount = 512
	flushDelay = 100 * time.Millisecond
)

// The bounds of the records that wait. Above them, Add returns ErrFull.
const (
	maxGroup   = 64        // records of one row
	maxRecord  = 128 << 10 // bytes
	maxPending = 8 << 20   // bytes
)

// See gather.
const (
	minGroup      = 4 // records
	gatherTimeout = 500 * time.Microsecond
)

// busyLogInterval is how often it is logged that the database is busy.
const busyLogInterval = time.Minute

var (
	// ErrFull says that a record is not taken: write it into the database.
	ErrFull = errors.New("writebehind: the record is not taken")

	// ErrForeign says that a file is of another database.
	ErrForeign = errors.New("writebehind: the file is of another database")
)

// DamagedError says that a file has records that cannot be recovered. What can be is in the
// database.
type DamagedError struct {
	Recovered int      // records
	Groups    int      // lost groups of up to 64 records; 0 if they cannot be counted
	Missing   []string // keys of lost records, as far as they are known
	Cause     error
}

// Error returns the cause.
func (e *DamagedError) Error() string { return "writebehind: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Cause }

// Config is how a Buffer works. All fields are required.
type Config[R any] struct {
	Path string // of the file
	ID   string // of the database; Open returns ErrForeign for a file with another

	Database Writer[R]
	Busy     error // what Write returns when the database has too much to do
	Log      *slog.Logger
}

// Writer writes records into the database.
type Writer[R any] interface {
	// Write is called by one goroutine at a time, and again with the same records if it fails, or if
	// the process ends before the records are deleted from the file: it skips those that are there.
	Write(ctx context.Context, records []R) error

	// Missing returns those of the keys whose records the database does not have.
	Missing(ctx context.Context, keys []string) ([]string, error)
}

// Buffer holds records that are in its file and may not be in the database yet. Its
// methods may be called concurrently.
type Buffer[R any] struct {
	Config[R]
	file *file
	keys *keyList

	adds     chan *addition[R]
	last     int           // records in the last group; of writeLoop
	row      int64         // number of the last row, which no later one has; of writeLoop
	wake     chan struct{} // ready when there is a first record
	full     chan struct{} // ready when there are flushCount
	flushing chan struct{} // full while a flush runs
	closed   chan struct{}
	closing  sync.Once
	wg       sync.WaitGroup

	mu         sync.Mutex
	pending    map[string]R
	order      []*addition[R]
	bytes      int
	broken     bool      // the file takes no more
	failing    bool      // the last flush failed
	busyLogged time.Time // when it was logged last that the database is busy
}

// addition is a record that is added.
type addition[R any] struct {
	key    string
	record R
	text   []byte
	size   int
	seq    int64 // of the row that has it
	done   chan error
}

// Open opens a file, or makes one, writes the records into the database that are left
// in it, and takes records from then on. After ErrForeign or a *DamagedError, the file has to
// be removed or set aside first.
func Open[R any](ctx context.Context, c Config[R]) (*Buffer[R], error) {
	keys, err := openKeys(c.Path)
	if err != nil {
		return nil, err
	}

	b := &Buffer[R]{
		Config:   c,
		keys:     keys,
		pending:  map[string]R{},
		adds:     make(chan *addition[R]),
		closed:   make(chan struct{}),
		wake:     make(chan struct{}, 1),
		full:     make(chan struct{}, 1),
		flushing: make(chan struct{}, 1),
	}
	b.file, err = openFile(ctx, c.Path, c.ID)
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		_, failed := b.name(ctx, keys.check(nil), damaged)
		err = errors.Join(err, failed)
	}
	if err != nil {
		return nil, errors.Join(err, keys.close())
	}
	if err := b.recover(ctx); err != nil {
		err = fmt.Errorf("recovering %s: %w", c.Path, err)
		return nil, errors.Join(err, b.file.close(), keys.close())
	}

	b.wg.Go(b.writeLoop)
	b.wg.Go(b.flushLoop)
	return b, nil
}

// recover writes what an earlier process has left in the file into the database. It returns
// a *DamagedError for a file of which it could read a part.
func (b *Buffer[R]) recover(ctx context.Context) error {
	rows, broken := b.file.rows(ctx)
	broken = asDamaged(broken)
	var damaged *DamagedError
	if broken != nil && !errors.As(broken, &damaged) {
		return broken
	}

	b.row = b.keys.last(rows)
	listed := b.keys.check(rows)
	all, last, lost, why := decodeAll[R](rows)
	if lost > 0 {
		damaged = &DamagedError{Groups: lost, Cause: cmp.Or(broken, why)}
	}
	if len(all) > 0 {
		if err := b.Database.Write(ctx, all); err != nil {
			return err
		}
	}

	damaged, err := b.name(ctx, listed, damaged)
	if err != nil {
		return err
	}
	if damaged != nil {
		damaged.Recovered = len(all)
		return damaged
	}

	return errors.Join(b.file.delete(last), b.keys.drop(math.MaxInt64))
}

// decodeAll returns the records of rows, the last row, and how many rows cannot be read.
func decodeAll[R any](rows map[int64][]byte) (all []R, last int64, lost int, why error) {
	for seq, text := range rows {
		var records []R
		if err := json.Unmarshal(text, &records); err != nil {
			lost++
			why = err
			continue
		}
		all = append(all, records...)
		last = max(last, seq)
	}
	return all, last, lost, why
}

// Add makes a record durable. Until it is in the database, Find returns it by its key.
// Add returns ErrFull for a record that it does not take.
func (b *Buffer[R]) Add(ctx context.Context, key string, record R) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if !b.room(len(text)) {
		return ErrFull
	}

	a := &addition[R]{
		key:    key,
		record: record,
		text:   text,
		size:   len(text),
		done:   make(chan error, 1),
	}
	select {
	case b.adds <- a:
		return <-a.done
	case <-b.closed:
		return ErrFull
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Buffer[R]) room(size int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.broken && size <= maxRecord && b.bytes+size <= maxPending
}

// writeLoop writes records that are added at the same time as one row of the file.
func (b *Buffer[R]) writeLoop() {
	for {
		select {
		case <-b.closed:
			return
		case first := <-b.adds:
			group := b.gather(first)
			err := b.append(group)
			for _, a := range group {
				a.done <- err
			}
		}
	}
}

// gather returns additions that are written together, the first and others. If there
// were others just now, it waits until there are enough, but only so long: to wait for
// the disk takes the processor fifty microseconds each time.
func (b *Buffer[R]) gather(first *addition[R]) (group []*addition[R]) {
	group = append(group, first)
	defer func() { b.last = len(group) }()
	if b.last > 1 {
		long := time.NewTimer(gatherTimeout)
		defer long.Stop()
		for len(group) < minGroup {
			select {
			case a := <-b.adds:
				group = append(group, a)
			case <-long.C:
				return group
			}
		}
	}
	runtime.Gosched() // lets callers that are about to come get there
	for len(group) < maxGroup {
		select {
		case a := <-b.adds:
			group = append(group, a)
		default:
			return group
		}
	}
	return group
}

func (b *Buffer[R]) append(group []*addition[R]) error {
	if !b.room(0) {
		return ErrFull
	}

	keys := make([]string, len(group))
	for i, a := range group {
		keys[i] = a.key
	}

	text := joined(group)
	b.row++
	seq := b.row
	if err := b.file.insert(seq, text); err != nil {
		b.markBroken(err)
		return ErrFull
	}
	if err := b.keys.add(seq, text, keys); err != nil {
		b.markBroken(err)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range group {
		a.seq = seq
		b.pending[a.key] = a.record
		b.bytes += a.size
	}

	b.order = append(b.order, group...)
	signal(b.wake)
	if len(b.order) >= flushCount {
		signal(b.full)
	}

	return nil
}

// joined returns the records of a group as a JSON array, and drops their texts.
func joined[R any](group []*addition[R]) []byte {
	size := 1
	for _, a := range group {
		size += len(a.text) + 1
	}

	row := make([]byte, 0, size)
	for i, a := range group {
		start := byte(',')
		if i == 0 {
			start = '['
		}
		row = append(append(row, start), a.text...)
		a.text = nil
	}

	return append(row, ']')
}

// markBroken notes that the file takes no more.
func (b *Buffer[R]) markBroken(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.broken {
		b.Log.Error(
			"the write-behind file failed: finished tasks are written into the database directly, which is slower; check the disk and restart the server",
			"file",
			b.Path,
			"err",
			err,
		)
	}

	b.broken = true
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Find returns a record that may not be in the database yet.
func (b *Buffer[R]) Find(key string) (record R, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record, ok = b.pending[key]
	return record, ok
}

// flushLoop flushes within flushDelay after an addition.
func (b *Buffer[R]) flushLoop() {
	for {
		select {
		case <-b.closed:
			return
		case <-b.wake:
		}
		soon := time.NewTimer(flushDelay)
		select {
		case <-b.closed:
		case <-soon.C:
		case <-b.full:
		}
		soon.Stop()
		if b.Flush(context.Background()) != nil {
			signal(b.wake)
		}
	}
}

// Flush returns when the database has all records that were added before the call.
func (b *Buffer[R]) Flush(ctx context.Context) error {
	if len(b.waiting()) == 0 {
		return nil
	}

	select {
	case b.flushing <- struct{}{}:
		defer func() { <-b.flushing }()
	case <-ctx.Done():
		return ctx.Err()
	}

	taken := b.waiting()
	if len(taken) == 0 {
		return nil
	}

	records := make([]R, len(taken))
	for i, a := range taken {
		records[i] = a.record
	}

	err := b.Database.Write(ctx, records)
	if err == nil || ctx.Err() == nil {
		b.logFlush(err)
	}
	if err != nil {
		return err
	}

	b.remove(taken)
	last := taken[len(taken)-1].seq
	if err := errors.Join(b.file.delete(last), b.keys.drop(last)); err != nil {
		b.markBroken(err)
	}

	return nil
}

func (b *Buffer[R]) waiting() []*addition[R] {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.order[:len(b.order):len(b.order)]
}

// remove removes records that are in the database.
func (b *Buffer[R]) remove(taken []*addition[R]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range taken {
		delete(b.pending, a.key)
		b.bytes -= a.size
	}
	b.order = slices.Clone(b.order[len(taken):])
}

// logFlush logs that flushes fail, once, and that they work again. That the database is
// busy is logged once in busyLogInterval.
func (b *Buffer[R]) logFlush(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil && errors.Is(err, b.Busy):
		if now := time.Now(); now.Sub(b.busyLogged) >= busyLogInterval {
			b.busyLogged = now
			b.Log.Warn(
				"more writes wait than the database can serve: finished tasks are safe in the write-behind file, and lists of tasks may fail",
				"file", b.Path,
			)
		}
		return
	case err != nil && !b.failing:
		b.Log.Error(
			"finished tasks cannot be written into the database: they are safe in the write-behind file, and lists of tasks fail",
			"file", b.Path,
			"err", err,
		)
	case err == nil && b.failing:
		b.Log.Info("finished tasks are written into the database again")
	}

	b.failing = err != nil
}

// Close writes the records that are left into the database and removes the file. Add
// returns ErrFull from then on.
func (b *Buffer[R]) Close() error {
	b.closing.Do(func() { close(b.closed) })
	b.wg.Wait()
	err := b.Flush(context.Background())
	err = errors.Join(err, b.file.close(), b.keys.close())
	if err != nil {
		return err
	}
	return Remove(b.Path)
}
