package batch

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// book writes into memory, or fails.
type book struct {
	got   []int
	calls int
	err   error
}

func (b *book) write(_ context.Context, v []int) error {
	b.calls++
	if b.err == nil {
		b.got = append(b.got, v...)
	}
	return b.err
}

func newQueue(b *book, log *bytes.Buffer) *Queue[int] {
	return &Queue[int]{Write: b.write, What: "numbers", Log: slog.New(slog.NewTextHandler(log, nil))}
}

func TestWhatIsAddedIsWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		q := newQueue(b, &bytes.Buffer{})
		ctx, stop := context.WithCancel(t.Context())
		go q.Run(ctx)
		for i := range 3 {
			q.Add(i)
		}
		time.Sleep(2 * interval)
		synctest.Wait()
		if !slices.Equal(b.got, []int{0, 1, 2}) || b.calls != 1 {
			t.Errorf("got %v in %d calls", b.got, b.calls)
		}
		q.Add(3)
		stop()
		synctest.Wait()
		if !slices.Equal(b.got, []int{0, 1, 2, 3}) {
			t.Errorf("got %v after the end, want all", b.got)
		}
	})
}

// TestWhatComesDuringTheLastWriteIsWritten ends the queue while it writes.
func TestWhatComesDuringTheLastWriteIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		q := newQueue(b, &bytes.Buffer{})
		ctx, stop := context.WithCancel(t.Context())
		q.Write = func(ctx context.Context, v []int) error {
			if v[0] == 0 {
				q.Add(1)
				stop()
			}
			return b.write(ctx, v)
		}
		q.Add(0)
		q.Run(ctx)
		if !slices.Equal(b.got, []int{0, 1}) {
			t.Errorf("got %v after the end, want all", b.got)
		}
	})
}

// TestWhatComesDuringAWriteWaitsForTheNext has records that come as fast as they are written: each was
// written in a transaction of its own.
func TestWhatComesDuringAWriteWaitsForTheNext(t *testing.T) {
	b := &book{}
	q := newQueue(b, &bytes.Buffer{})
	q.Write = func(ctx context.Context, v []int) error {
		if b.calls < 10 {
			q.Add(len(b.got) + 1)
		}
		return b.write(ctx, v)
	}
	q.Add(0)
	q.Flush(t.Context())
	if b.calls != 1 || q.Waiting() != 1 {
		t.Errorf("got %d writes, and %d records wait, want 1 and 1", b.calls, q.Waiting())
	}
}

func TestAFullChunkDoesNotWaitForTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		q := newQueue(b, &bytes.Buffer{})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go q.Run(ctx)
		synctest.Wait()
		for i := range chunk {
			q.Add(i)
		}
		synctest.Wait()
		if len(b.got) != chunk {
			t.Errorf("got %d, want %d at once", len(b.got), chunk)
		}
	})
}

func TestWhatCannotBeWrittenWaitsAndWhatIsTooMuchIsCounted(t *testing.T) {
	var log bytes.Buffer
	b := &book{err: errors.New("the disk is full")}
	q := newQueue(b, &log)
	for i := range maxWaiting + 7 {
		q.Add(i)
	}
	q.Flush(t.Context())
	if b.calls != 1 || !strings.Contains(log.String(), "the disk is full") || !strings.Contains(log.String(), "records=7") {
		t.Fatalf("got %d calls and the log %s", b.calls, log.String())
	}
	b.err = nil
	q.Flush(t.Context())
	if len(b.got) != maxWaiting || !slices.IsSorted(b.got) {
		t.Errorf("got %d afterwards, want all %d in their order", len(b.got), maxWaiting)
	}
}
