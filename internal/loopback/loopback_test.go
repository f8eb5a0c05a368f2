package loopback_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"rialto/internal/loopback"
)

// TestOnlyOurAnswerCounts: another program that finds the port can send an answer first, but does not know the state.
func TestOnlyOurAnswerCounts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	visit := func(path string) (int, string) {
		res, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}
	ours := func(q url.Values) bool { return q.Get("state") == "s1" }
	got, err := loopback.Answer(t.Context(), l, "You are logged in.", ours, func() error {
		for _, stray := range []string{"/", "/callback", "/callback?state=s1", "/callback?error=access_denied", "/callback?code=c0&state=s0"} {
			if status, _ := visit(stray); status != http.StatusNotFound {
				t.Errorf("%s: got %d", stray, status)
			}
		}
		if status, body := visit("/callback?code=c1&state=s1"); status != 200 || !strings.Contains(body, "You are logged in.") {
			t.Errorf("got %d %s", status, body)
		}
		return nil
	})
	if err != nil || got.Get("code") != "c1" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAnswerFailsWithoutItsListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := loopback.Answer(t.Context(), l, "", nil, func() error { return nil }); err == nil {
		t.Error("want an error")
	}
}

func TestAnswerEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if _, err := loopback.Answer(ctx, l, "", nil, func() error { stop(); return nil }); err == nil {
		t.Error("want an error")
	}
}
