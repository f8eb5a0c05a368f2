package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a/a2aexec"
)

// receiver is a webhook that hangs until it is opened, and then keeps the token
// of each notification that tells of an end.
type receiver struct {
	host   string
	open   chan struct{}
	close  func()
	mu     sync.Mutex
	told   map[string]int
	wrong  []string
	enough chan struct{} // closed when as many tokens are known as were expected
	expect int
}

func newReceiver(t *testing.T, expect int) *receiver {
	r := &receiver{host: freeAddress(t), open: make(chan struct{}), told: map[string]int{}, enough: make(chan struct{}), expect: expect}
	r.close = serveAt(t, r.host, r)
	return r
}

// serveAt serves h at an address until the test ends, or what it returns is called.
func serveAt(t *testing.T, addr string, h http.Handler) func() {
	t.Helper()
	srv := &httptest.Server{Listener: listen(t, addr), Config: &http.Server{Handler: h}}
	srv.Start()
	end := sync.OnceFunc(func() { srv.CloseClientConnections(); srv.Close() })
	t.Cleanup(end)
	return end
}

// ends is how each generation says that a task has completed.
var ends = map[string]string{"1.0": `{"task":{"id":`, "0.3": `{"kind":"task"`, "0.1": `{"id":"0.1-`}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	select {
	case <-r.open:
	case <-req.Context().Done():
		return
	}
	r.note(req, body)
}

// note keeps what a notification says.
func (r *receiver) note(req *http.Request, body []byte) {
	token := req.Header.Get("X-A2A-Notification-Token")
	generation, _, _ := strings.Cut(token, " ")
	r.mu.Lock()
	defer r.mu.Unlock()
	if !strings.HasPrefix(string(body), ends[generation]) || !strings.HasPrefix(req.Header.Get("Authorization"), "Bearer ey") {
		r.wrong = append(r.wrong, token+": "+string(body))
	}
	if !strings.Contains(strings.ToLower(string(body)), "completed") {
		return
	}
	if r.told[token]++; r.told[token] == 1 && len(r.told) == r.expect {
		close(r.enough)
	}
}

// sendWithWebhook sends a message in the words of a generation and waits for
// the end of its task, which a webhook shall receive.
func sendWithWebhook(t *testing.T, base, token, generation, url, name string) {
	t.Helper()
	hook := fmt.Sprintf(`{"url":%q,"token":%q}`, url, generation+" "+name)
	body := map[string]string{
		"1.0": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"` + name + `","role":"ROLE_USER","parts":[{"text":"go"}]},"configuration":{"taskPushNotificationConfig":` + hook + `}}}`,
		"0.3": `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"` + name + `","role":"user","parts":[{"kind":"text","text":"go"}]},"configuration":{"blocking":true,"pushNotificationConfig":` + hook + `}}}`,
		"0.1": `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"0.1-` + name + `","message":{"role":"user","parts":[{"type":"text","text":"go"}]},"pushNotification":` + hook + `}}`,
	}[generation]
	header := []string{"Authorization", "Bearer " + token, "Content-Type", "application/json"}
	if generation == "1.0" {
		header = append(header, "A2A-Version", "1.0")
	}
	resp := do(t, "POST", base+"/a2a/agent", body, header...)
	if !strings.Contains(strings.ToLower(string(resp.body)), "completed") {
		t.Errorf("%s in %s: got %s", name, generation, resp.body)
	}
}

// TestPushNotificationsOutliveACrash has 1,000 notifications due to a webhook
// that hangs when the server is killed. The next one delivers each at least
// once, as the generation that asked for it has it, and calls no address that the
// operator has meanwhile struck from the list.
func TestPushNotificationsOutliveACrash(t *testing.T) {
	t.Parallel()
	const users, each, struck = 5, 200, 20
	agent := newAgent(t, func(_ context.Context, turn *a2aexec.Turn) error { turn.Complete("done"); return nil })
	hook, refused := newReceiver(t, users*each), newReceiver(t, 1)
	dir, addr := t.TempDir(), freeAddress(t)
	config := func(hosts string) string {
		path := filepath.Join(dir, "rialto.yaml")
		err := os.WriteFile(path, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n  - {name: agent, url: %q}\npush:\n  allowed_hosts: [%s]\n",
			addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"), agent, hosts), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := config(`"` + hook.host + `", "` + refused.host + `"`)
	var tokens []string
	for u := range users {
		name := fmt.Sprint("user", u)
		output(t, password+"\n", "user", "add", name, "--password-stdin", "--config", path)
		tokens = append(tokens, output(t, "", "token", "--user", name, "--scope", "a2a:publish a2a:discover", "--config", path))
	}
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	var sending sync.WaitGroup
	for u, token := range tokens {
		generation := []string{"1.0", "0.3", "0.1"}[u%3]
		sending.Go(func() {
			for n := range each {
				sendWithWebhook(t, p.URL, token, generation, "http://"+hook.host, fmt.Sprintf("%d-%d", u, n))
			}
			for n := range struck / users {
				sendWithWebhook(t, p.URL, token, generation, "http://"+refused.host, fmt.Sprintf("refused-%d-%d", u, n))
			}
		})
	}
	sending.Wait()
	if t.Failed() {
		t.Fatalf("the server says:\n%s", p.log)
	}
	p.kill()
	refused.close() // with all that the server called before it was killed
	var calls atomic.Int64
	serveAt(t, refused.host, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	close(hook.open)
	began := time.Now()
	start(t, addr, "serve", "--config", config(`"`+hook.host+`"`), "--listen", addr)
	select {
	case <-hook.enough:
		t.Logf("%d notifications were delivered in %v after the start", users*each, time.Since(began))
	case <-time.After(time.Minute):
		hook.mu.Lock()
		defer hook.mu.Unlock()
		t.Fatalf("after a minute %d of %d notifications were delivered", len(hook.told), users*each)
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	if len(hook.wrong) > 0 {
		t.Errorf("%d are not as they should be, such as %s", len(hook.wrong), hook.wrong[0])
	}
	// What one lease holds is given up by the time that it has run out for all.
	dead := 0
	poll(500*time.Millisecond, 2*time.Minute, func() bool {
		dead = strings.Count(output(t, "", "push", "dead", "--config", path), "to "+refused.host)
		return dead >= struck
	})
	if n := calls.Load(); dead != struck || n > 0 {
		t.Errorf("%d dead and %d calls to a host that is refused, want %d and none", dead, n, struck)
	}
}
