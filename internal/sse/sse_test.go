package sse_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"rialto/internal/sse"
)

func readAll(r *sse.Reader) (events []sse.Event, err error) {
	for {
		e, err := r.Next()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestReader(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"one event":                                {"data: a\n\n", "message::a|"},
		"the space after the colon is optional":    {"data:a\n\ndata:  b\n\n", "message::a|message:: b|"},
		"lines of data are joined":                 {"data: a\ndata\ndata: b\n\n", "message::a\n\nb|"},
		"CRLF ends a line":                         {"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", "x::a|message::b|"},
		"CR ends a line":                           {"data: a\r\rdata: b\r\r", "message::a|message::b|"},
		"line ends may be mixed":                   {"data: a\r\n\ndata: b\r\r\n", "message::a|message::b|"},
		"a byte order mark is skipped once":        {"\ufeffdata: a\n\n\ufeffdata: b\n\n", "message::a|"},
		"comments are skipped":                     {": hello\n\n:\n\ndata: a\n: in between\n\n", "message::a|"},
		"the id stays for later events":            {"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "message:1:a|message:1:b|message::c|"},
		"an id with a null byte is ignored":        {"id: 1\ndata: a\n\nid: 2\x00\ndata: b\n\n", "message:1:a|message:1:b|"},
		"the type lasts for one event":             {"event: x\ndata: a\n\ndata: b\n\n", "x::a|message::b|"},
		"an event without data is none":            {"event: x\nid: 4\n\ndata: a\n\n", "message:4:a|"},
		"an event with empty data is one":          {"id: 4\ndata:\n\n", "message:4:|"},
		"unknown fields are ignored":               {"foo: bar\ndata: a\nDATA: b\n\n", "message::a|"},
		"a last event without its empty line":      {"data: a\n\ndata: b\n", "message::a|message::b|"},
		"a last event without its line end":        {"data: a\n\ndata: b", "message::a|message::b|"},
		"an end in the middle of no event is none": {"data: a\n\nevent: x\n", "message::a|"},
		"nothing": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				events, err := readAll(sse.NewReader(in))
				var got strings.Builder
				for _, e := range events {
					got.WriteString(e.Type + ":" + e.ID + ":" + string(e.Data) + "|")
				}
				if got.String() != c.want || err != io.EOF {
					t.Errorf("got %q, %v, want %q", got.String(), err, c.want)
				}
			}
		})
	}
}

// TestLinesMayEndWhereABufferDoes tries every place in the buffer for the end of a
// line.
func TestLinesMayEndWhereABufferDoes(t *testing.T) {
	for size := 4070; size < 4110; size++ {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			long := strings.Repeat("x", size)
			events, err := readAll(sse.NewReader(strings.NewReader("data: " + long + end + "data: b" + end + end + "data: c" + end + end)))
			if err != io.EOF || len(events) != 2 || string(events[0].Data) != long+"\nb" || string(events[1].Data) != "c" {
				t.Fatalf("%d bytes and %q: got %d events, %v", size, end, len(events), err)
			}
		}
	}
}

func TestReaderKnowsWhereAndWhenToReconnect(t *testing.T) {
	r := sse.NewReader(strings.NewReader("retry: 1500\nid: 7\n\nretry: soon\n\n"))
	if _, err := r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	if r.LastID() != "7" || r.Retry() != 1500*time.Millisecond {
		t.Errorf("got %q and %v, want 7 and 1.5s", r.LastID(), r.Retry())
	}
}

func TestReaderDropsWhatABrokenConnectionCutShort(t *testing.T) {
	in := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	events, err := readAll(sse.NewReader(in))
	if len(events) != 1 || err != io.ErrUnexpectedEOF {
		t.Errorf("got %v, %v, want one event and io.ErrUnexpectedEOF", events, err)
	}
}

func TestReaderDoesNotWaitForTheByteAfterCR(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	go func() { _, _ = io.WriteString(pw, "data: a\r\r") }() // and the stream stays open
	if e, err := sse.NewReader(pr).Next(); err != nil || string(e.Data) != "a" {
		t.Errorf("got %q, %v", e.Data, err)
	}
}

type endless string

func (s endless) Read(b []byte) (int, error) { return copy(b, s), nil }

func TestReaderBoundsAnEvent(t *testing.T) {
	for name, in := range map[string]endless{
		"of one line":           "data: aaaaaaaaaaaaaaaaaaaaa",
		"of many lines":         "data: aaaa\n",
		"of many empty lines":   "data\n",
		"that is a long remark": ": ",
	} {
		r := sse.NewReader(in)
		r.MaxEvent = 100
		for range 2 {
			if _, err := r.Next(); !errors.Is(err, sse.ErrTooLarge) {
				t.Errorf("an event %s: got %v, want ErrTooLarge", name, err)
			}
		}
	}
}

func TestWriterWritesWhatReaderReads(t *testing.T) {
	rec := httptest.NewRecorder()
	w := sse.NewWriter(rec)
	for _, err := range []error{
		w.Comment("hello\nworld"),
		w.Event(sse.Event{ID: "1", Type: "x", Data: []byte("a\r\nb\rc\n")}),
		w.Event(sse.Event{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := ": hello\n: world\n\nid: 1\nevent: x\ndata: a\ndata: b\ndata: c\ndata: \n\ndata: \n\n"
	if got := rec.Body.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for k, v := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if got := rec.Header().Get(k); got != v {
			t.Errorf("%s: got %q, want %q", k, got, v)
		}
	}
	events, err := readAll(sse.NewReader(rec.Body))
	if err != io.EOF || len(events) != 2 || string(events[0].Data) != "a\nb\nc\n" {
		t.Errorf("got %q, %v", events, err)
	}
}

func TestWriterRefusesToLetAnIDEndItsLine(t *testing.T) {
	rec := httptest.NewRecorder()
	w := sse.NewWriter(rec)
	for _, e := range []sse.Event{{ID: "1\ndata: x"}, {Type: "a\rb"}, {ID: "\x00"}} {
		if w.Event(e) == nil {
			t.Errorf("%+v was written", e)
		}
	}
	if rec.Body.Len() > 0 {
		t.Errorf("got %q, want nothing written", rec.Body)
	}
}

func TestWriterKeepsEventsWholeUnderConcurrentUse(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		w := sse.NewWriter(rw)
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				_ = w.Event(sse.Event{ID: strconv.Itoa(i), Data: []byte(strconv.Itoa(i) + "\n" + strconv.Itoa(i))})
				_ = w.Comment("")
			})
		}
		wg.Wait()
	}))
	defer srv.Close()
	res, err := srv.Client().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	events, err := readAll(sse.NewReader(res.Body))
	if len(events) != 50 || err != io.EOF {
		t.Fatalf("got %d events, %v, want 50", len(events), err)
	}
	for _, e := range events {
		if string(e.Data) != e.ID+"\n"+e.ID {
			t.Errorf("event %s has the data %q", e.ID, e.Data)
		}
	}
}

func TestWriterReportsThatThePeerIsGone(t *testing.T) {
	got := make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w := sse.NewWriter(rw)
		_ = w.Flush()
		<-r.Context().Done()
		for range 100 { // the first write may still fit a buffer
			if err := w.Comment(strings.Repeat("x", 1<<16)); err != nil {
				break
			}
		}
		got <- w.Err()
	}))
	defer srv.Close()
	res, err := srv.Client().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if err := <-got; err == nil {
		t.Error("got no error from writing to a peer that is gone")
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "\ufeffid: 1\r\nevent: x\r\ndata:\r\n\r\n", ":\r\rdata: a\rdata: b\r\r", "retry: 1\nid\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := sse.NewReader(strings.NewReader(string(b)))
		r.MaxEvent = 64
		events, err := readAll(r)
		if err != io.EOF && !errors.Is(err, sse.ErrTooLarge) {
			t.Fatal(err)
		}
		for _, e := range events {
			if len(e.Data) > 64 {
				t.Fatalf("event of %d bytes", len(e.Data))
			}
			rec := httptest.NewRecorder()
			if err := sse.NewWriter(rec).Event(e); err != nil {
				t.Fatalf("%+v cannot be written: %v", e, err)
			}
			again, err := sse.NewReader(rec.Body).Next()
			if err != nil || again.ID != e.ID || again.Type != e.Type || string(again.Data) != string(e.Data) {
				t.Fatalf("%+v became %+v (%v)", e, again, err)
			}
		}
	})
}
