package console

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
)

// stream opens an event stream as a user, and returns its lines.
func (b *browser) stream(ctx context.Context, path string) (*http.Response, *bufio.Scanner) {
	b.r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.r.url+path, nil)
	b.r.must(err)
	for _, c := range b.Cookies(b.r.url) {
		req.AddCookie(c)
	}
	resp, err := http.DefaultClient.Do(req)
	b.r.must(err)
	b.r.t.Cleanup(func() { resp.Body.Close() })
	return resp, bufio.NewScanner(resp.Body)
}

// until reads lines to one that begins so.
func until(lines *bufio.Scanner, want string) bool {
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), want) {
			return true
		}
	}
	return false
}

func TestAPageHearsOfChangesAndOfTheEnd(t *testing.T) {
	r := newRig(t)
	e := r.task("t1", "alice", a2a.Working, "One.")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, list := r.as("root").stream(ctx, "/admin/tasks/events")
	_, one := r.as("root").stream(ctx, "/admin/tasks/one/events?id=t1")
	if !until(list, ": watching") || !until(one, ": watching") {
		t.Fatal("nobody watches")
	}
	e.Updated = e.Updated.Add(time.Second)
	e.Task.Status.State, e.Idle = a2a.Completed, true
	r.must(r.db.Ledger.SaveTask(t.Context(), e, "r"))
	if !until(list, "event: change") {
		t.Error("the list did not hear of the change")
	}
	if !until(one, "event: change") || !until(one, "event: end") {
		t.Error("the page of the task did not hear of the change and the end")
	}
}

func TestFollowersOfPagesAreBounded(t *testing.T) {
	r := newRig(t)
	if p := r.as("root").get("/admin/tasks/one/events?id=nothing"); p.Status != http.StatusNotFound || r.watching.All() != 0 {
		t.Errorf("got %d, want 404 and no page watching", p.Status)
	}
	one, two := r.as("alice"), r.as("bob")
	watch := func(b *browser) *http.Response {
		resp, _ := b.stream(t.Context(), "/account/tasks/events")
		return resp
	}
	for n := range maxLivePagesUser {
		if got := watch(one); got.StatusCode != http.StatusOK {
			t.Fatalf("got %s for page %d of a person", got.Status, n+1)
		}
	}
	if got := watch(one); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("got %s for one more, want 429", got.Status)
	}
	if got := watch(two); got.StatusCode != http.StatusOK {
		t.Errorf("got %s for another person, want 200", got.Status)
	}
	for n := r.watching.All(); n < maxLivePages; n++ {
		r.watching.Acquire(fmt.Sprint(n), 1, maxLivePages)
	}
	if got := watch(two); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("got %s when all are taken, want 429", got.Status)
	}
	if p := r.as("alice").get("/admin/tasks/events"); p.Status != http.StatusForbidden {
		t.Errorf("got %d for alice, want 403", p.Status)
	}
}
