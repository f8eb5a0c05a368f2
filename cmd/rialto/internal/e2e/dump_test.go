package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/a2a/a2aexec"
	"rialto/oauth/oauthtest"
)

// TestADumpOfTheDatabaseOpensNothing gets one of every credential, kills the server, and looks for each in all that the database holds, and in the log.
func TestADumpOfTheDatabaseOpensNothing(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		dir := t.TempDir()
		testDump(t, filepath.Join(dir, "rialto.db"), func() []byte { return allFiles(t, dir) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		dsn := oauthtest.PostgresSchema(t)
		testDump(t, dsn, func() []byte { return allRows(t, dsn) })
	})
}

func testDump(t *testing.T, dsn string, dump func() []byte) {
	v := vault{T: t, secrets: map[string]string{}}
	v.serve(dsn)
	v.firstAccount()
	v.logIn()
	v.logInElsewhere()
	v.keptFor("an access token by hand", output(t, "", "token", "--user", "alice", "--scope", "a2a:publish a2a:discover", "--config", v.config))
	v.signInLinks()
	v.webhook()
	v.share()
	v.connect()
	v.program.kill()                                   // what is written must be safe at any moment
	all, log := dump(), []byte(v.program.log.String()) // at debug level
	for what, trace := range map[string]string{"a client": v.client, "a message": v.message, "who came by a provider": "corp:ada", "who came by a token": "token:machine-1"} {
		if !bytes.Contains(all, []byte(trace)) {
			t.Fatalf("the dump of %d bytes does not even hold %s", len(all), what)
		}
	}
	for name, value := range v.secrets {
		for how, spelled := range spellings(value) {
			if bytes.Contains(all, spelled) {
				t.Errorf("the database holds %s, %s", name, how)
			}
			if bytes.Contains(log, spelled) {
				t.Errorf("the log holds %s, %s", name, how)
			}
		}
	}
	if !bytes.Contains(log, []byte("level=DEBUG")) && !bytes.Contains(log, []byte(`"level":"DEBUG"`)) {
		t.Errorf("the log is not at debug level: %.500s", log)
	}
	t.Logf("none of %d secrets is in %d bytes, or in %d of the log", len(v.secrets), len(all), len(log))
}

// vault is a server, and the secrets that it gave out or received.
type vault struct {
	*testing.T
	program         *program
	provider        *oauthtest.Provider
	config          string
	secrets         map[string]string
	client, message string // which are in the database
}

func (v *vault) keptFor(name, value string) string {
	v.Helper()
	if len(value) < 8 {
		v.Fatalf("%s is %q, which is no secret", name, value)
	}
	v.secrets[name] = value
	return value
}

// serve starts a server with an agent and a client that have secrets of their own.
func (v *vault) serve(dsn string) {
	v.Helper()
	agent := newAgent(v.T, func(_ context.Context, turn *a2aexec.Turn) error { turn.Complete("done"); return nil })
	dir, addr := v.TempDir(), freeAddress(v.T)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			v.Fatal(err)
		}
		return path
	}
	v.provider = oauthtest.NewProvider(v.T, time.Now)
	v.config = file("rialto.yaml", fmt.Sprintf(`
url: http://%s
database: %q
secret_file: %s
agents:
  - {name: agent, url: %[4]q, credentials: {file: %[5]s}}
  - {name: personal, url: %[4]q, credentials: {type: user, issuer: %[7]q, client_id: rialto, file: %[8]s}}
  - {name: keyed, url: %[4]q, credentials: {type: user}}
clients:
  - {id: operator, redirect_uris: ["https://app.example/cb"], secret: {file: %[6]s}, user: alice}
share_links: 1h
push: {allowed_hosts: ["127.0.0.1:1"], verify: false}
sign_in:
  oidc:
    - {id: corp, issuer: %[7]q, client_id: rialto, client_secret: {file: %[8]s}, private_network: true}
  pasted_token: {issuer: %[7]q, audiences: ["https://rialto.example"], private_network: true}
`, addr, dsn, filepath.Join(dir, "secret"), agent,
		file("agent", v.keptFor("what the agent wants to see", "the agent's own secret")),
		file("client", v.keptFor("the secret of a configured client", "the configured client's own secret")),
		v.provider.URL, file("provider", v.keptFor("our secret at the identity provider", "the secret between us and the provider"))))
	v.program = start(v.T, addr, "serve", "--config", v.config, "--listen", addr)
	secret, err := os.ReadFile(filepath.Join(dir, "secret"))
	if err != nil {
		v.Fatal(err)
	}
	v.keptFor("the secret that seals", strings.TrimSpace(string(secret)))
}

// firstAccount makes the account of a person who signs in.
func (v *vault) firstAccount() {
	v.Helper()
	v.keptFor("the setup code", v.program.setupCode(v.T))
	output(v.T, password+"\n", "user", "add", "alice", "--password-stdin", "--config", v.config)
	v.keptFor("the password", password)
}

// logIn goes through a login, and begins others that it leaves open.
func (v *vault) logIn() {
	v.Helper()
	base := v.program.URL
	var app struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Manage string `json:"registration_access_token"`
	}
	const callback, proof = "http://127.0.0.1:1/callback", "a-verifier-that-is-long-enough-for-rfc-7636-section-4"
	decode(v.T, do(v.T, "POST", base+"/register", `{"client_name":"Dumped","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"client_secret_post"}`,
		"Content-Type", "application/json"), &app)
	v.client = app.ID
	v.keptFor("the client's secret", app.Secret)
	v.keptFor("the token of the registration", app.Manage)

	ask := url.Values{"response_type": {"code"}, "client_id": {app.ID}, "redirect_uri": {callback}, "scope": {"mcp:tools offline_access"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"}}
	browser := oauthtest.NewBrowser(v.T, nil)
	code := func() string {
		return browser.Authorize(base+"/authorize?"+ask.Encode(), "alice", password).Query().Get("code")
	}
	redemption := func(code string) url.Values {
		return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "code_verifier": {proof}, "client_id": {app.ID}, "client_secret": {app.Secret}}
	}
	v.token(redemption(v.keptFor("a code that was presented wrongly", code())), 400)

	ask.Set("code_challenge", s256(proof))
	waiting := browser.Get(base + "/authorize?" + ask.Encode())
	v.keptFor("the handle of a request that waits", waiting.Attribute("input[name=handle]", "value"))
	v.keptFor("a code that waits", code())
	first := v.token(redemption(v.keptFor("a code that was redeemed", code())), 200)
	for _, c := range browser.Cookies(base) {
		v.keptFor("the cookie "+c.Name, c.Value)
	}
	second := v.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}, "client_id": {app.ID}, "client_secret": {app.Secret}}, 200)
	v.keptFor("an access token", first.Access)
	v.keptFor("a refresh token that was used", first.Refresh)
	v.keptFor("a refresh token", second.Refresh)
	basic := base64.StdEncoding.EncodeToString([]byte("operator:" + url.QueryEscape(v.secrets["the secret of a configured client"])))
	v.keptFor("the token of a client-credentials client",
		v.token(url.Values{"grant_type": {"client_credentials"}}, 200, "Authorization", "Basic "+basic).Access)

	var pushed struct {
		URI string `json:"request_uri"`
	}
	ask.Set("client_secret", app.Secret)
	decode(v.T, do(v.T, "POST", base+"/par", ask.Encode(), "Content-Type", "application/x-www-form-urlencoded"), &pushed)
	v.keptFor("a pushed request", pushed.URI[strings.LastIndexByte(pushed.URI, ':')+1:])
}

// issued is an answer of the token endpoint.
type issued struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

func (v *vault) token(form url.Values, status int, header ...string) (got issued) {
	v.Helper()
	resp := do(v.T, "POST", v.program.URL+"/token", form.Encode(), append(header, "Content-Type", "application/x-www-form-urlencoded")...)
	if resp.StatusCode != status {
		v.Fatalf("token: got %d %s, want %d", resp.StatusCode, resp.body, status)
	}
	if status == 200 {
		decode(v.T, resp, &got)
	}
	return got
}

// webhook gives the agent a task whose events go to a webhook, which wants to
// see secrets.
func (v *vault) webhook() {
	v.Helper()
	v.message = "a message that the ledger keeps"
	hook := fmt.Sprintf(`{"url":"http://127.0.0.1:1/","token":%q,"authentication":{"schemes":["Bearer"],"credentials":%q}}`,
		v.keptFor("the token of a webhook", "the webhook's own token"), v.keptFor("the credentials for a webhook", "the webhook's own credentials"))
	resp := do(v.T, "POST", v.program.URL+"/a2a/agent", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{
		"message":{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"`+v.message+`"}]},
		"configuration":{"blocking":true,"pushNotificationConfig":`+hook+`}}}`,
		"Authorization", "Bearer "+v.secrets["an access token by hand"], "Content-Type", "application/json")
	if !strings.Contains(string(resp.body), "completed") {
		v.Fatalf("got %s, want a task that is done", resp.body)
	}
}

// share makes a link to the only task.
func (v *vault) share() {
	v.Helper()
	header := []string{"Authorization", "Bearer " + v.secrets["an access token by hand"], "Content-Type", "application/json"}
	var list struct{ Tasks []struct{ ID string } }
	decode(v.T, do(v.T, "GET", v.program.URL+"/api/v1/tasks", "", header...), &list)
	if len(list.Tasks) != 1 {
		v.Fatalf("got %v, want one task", list)
	}
	var made struct{ URL string }
	decode(v.T, do(v.T, "POST", v.program.URL+"/api/v1/shares", `{"id":"task:`+list.Tasks[0].ID+`"}`, header...), &made)
	if resp := do(v.T, "GET", made.URL, ""); resp.StatusCode != http.StatusOK {
		v.Fatalf("the link leads to %d", resp.StatusCode)
	}
	v.keptFor("the link to what is shared", made.URL[strings.LastIndex(made.URL, "/")+1:])
}

// spellings are the ways in which a secret might be in a dump. One that is
// encoded bytes behind a prefix is looked for as those bytes, too.
func spellings(secret string) map[string][]byte {
	all := map[string][]byte{
		"in plain": []byte(secret), "in hex": []byte(hex.EncodeToString([]byte(secret))), "in capital hex": bytes.ToUpper([]byte(hex.EncodeToString([]byte(secret)))),
	}
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 { // where it may begin within three bytes
			encoded := e.EncodeToString(append(make([]byte, shift), secret...))
			all[fmt.Sprint("in base64, after ", shift, ": ", encoded[:2])] = []byte(encoded[(shift*8+5)/6 : len(encoded)-1])
		}
	}
	for _, e := range []*base64.Encoding{base64.RawURLEncoding, base64.StdEncoding} {
		if raw, err := e.DecodeString(secret[max(0, len(secret)-e.EncodedLen(32)):]); err == nil && len(raw) == 32 {
			all["as its bytes"], all["as its bytes in hex"] = raw, []byte(hex.EncodeToString(raw))
			all["without its prefix"] = []byte(secret[len(secret)-e.EncodedLen(32):])
		}
	}
	return all
}

// allFiles returns what the files of a directory hold: the database, its log
// and its index. It leaves out the file with the setup code, which opens nothing once there is
// an account.
func allFiles(t *testing.T, dir string) (all []byte) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".setup-code") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// allRows returns every row of every table in a schema, as text.
func allRows(t *testing.T, dsn string) (all []byte) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, table := range texts(t, db, `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()`) {
		for _, row := range texts(t, db, `SELECT r::text FROM `+table+` r`) {
			all = append(append(all, row...), '\n')
		}
	}
	return all
}

func texts(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
