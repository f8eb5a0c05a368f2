package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// verdictOf runs "rialto doctor" on an address, and returns the ID of the verdict and its first line.
func verdictOf(t *testing.T, address string, more ...string) (id, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"doctor", address, "--json"}, more...)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	failed := cmd.Run()
	var report struct{ Verdict struct{ ID, Text string } }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if works := report.Verdict.ID == "works"; works != (failed == nil) {
		t.Errorf("the verdict %q came with %v", report.Verdict.ID, failed)
	}
	return report.Verdict.ID, report.Verdict.Text
}

func expectVerdict(t *testing.T, address, id, text string, more ...string) {
	t.Helper()
	if gotID, got := verdictOf(t, address, more...); gotID != id || !strings.Contains(got, text) {
		t.Errorf("%s: got %s: %s\nwant %s: …%s…", address, gotID, got, id, text)
	}
}

// TestTheDoctorNamesWhatAProxyDoes puts nginx and Caddy before a server, each with the mistake that
// the verdict must name.
func TestTheDoctorNamesWhatAProxyDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, nginx, caddy, id, text string }{
		{"one path", "location /mcp { PASS }", "handle /mcp* {\n PASS\n}", "forwarding", "forwards only /mcp; /.well-known, /authorize, /token, /register never reach the server"},
		{"one path beside a page", "location = /mcp { PASS }\nlocation / { root SITE; }", "handle /mcp {\n PASS\n}\nhandle {\n root * SITE\n file_server\n}", "forwarding", "/.well-known"},
		{"no WWW-Authenticate", "location / { PASS proxy_hide_header WWW-Authenticate; }", "header -Www-Authenticate\nreverse_proxy BEHIND {\n header_down -Www-Authenticate\n}", "no-challenge", "A proxy removes WWW-Authenticate"},
		{"no Authorization", "location / { PASS proxy_set_header Authorization \"\"; }", "reverse_proxy BEHIND {\n header_up -Authorization\n}", "no-authorization", "A proxy removes Authorization"},
		{"nothing behind it", "location / { proxy_pass http://127.0.0.1:1; }", "reverse_proxy 127.0.0.1:1", "upstream-down", "answers 502"},
		{"static files", "location / { root SITE; }", "root * SITE\nfile_server", "not-mcp", "This is not an MCP server: "},
		{"no mistake", "location / { PASS }", "PASS", "works", "ChatGPT, Claude, Claude Code, Codex, VS Code, MCP Inspector can reach this server and start its login."},
	} {
		t.Run(c.name, func(t *testing.T) {
			takesLong(t)
			site, at, behind := t.TempDir(), freeAddress(t), freeAddress(t)
			if err := os.WriteFile(filepath.Join(site, "index.html"), []byte("<h1>A site</h1>"), 0o600); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.nginx, "PASS") {
				start(t, behind, "demo", "--listen", behind, "--data", t.TempDir(), "--url", "http://"+at)
			}
			fill := strings.NewReplacer("SITE", site, "BEHIND", behind)
			t.Run("nginx", func(t *testing.T) {
				pass := "proxy_pass http://" + behind + "; proxy_set_header Host $http_host;"
				serveNginx(t, at, fill.Replace(strings.ReplaceAll(c.nginx, "PASS", pass)))
				expectVerdict(t, "http://"+at+"/mcp", c.id, c.text)
			})
			t.Run("Caddy", func(t *testing.T) {
				serveCaddy(t, at, fill.Replace(strings.ReplaceAll(c.caddy, "PASS", "reverse_proxy BEHIND")))
				expectVerdict(t, "http://"+at+"/mcp", c.id, c.text)
			})
		})
	}
}

// TestTheDoctorSeesHTTPBehindHTTPS: the proxy speaks TLS, and the server believes that it is reached over http.
func TestTheDoctorSeesHTTPBehindHTTPS(t *testing.T) {
	takesLong(t)
	cert, key := certificate(t)
	t.Setenv("SSL_CERT_FILE", cert)
	for _, c := range []struct {
		program, text string
		prepare       func(text, folder, at, behind, cert, key string) []string
	}{
		{"nginx", "server { listen 443 ssl; ssl_certificate /etc/ssl/rialto.pem; ssl_certificate_key /etc/ssl/rialto.key;\nlocation / { proxy_pass http://127.0.0.1:8080; proxy_set_header Host $host; } }\n", nginx},
		{"caddy", "rialto.example.com {\nreverse_proxy 127.0.0.1:8080\n}\n", caddy},
	} {
		path, err := exec.LookPath(c.program)
		Need(t, err)
		at, behind, folder := freeAddress(t), freeAddress(t), t.TempDir()
		start(t, behind, "demo", "--listen", behind, "--data", t.TempDir(), "--url", "http://"+at)
		cmd := exec.Command(path, c.prepare(c.text, folder, at, behind, cert, key)...)
		cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
		serving(t, cmd, "https://"+at)
		expectVerdict(t, "https://"+at+"/mcp", "http-behind-https", "The server believes that its address is http://"+at+"/mcp. It does not know that apps reach it over https.")
	}
}

// serveNginx serves an address with the directives of a server block.
func serveNginx(t *testing.T, at, directives string) {
	t.Helper()
	serveNginxIn(t, at, "", directives)
}

// serveNginxIn serves as serveNginx does, with directives before the block.
func serveNginxIn(t *testing.T, at, before, directives string) {
	t.Helper()
	path, err := exec.LookPath("nginx")
	Need(t, err)
	args := nginx(before+"server { listen "+at+";\n"+directives+"\n}\n", t.TempDir(), at, at, "", "")
	serving(t, exec.Command(path, args...), "http://"+at)
}

// serveCaddy serves an address with the directives of a site.
func serveCaddy(t *testing.T, at, directives string) {
	t.Helper()
	path, err := exec.LookPath("caddy")
	Need(t, err)
	folder := t.TempDir()
	file := filepath.Join(folder, "Caddyfile")
	text := "{\n admin off\n auto_https off\n}\nhttp://" + at + " {\n" + directives + "\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
	serving(t, cmd, "http://"+at)
}

// TestTheDoctorSeesAddressesThatDiffer: the server believes in another address than its clients.
func TestTheDoctorSeesAddressesThatDiffer(t *testing.T) {
	takesLong(t)
	t.Parallel()
	at, behind := freeAddress(t), freeAddress(t)
	start(t, behind, "demo", "--listen", behind, "--data", t.TempDir())
	serveNginx(t, at, "location / { proxy_pass http://"+behind+"; }")
	expectVerdict(t, "http://"+at+"/mcp", "public-url", "believes that its address is http://"+behind+"/mcp, but apps reach it at http://"+at+"/mcp")
	expectVerdict(t, "http://"+behind+"/there", "wrong-path", "but there is one at http://"+behind+"/mcp")
	expectVerdict(t, "http://"+behind, "wrong-path", "but there is one at http://"+behind+"/mcp")
}

// TestTheDoctorSeesOldMetadata: nginx keeps the metadata of the server's address before the last.
func TestTheDoctorSeesOldMetadata(t *testing.T) {
	takesLong(t)
	t.Parallel()
	at, behind, data := freeAddress(t), freeAddress(t), t.TempDir()
	serveNginxIn(t, at, "proxy_cache_path "+t.TempDir()+" keys_zone=one:1m;\n", "location / { proxy_pass http://"+behind+"; proxy_set_header Host $http_host; proxy_cache one; }")
	p := start(t, behind, "demo", "--listen", behind, "--data", data, "--url", "http://localhost:1")
	expectVerdict(t, "http://"+at+"/mcp", "public-url", "believes that its address is http://localhost:1/mcp")
	p.end(t)
	start(t, behind, "demo", "--listen", behind, "--data", data, "--url", "http://"+at)
	expectVerdict(t, "http://"+at+"/mcp", "stale-cache", "A cache before the server serves old metadata at http://"+at+"/.well-known/oauth-protected-resource/mcp")
}

// TestTheDoctorSeesABufferedStream: nginx keeps event streams back, although the server asks it not to.
func TestTheDoctorSeesABufferedStream(t *testing.T) {
	takesLong(t)
	at, behind, data := freeAddress(t), freeAddress(t), t.TempDir()
	start(t, behind, "demo", "--listen", behind, "--data", data, "--url", "http://"+at)
	t.Setenv("RIALTO_DOCTOR_TOKEN", output(t, "", "token", "--user", username, "--data", data))
	pass := "location / { proxy_pass http://" + behind + "; proxy_set_header Host $http_host; "
	serveNginx(t, at, pass+"proxy_ignore_headers X-Accel-Buffering; }")
	expectVerdict(t, "http://"+at+"/mcp", "buffering", "The proxy (nginx) buffers event streams")
}

// TestTheDoctorKnowsAStaticServer examines Python's.
func TestTheDoctorKnowsAStaticServer(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("python3")
	Need(t, err)
	at := freeAddress(t)
	host, port, _ := strings.Cut(at, ":")
	serving(t, exec.Command(path, "-m", "http.server", port, "--bind", host, "--directory", t.TempDir()), "http://"+at)
	expectVerdict(t, "http://"+at+"/mcp", "not-mcp", "This is not an MCP server: SimpleHTTP answered 501. Is the path right?")
	terminal, err := exec.LookPath("script")
	Need(t, err)
	cmd := exec.CommandContext(t.Context(), terminal, "-qec", binary+" doctor "+at, "/dev/null")
	cmd.Env = []string{"TERM=xterm"}
	if shown, err := cmd.Output(); err == nil || !strings.Contains(string(shown), "\x1b[31m✗\x1b[0m This is not an MCP server") {
		t.Errorf("got %q, %v, want the verdict in color", shown, err)
	}
}

// TestTheDoctorExaminesEvents subscribes a webhook of the doctor.
func TestTheDoctorExaminesEvents(t *testing.T) {
	takesLong(t)
	expert, dir, at := tableExpert(t), t.TempDir(), freeAddress(t)
	config := filepath.Join(dir, "rialto.yaml")
	text := fmt.Sprintf("url: http://%s\ndatabase: %q\nsecret_file: %s\npush: {allowed_hosts: [127.0.0.1]}\nagents:\n  - {name: tableexpert, url: %q}\n",
		at, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"), expert.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", config)
	token := output(t, "", "token", "--user", username, "--config", config)
	start(t, at, "serve", "--config", config, "--listen", at)
	t.Setenv("RIALTO_DOCTOR_TOKEN", token)
	for _, call := range []string{ // Rialto keeps the events of a type from the first poll on
		`"events/poll","params":{"name":"task.completed","arguments":{}}`,
		`"tools/call","params":{"name":"send_task","arguments":{"agent":"tableexpert","message":"tables"}}`,
	} {
		resp := do(t, "POST", "http://"+at+"/mcp", `{"jsonrpc":"2.0","id":1,"method":`+call+`}`, "Authorization", "Bearer "+token, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
		if !strings.HasPrefix(resp.Status, "200") {
			t.Fatalf("got %s: %s", resp.Status, resp.body)
		}
	}
	report := output(t, "", "doctor", at+"/mcp", "--verbose")
	for _, id := range []string{"events-offered", "events-list", "events-subscribe", "events-challenge", "events-signature", "events-again", "events-unsubscribe", "apps-offered", "apps-resource", "apps-link", "apps-csp"} {
		if !strings.Contains(line(report, "("+id+")"), "✓") {
			t.Errorf("got %q", line(report, "("+id+")"))
		}
	}
}

// line returns the line of a text that holds some words.
func line(text, words string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}
