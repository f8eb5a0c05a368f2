package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// notice is a notification that an agent sent to the server, and the answer.
type notice struct {
	path   string
	header http.Header
	status int
}

// beforeHooks serves what is at addr, and tells of notifications.
func beforeHooks(t *testing.T, addr string) (string, <-chan notice) {
	notices := make(chan notice, 256)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addr})
			r.Out.Host = r.In.Host
		},
		FlushInterval: -1,
		ModifyResponse: func(resp *http.Response) error {
			if r := resp.Request; r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/hooks/") {
				notices <- notice{r.URL.Path, r.Header, resp.StatusCode}
			}
			return nil
		},
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The transport may read the body after an answer that comes early, or after the handler has
		// returned, which a server's request does not allow: net/http panics, and the call breaks off.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the agent has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL, notices
}

// TestAgentsOfOthersTellTheServerOfTheirTasks has each SDK whose agents send push
// notifications send them to the webhook that the server gave with the message.
// A task is what its agent shows, whatever a notification says of it.
func TestAgentsOfOthersTellTheServerOfTheirTasks(t *testing.T) {
	t.Parallel()
	dir, addr := t.TempDir(), freeAddress(t)
	front, notices := beforeHooks(t, addr)
	var config bytes.Buffer
	fmt.Fprintf(&config, "url: %s\ndatabase: %q\nsecret_file: %s\npush: {receive: true}\nagents:\n", front, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"))
	agents := map[string]sdk{} // by URL
	for _, s := range sdks(t) {
		if s.tells {
			at := s.agent(t)
			agents[at] = s
			fmt.Fprintf(&config, "  - {name: %s, url: %q}\n", s.slug, at)
		}
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", path)
	token := output(t, "", "token", "--user", "alice", "--scope", "a2a:publish a2a:discover", "--config", path)
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	for at, s := range agents {
		t.Run(s.name, func(t *testing.T) {
			c := kitClient(t, front+"/a2a/"+s.slug, token, a2a.Interface{Version: a2a.V10, Binding: a2a.JSONRPC})
			id := begun(t, c, a2atest.Say("wait over"), true).ID
			told := heard(t, notices, s.slug, id)
			forge(t, p.URL, told)
			if task, err := c.Task(t.Context(), a2a.TaskQuery{ID: id}); err != nil || task.Status.State.Idle() {
				t.Errorf("after a notification that lies: got %+v, %v, want it at work", task, err)
			}
			do(t, "POST", at+"/release", "")
			ended(t, c, id)
		})
	}
}

// heard waits for a notification about a task that is taken.
func heard(t *testing.T, notices <-chan notice, agent string, id a2a.TaskID) notice {
	t.Helper()
	for {
		select {
		case n := <-notices:
			if n.status != http.StatusNoContent {
				t.Errorf("%s was answered with %d", n.path, n.status)
			}
			if strings.HasPrefix(n.path, "/hooks/"+agent+"/"+string(id)+"/") {
				return n
			}
		case <-time.After(time.Minute):
			t.Fatal("the agent told nothing of the task")
		}
	}
}

// forge sends a notification that says that a task has ended, with the proof of the agent's own.
func forge(t *testing.T, base string, told notice) {
	t.Helper()
	own := []string{"Content-Type", "application/json"}
	for name := range told.header {
		if strings.HasSuffix(name, "-Notification-Token") || name == "Authorization" {
			own = append(own, name, told.header.Get(name))
		}
	}
	const lie = `{"kind":"task","id":"x","contextId":"y","status":{"state":"completed"}}`
	if resp := do(t, "POST", base+told.path, lie, own...); resp.StatusCode != http.StatusNoContent {
		t.Errorf("got %d, want %d", resp.StatusCode, http.StatusNoContent)
	}
	if resp := do(t, "GET", base+told.path+"?validationToken=echo", ""); string(resp.body) != "echo" {
		t.Errorf("asked to repeat a token: got %d %s", resp.StatusCode, resp.body)
	}
}

// ended follows a task to its end.
func ended(t *testing.T, c *a2aclient.Client, id a2a.TaskID) {
	t.Helper()
	for _, err := range c.Subscribe(t.Context(), id) {
		if err != nil && !a2a.Is(err, a2a.UnsupportedOperation) { // it has ended already
			t.Error(err)
		}
	}
	if task, err := c.Task(t.Context(), a2a.TaskQuery{ID: id}); err != nil || task.Status.State != a2a.Completed {
		t.Errorf("got %+v, %v, want it completed", task, err)
	}
}
