package bridgebench

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rialto/cmd/rialto/internal/bench/harness"
)

// server is one that is measured.
type server struct {
	name  string
	start func(e harness.Era, calls int) (*running, error) // calls run at one time
}

// running is a started server with the tokens of several users.
type running struct {
	*harness.Process
	tokens     []string
	connectors []string     // one for each token; nil is the server as a whole
	drop       func() error // its database; nil if that is a file
}

// Stop stops the server and drops its database.
func (r *running) Stop() {
	r.Process.Stop()
	if r.drop == nil {
		return
	}
	if err := r.drop(); err != nil {
		fmt.Fprintln(os.Stderr, "dropping a database:", err)
	}
}

var byName = map[string]func(agentURL string, e harness.Era) (http.Handler, error){
	"by hand": handWritten, "go-sdk, a2a-go": sdks, "go-sdk, a2a-go, tuned": tunedSDKs,
}

// servers returns those that are measured. Their files go into dir.
func servers(dir, agentURL string, o *options) (all []server, err error) {
	binary := filepath.Join(dir, "rialto")
	if err := build(binary); err != nil {
		return nil, fmt.Errorf("building the program (run the benchmark in its own folder): %w", err)
	}
	withConnectors := func(name, binary, postgres string, connectors int) server {
		return server{name, func(_ harness.Era, calls int) (*running, error) {
			return startRialto(binary, dir, agentURL, postgres, calls, connectors)
		}}
	}
	program := func(name, binary, postgres string) server {
		return withConnectors(name, binary, postgres, 0)
	}
	candidates := []server{program("rialto", binary, "")}
	if o.connectors > 0 {
		name := fmt.Sprintf("rialto, %d connectors", o.connectors)
		candidates = append(candidates, withConnectors(name, binary, "", o.connectors))
	}
	if dsn := os.Getenv("RIALTO_TEST_POSTGRES"); dsn != "" {
		candidates = append(candidates, program("rialto, PostgreSQL", binary, dsn))
	}
	if o.also != "" {
		name, other, err := named(o.also)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, program(name, other, ""))
	}
	for _, name := range []string{"by hand", "go-sdk, a2a-go", "go-sdk, a2a-go, tuned"} {
		candidates = append(candidates, server{name, func(e harness.Era, _ int) (*running, error) {
			p, err := harness.StartSelf(context.Background(), "serve-bridge", name, agentURL, string(e))
			return &running{Process: p, tokens: []string{harness.Token}}, err
		}})
	}
	for _, s := range candidates {
		if strings.HasPrefix(s.name, o.Only) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no server %q", o.Only)
	}
	return all, nil
}

// build builds the program in its own module.
func build(binary string) error {
	root, err := output("go", "", "list", "-m", "-f", "{{.Dir}}", "rialto")
	if err != nil {
		return err
	}
	_, err = output("go", "", "build", "-C", root, "-o", binary, "./cmd/rialto")
	return err
}

// Serve runs one of the peers: args are its name, the agent's URL, the era and
// the address at which to serve.
func Serve(args []string) error {
	if len(args) != 4 || byName[args[0]] == nil {
		return fmt.Errorf("serve-bridge takes NAME AGENT ERA ADDRESS, not %q", args)
	}
	handler, err := byName[args[0]](args[1], harness.Era(args[2]))
	if err != nil {
		return err
	}
	return http.ListenAndServe(args[3], harness.Guarded(handler))
}

// callsPerUser is how many concurrent calls a user makes; the program allows 64.
const callsPerUser = 60

// startRialto runs the program on a new database, a file or a schema of postgres, with as many
// accounts as the number of concurrent calls needs.
func startRialto(binary, dir, agentURL, postgres string, calls, connectors int) (_ *running, err error) {
	addr, err := harness.FreeAddress()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(dir, "home")
	if err != nil {
		return nil, err
	}
	r := &running{}
	database := filepath.Join(home, "rialto.db")
	if postgres != "" {
		database, r.drop, err = harness.TemporarySchema(postgres)
		if err != nil {
			return nil, err
		}
	}
	more := ""
	for i := range connectors {
		if i == 0 {
			more = "connectors:\n"
		}
		more += fmt.Sprintf("  - {name: c%d, agents: [echo]}\n", i)
	}
	config := filepath.Join(home, "rialto.yaml")
	err = os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %q\nagents:\n  - {name: echo, url: %q}\n%s",
		addr, database, filepath.Join(home, "secret"), agentURL, more), 0o600)
	if err != nil {
		return nil, err
	}
	users := calls/callsPerUser + 1
	for i := range users {
		name := fmt.Sprint("user", i)
		if _, err := output(binary, "correct horse battery staple\n", "user", "add", name, "--password-stdin", "--config", config); err != nil {
			return nil, err
		}
	}
	for i := range max(users, connectors) {
		args := []string{"token", "--user", fmt.Sprint("user", i%users), "--config", config}
		if connectors > 0 {
			r.connectors = append(r.connectors, fmt.Sprint("c", i%connectors))
			args = append(args, "--connector", r.connectors[i])
		}
		token, err := output(binary, "", args...)
		if err != nil {
			return nil, err
		}
		r.tokens = append(r.tokens, token)
	}
	serve := exec.Command(binary, "serve", "--config", config, "--listen", addr)
	r.Process, err = harness.Start(context.Background(), addr, serve)
	return r, err
}

// output returns the first line that a program prints.
func output(binary, stdin string, args ...string) (string, error) {
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(binary), strings.Join(args, " "), err, &stderr)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}
