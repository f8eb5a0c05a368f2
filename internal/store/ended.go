package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
)

// When the database takes the tasks that have ended: as soon as there are so many,
// or when the first has waited so long.
const (
	takeAt     = 512
	takeWithin = 100 * time.Millisecond
)

// overloadEvery is how often it is said that the database has too much to do.
const overloadEvery = time.Minute

// Tasks that end at the same time as others wait for more of them, because to wait for
// the disk takes the processor fifty microseconds each time. They do not wait for all:
// what is written while others are still at work keeps the processor busy meanwhile.
const (
	enoughEnded = 4
	gatherEnded = 500 * time.Microsecond
)

// ended are the tasks of this process that have ended and that the database may not
// have yet. They are in the journal, so that they outlive the process, and here,
// so that they can be read. Every transaction of the writer begins by taking
// them, and every question about tasks waits for such a one first: nobody sees a
// ledger without them.
type ended struct {
	db      *DB
	log     *slog.Logger
	journal *journal
	queue   queue[*endedTask]

	mu      sync.Mutex
	tasks   map[string]*endedTask // by handle
	order   []*endedTask          // those that no transaction has taken
	failing bool                  // the database did not take them when it was asked last

	overload time.Time // when it was said last that too many wait

	begun chan struct{} // ready when there is a first task
	many  chan struct{} // ready when there are takeAt
	stop  context.CancelFunc
	wg    sync.WaitGroup
}

// endedTask is a task as a row, and for the index of words.
type endedTask struct {
	row   *taskRow
	index indexed
}

// OpenJournal has tasks that have ended written into a journal first. It is for a
// server that was told that it is alone on a SQLite file (see Alone), and does nothing
// on any other database.
func (db *DB) OpenJournal(ctx context.Context, log *slog.Logger) error {
	if db.postgres || db.path == "" || db.ended != nil {
		return nil
	}
	if !db.alone { // the journal of another server would be in its way
		return errors.New("store: a journal is for a server that is alone")
	}
	path, err := filepath.EvalSymlinks(db.path) // as SQLite does: the next server may come by another link
	if err != nil {
		return fmt.Errorf("finding the place of a journal: %w", err)
	}
	if err := db.recover(ctx, path); err != nil {
		return err
	}
	var id [journalID]byte
	rand.Read(id[:])
	if err := db.noteJournal(ctx, id); err != nil {
		return fmt.Errorf("noting a journal of tasks: %w", err)
	}
	j, err := createJournal(path, id)
	if err != nil {
		return fmt.Errorf("creating a journal of tasks: %w", err)
	}
	e := &ended{db: db, log: log, journal: j, tasks: map[string]*endedTask{}, begun: make(chan struct{}, 1), many: make(chan struct{}, 1)}
	e.queue = queue[*endedTask]{most: takeAt, enough: enoughEnded, gather: gatherEnded, came: make(chan struct{}, 1), serve: e.write}
	running, stop := context.WithCancel(context.Background())
	e.stop = stop
	e.wg.Go(func() { e.keepTaking(running) })
	db.ended, db.write.first, db.write.behind = e, e.take, e.waits
	db.write.before, db.read.before = e.catchUp, e.catchUp
	return nil
}

// noteJournal notes the journal of a server that is alone, and forgets all others: what
// they had is taken. That of a server which was killed before it wrote into its own
// would be there for ever, for its files do not say whose they are.
func (db *DB) noteJournal(ctx context.Context, id [journalID]byte) error {
	return db.inTx(ctx, func(t *tx) error {
		_, err := t.ExecContext(ctx, `DELETE FROM write_behind`)
		if err == nil {
			_, err = t.ExecContext(ctx, `INSERT INTO write_behind (id, done) VALUES ($1, 0)`, journalName(id))
		}
		return err
	})
}

// takeLeft takes what a killed server has left in its journal, unless a server lives
// that may have one.
func (db *DB) takeLeft(ctx context.Context) error {
	if db.path == "" {
		return nil
	}
	path, err := filepath.EvalSymlinks(db.path)
	if err != nil || !journalExists(path) {
		return err
	}
	l, err := openLock(ctx, path, 0)
	if err != nil {
		return err
	}
	defer l.close()
	if nobody, err := l.take(ctx, beAlone); !nobody {
		return err
	}
	return db.recover(ctx, path)
}

// recover writes what an earlier journal at path holds into the database, and removes
// it. The index finds such tasks left over. It is called by whoever may have a journal.
func (db *DB) recover(ctx context.Context, path string) error {
	found, err := readJournal(path)
	known := false
	if err == nil && len(found) > 0 {
		err = db.inTx(ctx, func(t *tx) (err error) {
			known, err = insertGenerations(ctx, t, found)
			return err
		})
	}
	if err == nil && known {
		err = removeJournal(path)
	}
	if err != nil {
		return fmt.Errorf("recovering tasks from %s: %w", journalPaths(path)[0], err)
	}
	return nil
}

// insertGenerations writes what the database does not have of its journals, forgets
// them, and reports whether there were any: others are another database's.
func insertGenerations(ctx context.Context, t *tx, found []generation) (known bool, err error) {
	for _, g := range found {
		var done uint64
		err := t.QueryRowContext(ctx, `SELECT done FROM write_behind WHERE id = $1`, journalName(g.id)).Scan(&done)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil && g.number > done {
			err = insertRecords(ctx, t, g.records)
		}
		if err != nil {
			return false, err
		}
		known = true
	}
	for _, g := range found {
		if _, err := t.ExecContext(ctx, `DELETE FROM write_behind WHERE id = $1`, journalName(g.id)); err != nil {
			return false, err
		}
	}
	return known, nil
}

func insertRecords(ctx context.Context, t *tx, records [][]byte) error {
	for _, r := range records {
		row, err := decodeRow(r)
		if err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, addOneEnded, append(row.values(nil), notInIndex)...); err != nil {
			return err
		}
	}
	return nil
}

func journalName(id [journalID]byte) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// endedAtOnce is how many tasks one statement inserts: by itself each costs more.
const endedAtOnce = 16

// inChunks runs the statement for one, or that for endedAtOnce, with the arguments of
// each.
func inChunks[T any](ctx context.Context, t *tx, all []T, one, many string, add func(args []any, each T) []any) error {
	var args []any
	for chunk := range slices.Chunk(all, endedAtOnce) {
		args = args[:0]
		for _, each := range chunk {
			args = add(args, each)
			if len(chunk) < endedAtOnce {
				if _, err := t.ExecContext(ctx, one, args...); err != nil {
					return err
				}
				args = args[:0]
			}
		}
		if len(args) > 0 {
			if _, err := t.ExecContext(ctx, many, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

var addOneEnded, addManyEnded = addEnded(1), addEnded(endedAtOnce)

// What the column indexed says.
const (
	notInIndex = 0
	inIndex    = 1
)

// addEnded inserts n tasks: the columns of taskRow, and whether the index has them.
// One that is there was taken by a transaction which seemed to fail. Of a statement
// that ignores what is wrong, SQLite keeps no copies of the pages that it changes in
// case it has to undo a part.
func addEnded(n int) string {
	return `INSERT OR IGNORE INTO tasks (` + rowNames + `, settled, holder, lease_until, indexed) VALUES ` +
		times(n, "("+strings.Repeat("?, ", rowColumns)+"1, '', 0, ?)")
}

// times returns a list with the same in it n times.
func times(n int, of string) string { return of + strings.Repeat(", "+of, n-1) }

// add writes a task into the journal. It returns errJournal if that takes none now.
func (e *ended) add(ctx context.Context, row *taskRow, index indexed) error {
	if row.size() > maxRecord {
		return errJournal
	}
	return e.queue.do(ctx, &endedTask{row: row, index: index})
}

// write serves the queue. What the journal does not take, for want of room or because
// the disk fails, its caller writes into the database.
func (e *ended) write(turns []*turn[*endedTask]) []*turn[*endedTask] {
	records := make([]record, len(turns))
	for i, u := range turns {
		records[i] = u.what.row
	}
	e.journal.io.Lock()
	defer e.journal.io.Unlock()
	n, err := e.journal.write(records)
	if err != nil && err != errJournal { // once: it is not written to any more
		e.log.Error("the journal of tasks cannot be written to, so each task that ends is written into the database by itself, and costs more: look at the disk, and start the server again", "err", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range turns[:n] {
		e.tasks[u.what.row.handle] = u.what
		e.order = append(e.order, u.what)
	}
	for _, u := range turns[n:] {
		u.err = errJournal
	}
	ready(e.begun, len(e.order) > 0)
	ready(e.many, len(e.order) >= takeAt)
	return turns
}

func ready(c chan struct{}, is bool) {
	if !is {
		return
	}
	select {
	case c <- struct{}{}:
	default: // somebody has been told
	}
}

// task returns a task that the database may not have yet, or nil.
func (e *ended) task(handle string) *taskRow {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.tasks[handle]; t != nil {
		return t.row
	}
	return nil
}

// keepTaking has the database take what has ended, also if nobody else writes.
func (e *ended) keepTaking(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.begun:
		}
		soon := time.NewTimer(takeWithin)
		select {
		case <-ctx.Done():
		case <-soon.C:
		case <-e.many:
		}
		soon.Stop()
		ready(e.begun, e.settle(ctx) != nil)
	}
}

// waits reports whether there are tasks that no transaction has taken.
func (e *ended) waits() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.order) > 0
}

// settle returns when the database has all tasks that had ended by then.
func (e *ended) settle(ctx context.Context) (err error) {
	e.mu.Lock()
	behind, failing := len(e.tasks) > 0, e.failing
	e.mu.Unlock()
	if !behind && !failing {
		return nil
	}
	if behind {
		err = e.db.inTx(ctx, func(*tx) error { return nil })
	}
	if ctx.Err() == nil {
		e.note(err)
	}
	return err
}

// note says once that the database does not take what has ended, and once that it does
// again; that it is only asked for more than it can do, at most once in overloadEvery.
func (e *ended) note(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case errors.Is(err, errBusy): // whether it would take them is not known
		if now := time.Now(); now.Sub(e.overload) >= overloadEvery {
			e.overload = now
			e.log.Warn("more wait to write than the database can serve: tasks that have ended are safe in the journal, and some who list tasks are told to try again")
		}
		return
	case err != nil && !e.failing:
		e.log.Error("the database does not take the tasks that have ended: they are safe in the journal, and who lists tasks is told to try again", "err", err)
	case err == nil && e.failing:
		e.log.Info("the database takes the tasks that have ended again")
	}
	e.failing = err != nil
}

// catchUp settles if query is about tasks. That it cannot is said to whoever asks, for
// an answer without those tasks would be wrong.
func (e *ended) catchUp(ctx context.Context, query string) error {
	if !strings.Contains(query, "tasks") {
		return nil
	}
	err := e.settle(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	state := "takes nothing now"
	if errors.Is(err, errBusy) {
		state = "is asked for more than it can do now"
	}
	return &a2a.Error{Code: a2a.Unavailable, Message: "the server's database " + state + ", and tasks that have just ended wait for it; try again in a moment", Cause: err}
}

// take is what each transaction of the writer begins with. It writes what has ended,
// and returns what is to be called when the transaction is over.
func (e *ended) take(ctx context.Context, t *tx) (over func(committed bool), err error) {
	e.journal.io.Lock()
	e.mu.Lock()
	taken, gen, again := e.order, e.journal.gen, e.journal.stalled
	e.order = nil
	if len(taken) > 0 && !again {
		e.journal.next()
	}
	e.mu.Unlock()
	e.journal.io.Unlock()
	if len(taken) == 0 {
		return func(bool) {}, nil
	}
	over = func(committed bool) { e.taken(taken, committed) }
	if err := insertEnded(ctx, t, taken, again); err != nil {
		return over, err
	}
	_, err = t.ExecContext(ctx, `INSERT INTO write_behind (id, done) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET done = excluded.done`, journalName(e.journal.id), int64(gen))
	return over, err
}

// taken forgets what the database has. If it does not, both files of the journal hold
// tasks that are needed, and it takes no more until they are in the database.
func (e *ended) taken(tasks []*endedTask, committed bool) {
	e.journal.io.Lock()
	defer e.journal.io.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !committed {
		e.order = append(tasks, e.order...)
		e.journal.stalled = true
		return
	}
	for _, t := range tasks {
		delete(e.tasks, t.row.handle)
	}
	if e.journal.stalled {
		e.journal.next()
		e.journal.stalled = false
	}
}

// insertEnded writes tasks and their words, and notes that the index has them. If it
// was tried before, some may be there.
func insertEnded(ctx context.Context, t *tx, tasks []*endedTask, again bool) error {
	words := make([]indexed, len(tasks))
	for i, task := range tasks {
		words[i] = task.index
	}
	err := inChunks(ctx, t, tasks, addOneEnded, addManyEnded, func(args []any, task *endedTask) []any {
		return append(task.row.values(args), inIndex)
	})
	if err != nil {
		return err
	}
	if again {
		return indexFTS(ctx, t, words)
	}
	return indexNew(ctx, t, words)
}

// close has the database take what is left, and removes the journal. What ends from
// then on goes into the database, as long as that is open.
func (e *ended) close() error {
	e.stop()
	e.wg.Wait()
	e.journal.end()
	err := e.settle(context.Background())
	if err == nil {
		err = e.db.inTx(context.Background(), func(t *tx) error {
			_, err := t.ExecContext(context.Background(), `DELETE FROM write_behind WHERE id = $1`, journalName(e.journal.id))
			return err
		})
	}
	if failed := e.journal.close(); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	return removeJournal(e.journal.path)
}
