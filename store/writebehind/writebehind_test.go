package writebehind

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var errBusy = errors.New("busy")

// database takes records, unless err is set.
type database struct {
	mu      sync.Mutex
	records map[string]bool
	err     error
	wait    chan struct{} // closed when it may take records
}

func (d *database) Write(ctx context.Context, records []string) error {
	if d.wait != nil {
		<-d.wait
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range records {
		if d.err == nil {
			d.records[r] = true
		}
	}
	return d.err
}

func (d *database) Missing(_ context.Context, keys []string) (missing []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		if !d.records[key] {
			missing = append(missing, key)
		}
	}
	return missing, nil
}

func (d *database) has() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(d.records)), " ")
}

func newDatabase() *database { return &database{records: map[string]bool{}} }

func (d *database) fails(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func config(path string, d *database, log *strings.Builder) Config[string] {
	return Config[string]{Path: path, ID: "id", Database: d, Busy: errBusy, Log: slog.New(slog.NewTextHandler(log, nil))}
}

func open(t *testing.T, c Config[string]) *Buffer[string] {
	t.Helper()
	b, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func add(t *testing.T, b *Buffer[string], record string) {
	t.Helper()
	if err := b.Add(t.Context(), record, record); err != nil {
		t.Fatal(err)
	}
}

// copied copies a file as a power cut would leave it.
func copied(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(to+suffix, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestRecordsAreInTheDatabaseInTheEnd(t *testing.T) {
	d, path := newDatabase(), filepath.Join(t.TempDir(), "file")
	b := open(t, config(path, d, &strings.Builder{}))
	var wg sync.WaitGroup
	var want []string
	for i := range 300 {
		key := fmt.Sprintf("%03d", i)
		want = append(want, key)
		wg.Go(func() { add(t, b, key) })
	}
	wg.Wait()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.has(); got != strings.Join(want, " ") {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
	if err := b.Add(t.Context(), "x", "x"); !errors.Is(err, ErrFull) {
		t.Errorf("after Close: got %v, want ErrFull", err)
	}
}

// TestARecordOutlivesTheProcess copies the file while the database takes nothing.
func TestARecordOutlivesTheProcess(t *testing.T) {
	d, path := newDatabase(), filepath.Join(t.TempDir(), "file")
	d.wait = make(chan struct{})
	b := open(t, config(path, d, &strings.Builder{}))
	add(t, b, "one")
	add(t, b, "two")
	if got, ok := b.Find("one"); !ok || got != "one" {
		t.Errorf("got %q, %v", got, ok)
	}
	left := copied(t, path)
	close(d.wait)
	if err := b.Flush(t.Context()); err != nil || d.has() != "one two" {
		t.Errorf("got %s, %v", d.has(), err)
	}
	if _, ok := b.Find("one"); ok {
		t.Error("a record that is in the database is still held")
	}
	flushed := copied(t, path)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]string{left: "one two", flushed: ""} {
		after := newDatabase()
		b := open(t, config(path, after, &strings.Builder{}))
		if got := after.has(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAFileIsOfOneDatabase opens the file of another database, one of another program,
// and one that cannot be read.
func TestAFileIsOfOneDatabase(t *testing.T) {
	folder := t.TempDir()
	other, text, unreadable := filepath.Join(folder, "other"), filepath.Join(folder, "text"), filepath.Join(folder, "folder")
	c := config(other, newDatabase(), &strings.Builder{})
	c.ID = "other"
	f, err := openFile(t.Context(), other, "other")
	if err != nil {
		t.Fatal(err)
	}
	f.close()
	if err := errors.Join(os.WriteFile(text, []byte(strings.Repeat("no database", 100)), 0o600), os.Mkdir(unreadable, 0o700)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{other: "foreign", text: "damaged", unreadable: ""} {
		_, err := Open(t.Context(), config(path, newDatabase(), &strings.Builder{}))
		_, damaged := errors.AsType[*DamagedError](err)
		if err == nil || errors.Is(err, ErrForeign) != (want == "foreign") || damaged != (want == "damaged") {
			t.Errorf("%s: got %v", filepath.Base(path), err)
		}
	}
}

// TestADamagedFileGivesWhatItCan damages one of two rows.
func TestADamagedFileGivesWhatItCan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := openFile(t.Context(), path, "id")
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range []string{`["a","b"]`, `["c`} {
		if err := f.insert(int64(i), []byte(row)); err != nil {
			t.Fatal(err)
		}
	}
	f.close()
	d := newDatabase()
	_, err = Open(t.Context(), config(path, d, &strings.Builder{}))
	if e, ok := errors.AsType[*DamagedError](err); !ok || e.Recovered != 2 || e.Groups != 1 || d.has() != "a b" {
		t.Errorf("got %v (%+v) and records %q, want a and b, and one group lost", err, e, d.has())
	}
	kept, err := SetAside(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, config(path, d, &strings.Builder{})).Close(); err != nil {
		t.Errorf("a new file: %v", err)
	}
	if _, err := Open(t.Context(), config(kept, newDatabase(), &strings.Builder{})); err == nil {
		t.Error("the damaged file was not kept")
	}
}

func TestPendingRecordsAreBounded(t *testing.T) {
	d := newDatabase()
	d.wait = make(chan struct{})
	b := open(t, config(filepath.Join(t.TempDir(), "file"), d, &strings.Builder{}))
	if err := b.Add(t.Context(), "large", strings.Repeat("x", maxRecord)); !errors.Is(err, ErrFull) {
		t.Errorf("a large record: got %v, want ErrFull", err)
	}
	large := strings.Repeat("x", maxRecord-2)
	taken := 0
	for i := range maxPending/maxRecord + 10 {
		if b.Add(t.Context(), fmt.Sprint(i), large) == nil {
			taken++
		}
	}
	if taken != maxPending/maxRecord {
		t.Errorf("got %d records of %d bytes, want %d", taken, maxRecord, maxPending/maxRecord)
	}
	close(d.wait)
	if err := b.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	add(t, b, large) // there is room again
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestAFileThatFailsTakesNoMore closes the file under the buffer.
func TestAFileThatFailsTakesNoMore(t *testing.T) {
	var log strings.Builder
	d := newDatabase()
	b := open(t, config(filepath.Join(t.TempDir(), "file"), d, &log))
	b.file.close()
	for range 3 {
		if err := b.Add(t.Context(), "one", "one"); !errors.Is(err, ErrFull) {
			t.Errorf("got %v, want ErrFull", err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "level=ERROR") || !strings.Contains(said, b.Path) || !strings.Contains(said, "closed") {
		t.Errorf("got the log %q, want once which file failed and how", said)
	}
}

func TestFlushesThatFailAreLoggedOnce(t *testing.T) {
	var log strings.Builder
	d := newDatabase()
	b := open(t, config(filepath.Join(t.TempDir(), "file"), d, &log))
	for _, err := range []error{errBusy, errors.New("disk full")} {
		d.fails(err)
		add(t, b, err.Error())
		for range 3 {
			if got := b.Flush(t.Context()); !errors.Is(got, err) {
				t.Errorf("got %v, want %v", got, err)
			}
		}
	}
	d.fails(nil)
	if err := b.Close(); err != nil || d.has() != "busy disk full" {
		t.Errorf("got %s, %v", d.has(), err)
	}
	said := strings.Split(log.String(), "\n")
	if len(said) != 4 || !strings.Contains(said[0], "level=WARN") || !strings.Contains(said[1], "disk full") || !strings.Contains(said[2], "again") {
		t.Errorf("got the log %q", said)
	}
}

// TestAListOfKeysThatIsBehindLosesNoRecord cuts the power when the file has a record that was added after
// a flush, and the disk has the list of keys as it was before: the list is not synced.
func TestAListOfKeysThatIsBehindLosesNoRecord(t *testing.T) {
	d, path := newDatabase(), filepath.Join(t.TempDir(), "file")
	b := open(t, config(path, d, &strings.Builder{}))
	add(t, b, "one")
	behind, err := os.ReadFile(path + keysSuffix)
	if err == nil {
		err = b.Flush(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.wait = make(chan struct{})
	add(t, b, "two")
	left := copied(t, path)
	if err := os.WriteFile(left+keysSuffix, behind, 0o600); err != nil {
		t.Fatal(err)
	}

	next := newDatabase()
	next.records["one"] = true
	open(t, config(left, next, &strings.Builder{}))
	if got := next.has(); got != "one two" {
		t.Errorf("the database has %q after the power cut", got)
	}
	close(d.wait)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
