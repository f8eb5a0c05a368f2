package call_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestACommandLineReusesItsConnection counts the connections of a handshake, a list of tools and calls,
// in both eras. The SDK does not wait for the end of an event stream after its answer, so the next request
// may come before the connection is free and open a second one. Later requests then find one of the two.
func TestACommandLineReusesItsConnection(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		var opened atomic.Int32
		server := httptest.NewUnstartedServer(fixture(legacy))
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		server.Start()
		defer server.Close()
		s, err := client(server.URL).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tools, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			switch tool.Name {
			case "test_simple_text", "test_tool_with_progress", "test_error_handling":
				if _, err := s.Call(t.Context(), tool, map[string]any{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.Close()
		if n := opened.Load(); n > 2 {
			t.Errorf("legacy %v: got %d connections, want 1, or 2 at times", legacy, n)
		}
	}
}
