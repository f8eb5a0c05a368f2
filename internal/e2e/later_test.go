package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

// laterAgent serves an agent of a generation to come in 1.0, and returns where, and
// where it lets what waits go on.
func laterAgent(t *testing.T) (url, release string) {
	agent := a2atest.NewLater()
	t.Cleanup(func() { agent.Close() })
	s := &a2aserver.Server{Agent: agent, Card: agent.Card()}
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("POST /release", func(http.ResponseWriter, *http.Request) { agent.Release() })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	s.URL = web.URL
	s.Card.Interfaces = []a2a.Interface{{URL: web.URL, Binding: a2a.JSONRPC, Version: a2a.V10}}
	return web.URL, web.URL + "/release"
}

// TestLaterAgents has the clients of every generation reach agents of one to come
// through the program: what such agents say more than 1.0 must not be in their way,
// and those of 1.0 over JSON read over it where they ask for it.
func TestLaterAgents(t *testing.T) {
	clients, dir, addr := clientsOf(sdks(t)), t.TempDir(), freeAddress(t)
	for _, c := range clients {
		if strings.HasPrefix(c.spoken, "1.0") && !strings.HasSuffix(c.spoken, "GRPC") {
			c.spoken += ", asking"
			c.env = append(slices.Clone(c.env), "RIALTO_EXTENSIONS="+a2a.OtherMembers)
			clients = append(clients, c)
		}
	}
	var config bytes.Buffer
	fmt.Fprintf(&config, "url: http://%s\ndatabase: %q\nsecret_file: %s\ngrpc: {listen: %q}\npush: {allowed_hosts: [127.0.0.1]}\nagents:\n",
		addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"), freeAddress(t))
	releases := make([]string, len(clients)) // each client has an agent of its own
	for i := range clients {
		var url string
		url, releases[i] = laterAgent(t)
		fmt.Fprintf(&config, "  - {name: later-%d, url: %q}\n", i, url)
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", path)
	token := output(t, "", "token", "--user", "alice", "--scope", "a2a:publish a2a:discover", "--config", path)
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	for i, client := range clients {
		t.Run(client.name+" in "+client.spoken, func(t *testing.T) {
			client.cross(t, fmt.Sprintf("%s/a2a/later-%d/", p.URL, i), token, releases[i])
		})
	}
}
