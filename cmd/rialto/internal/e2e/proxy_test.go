package e2e

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestBehindAProxy runs the configurations of docs/proxy.md, with a server
// behind them, and lets the doctor and a stream through.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	english, spanish := document(t, "proxy.md"), document(t, "proxy.es.md")
	for _, c := range []struct {
		language, program string
		prepare           func(text, folder, at, behind, cert, key string) []string
	}{
		{"nginx", "nginx", nginx},
		{"caddyfile", "caddy", caddy},
	} {
		t.Run(c.program, func(t *testing.T) {
			path, err := exec.LookPath(c.program)
			Need(t, err)
			text := fenced(t, english, c.language)
			if other := fenced(t, spanish, c.language); other != text {
				t.Errorf("the Spanish guide has another configuration:\n%s", other)
			}
			cert, key := certificate(t)
			at, behind, folder := freeAddress(t), freeAddress(t), t.TempDir()
			data := t.TempDir()
			start(t, behind, "demo", "--listen", behind, "--data", data, "--url", "https://"+at)
			cmd := exec.Command(path, c.prepare(text, folder, at, behind, cert, key)...)
			cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
			said := serving(t, cmd, "https://"+at+"/healthz")
			throughTheProxy(t, at, data, cert)
			if t.Failed() {
				t.Log(said.String())
			}
		})
	}
}

// throughTheProxy does what chat apps do at the public address.
func throughTheProxy(t *testing.T, at, data, cert string) {
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer transport.CloseIdleConnections()

	cmd := exec.CommandContext(t.Context(), binary, "doctor", "https://"+at+"/mcp", "--login")
	cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+cert)
	var report bytes.Buffer
	cmd.Stdout = &report
	asks, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := answerDoctor(bufio.NewScanner(asks), oauthtest.NewBrowser(t, transport))
	if err := cmd.Wait(); err != nil {
		t.Errorf("the doctor ended with %v: %s\n%s", err, said, report.String())
	}

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+at+"/mcp/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+output(t, "", "token", "--user", username, "--data", data))
	r.Header.Set("Accept", "text/event-stream")
	resp, err := (&http.Client{Transport: transport, Timeout: 30 * time.Second}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	line, err := bufio.NewReader(resp.Body).ReadString('\n') // of a stream that goes on
	if err != nil || line != "event: endpoint\n" {
		t.Errorf("got %q, %v, want the beginning of a stream", line, err)
	}
}

// nginx says $http_host where the guide says $host, which has no port: the one of
// the test is not 443.
func nginx(text, folder, at, behind, cert, key string) []string {
	text = strings.NewReplacer("listen 443", "listen "+at, "127.0.0.1:8080", behind,
		"/etc/ssl/rialto.pem", cert, "/etc/ssl/rialto.key", key, "$host;", "$http_host;").Replace(text)
	var temp strings.Builder
	for _, what := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temp, "%s_temp_path %s;\n", what, filepath.Join(folder, what))
	}
	file := filepath.Join(folder, "nginx.conf")
	whole := fmt.Sprintf("daemon off;\nmaster_process off;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n%s%s}\n", folder, temp.String(), text)
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		panic(err)
	}
	return []string{"-c", file, "-p", folder}
}

func caddy(text, folder, at, behind, cert, key string) []string {
	text = strings.NewReplacer("rialto.example.com {", "https://"+at+" {\n\ttls "+cert+" "+key, "127.0.0.1:8080", behind).Replace(text)
	file := filepath.Join(folder, "Caddyfile")
	if err := os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https disable_redirects\n}\n"+text), 0o600); err != nil {
		panic(err)
	}
	return []string{"run", "--config", file, "--adapter", "caddyfile"}
}

// serving starts a program and returns, once something answers at an address,
// what it says. It ends with the test.
func serving(t *testing.T, cmd *exec.Cmd, address string) *logBuffer {
	t.Helper()
	said := &logBuffer{ready: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: time.Second}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		if resp, err := client.Get(address); err == nil {
			resp.Body.Close()
			return said
		}
	}
	t.Fatalf("nothing answers at %s: %s", address, said)
	return nil
}

// document returns a file of docs.
func document(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fenced returns the one block of a document in a language.
func fenced(t *testing.T, doc, language string) string {
	t.Helper()
	_, rest, _ := strings.Cut(doc, "\n```"+language+"\n")
	block, more, found := strings.Cut(rest, "\n```\n")
	if !found || strings.Contains(more, "\n```"+language+"\n") {
		t.Fatalf("the document has no block of %s, or several", language)
	}
	return block + "\n"
}
