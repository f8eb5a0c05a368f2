package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"rialto/mcp"
)

func TestHybridsAreCountedAndLoggedWithoutAFlood(t *testing.T) {
	var log bytes.Buffer
	s := &mcp.Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
	c := &client{t: t, srv: serve(t, s), era: eras[1]}
	for range 9 {
		r := c.request(context.Background(), "1", "tools/list", "")
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25") // as Claude's connectors do
		r.Header.Del("Mcp-Method")
		res, err := c.srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("got %d", res.StatusCode)
		}
	}
	counts := s.Hybrids()
	if counts["older header"] != 9 || counts["newer header"] != 0 || len(counts) != 4 {
		t.Errorf("got %v, want 9 with an older header", counts)
	}
	if got := strings.Count(log.String(), "older header"); got != 4 { // the 1st, 2nd, 4th and 8th
		t.Errorf("got %d lines, want 4:\n%s", got, log.String())
	}
}
