package connectors

import "testing"

func TestReverseDNS(t *testing.T) {
	for host, want := range map[string]string{
		"agents.example.com": "com.example.agents", "localhost": "localhost", "127.0.0.1": "127.0.0.1", "::1": "--1",
	} {
		if got := reverseDNS(host); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}
