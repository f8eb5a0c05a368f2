package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"rialto/mcp"
)

// mixed is a request that mixes revisions: the era of its client, its headers and its
// _meta.
type mixed struct {
	modern  bool
	session bool
	header  http.Header
	meta    string
	strict  int // the status that a strict server answers with
}

var mixtures = map[string]mixed{
	"older header": {modern: true, header: http.Header{ // as Claude's connectors do
		"Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Method": nil}, strict: http.StatusBadRequest},
	"newer header":          {session: true, header: http.Header{"Mcp-Protocol-Version": {"2027-01-01"}}, strict: http.StatusBadRequest},
	"doubled header":        {header: http.Header{"Mcp-Protocol-Version": {"2025-11-25, 2025-11-25"}}, strict: http.StatusBadRequest},
	"meta without revision": {meta: `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"ChatGPT","version":"1"}}`, strict: http.StatusOK},
}

func (m mixed) send(t *testing.T, c *client) *http.Response {
	t.Helper()
	r := c.request(context.Background(), "1", "tools/list", m.meta)
	for name, values := range m.header {
		r.Header[name] = values
	}
	res, err := c.srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

func TestEachHybridIsCountedAndLoggedOrRefused(t *testing.T) {
	for name, m := range mixtures {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, strict %v", name, strict), func(t *testing.T) {
				var log bytes.Buffer
				s := &mcp.Server{Strict: strict, Log: slog.New(slog.NewTextHandler(&log, nil))}
				c := &client{t: t, srv: serve(t, s), era: eras[0]}
				if m.modern {
					c.era = eras[1]
				}
				if m.session {
					c.initialize()
				}
				want, counted := http.StatusOK, int64(1)
				if strict {
					want = m.strict
				}
				if want != http.StatusOK {
					counted = 0
				}
				if res := m.send(t, c); res.StatusCode != want {
					t.Errorf("got %d, want %d", res.StatusCode, want)
				}
				for kind, n := range s.Hybrids() {
					if kind == name && n != counted || kind != name && n != 0 {
						t.Errorf("%s is counted %d times", kind, n)
					}
				}
				if got := strings.Count(log.String(), `hybrid="`+name+`"`); int64(got) != counted {
					t.Errorf("got %d lines, want %d: %s", got, counted, log.String())
				}
			})
		}
	}
}

func TestHybridsAreLoggedWithoutAFlood(t *testing.T) {
	var log bytes.Buffer
	s := &mcp.Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
	c := &client{t: t, srv: serve(t, s), era: eras[1]}
	for range 9 {
		mixtures["older header"].send(t, c)
	}
	if got := s.Hybrids()["older header"]; got != 9 {
		t.Errorf("got %d, want 9", got)
	}
	if got := strings.Count(log.String(), "older header"); got != 4 { // the 1st, 2nd, 4th and 8th
		t.Errorf("got %d lines, want 4:\n%s", got, log.String())
	}
}
