package call_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestACommandLineUsesOneConnection counts the connections of a handshake, a list of tools and calls, in
// both eras.
func TestACommandLineUsesOneConnection(t *testing.T) {
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
		if n := opened.Load(); n != 1 {
			t.Errorf("legacy %v: got %d connections, want 1", legacy, n)
		}
	}
}
