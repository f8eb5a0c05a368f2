package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// slowBody is a body that does not come until it is let go.
type slowBody struct {
	reading *sync.WaitGroup // counts down at the first read
	once    sync.Once
	release <-chan struct{}
}

func (h *slowBody) Read([]byte) (int, error) {
	h.once.Do(h.reading.Done)
	<-h.release
	return 0, io.ErrUnexpectedEOF
}

// Callers without a login have no name; that one of them sends slowly
// must not close the public doors to the others.
func TestPublicEndpointsLimitEachAddress(t *testing.T) {
	r := newRig(t)
	h, err := r.handler()
	if err != nil {
		t.Fatal(err)
	}
	list := func(address string, body io.Reader) int {
		req := httptest.NewRequest("POST", "/mcp/tools/list", body)
		req.RemoteAddr = address
		req.ContentLength = 2 // else each takes as much of the address's bytes as a body may have
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w.Code
	}
	var reading, done sync.WaitGroup
	release := make(chan struct{})
	for range 64 {
		reading.Add(1)
		done.Go(func() { list("192.0.2.1:1", &slowBody{reading: &reading, release: release}) })
	}
	reading.Wait()
	if got := list("192.0.2.1:2", strings.NewReader("{}")); got != http.StatusTooManyRequests {
		t.Errorf("got %d for the address whose places are taken, want 429", got)
	}
	if got := list("192.0.2.2:1", strings.NewReader("{}")); got != http.StatusOK {
		t.Errorf("got %d for another address, want 200", got)
	}
	close(release)
	done.Wait()
	if got := list("192.0.2.1:2", strings.NewReader("{}")); got != http.StatusOK {
		t.Errorf("got %d when the places are free again, want 200", got)
	}
}
