package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a/a2atest/interop"
)

// sdk is one that others wrote, as a client and as an agent, in processes of
// their own.
type sdk struct {
	name, slug, spoken string
	serve, tour        []string // command lines
	env                []string // of the client
	lacks              []string // steps of the tour that its client has no call for
	tells              bool     // its agent sends push notifications

	goesOn bool                       // its agent, without a message, when its user has signed in
	cannot map[interop.Feature]string // why there is no such flow of TestGenerations with its agent
}

// sdks stand for each generation, and between them for each binding.
func sdks(t *testing.T) []sdk {
	node, err := Node("node")
	Need(t, err)
	peers := "../../../../a2a/a2atest/peers"
	trpc01, trpc02, a2ago := command(t, peers+"/v01"), command(t, peers+"/v02"), command(t, peers)
	js := func(version, binding, generation, client string) sdk {
		return sdk{name: "@a2a-js/sdk " + version, slug: "js" + strings.ReplaceAll(version, ".", ""), spoken: generation + " over " + binding,
			serve: []string{node, "peers/server.mjs", version, binding, generation}, tour: []string{node, "peers/" + client},
			env: []string{"RIALTO_BINDING=" + binding, "RIALTO_GENERATION=" + generation}, tells: generation != "0.2"}
	}
	return []sdk{
		{name: "trpc-a2a-go 0.0.3", slug: "trpc003", spoken: "0.1 over JSONRPC", serve: []string{trpc01, "serve"}, tour: []string{trpc01, "tour"}, lacks: []string{"resubscribe"},
			cannot: map[interop.Feature]string{"sign in": "A2A 0.1 has no state for it (auth-required came with 0.2.0)."}},
		{name: "trpc-a2a-go 0.2.5", slug: "trpc025", spoken: "0.2 over JSONRPC", serve: []string{trpc02, "serve"}, tour: []string{trpc02, "tour"}},
		js("0.2.5", "JSONRPC", "0.2", "client02.mjs"),
		{name: "a2a-go 0.3.15", slug: "go0315", spoken: "0.3 over JSONRPC", serve: []string{a2ago, "0.3.15", "serve"}, tour: []string{a2ago, "0.3.15", "tour"}, tells: true},
		js("0.3.14", "HTTP+JSON", "0.3", "client03.mjs"),
		{name: "a2a-go 2.4.0", slug: "go240", spoken: "1.0 over GRPC", serve: []string{a2ago, "2.4.0", "serve"}, tour: []string{a2ago, "2.4.0", "tour"}, env: []string{"RIALTO_BINDING=GRPC"}, tells: true, goesOn: true},
		js("1.3.0", "JSONRPC", "1.0", "client10.mjs"),
	}
}

// over is s as a client over another binding.
func (s sdk) over(binding string) sdk {
	generation, _, _ := strings.Cut(s.spoken, " ")
	s.spoken = generation + " over " + binding
	s.env = append(slices.Clone(s.env), "RIALTO_BINDING="+binding)
	return s
}

// clientsOf returns all as clients, and those over other bindings that can.
func clientsOf(all []sdk) []sdk {
	clients := slices.Clone(all)
	for _, s := range all {
		switch s.slug {
		case "js0314":
			clients = append(clients, s.over("JSONRPC"))
		case "go240":
			clients = append(clients, s.over("JSONRPC"), s.over("HTTP+JSON"))
		case "js130":
			clients = append(clients, s.over("HTTP+JSON"))
		}
	}
	return clients
}

// command builds the command peer of a module of foreign SDKs.
func command(t *testing.T, module string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peer")
	build := exec.Command("go", "build", "-C", module, "-o", path, "./peer")
	if out, err := build.CombinedOutput(); err != nil {
		Need(t, fmt.Errorf("building %s: %w: %s", module, err, out))
	}
	return path
}

// agent runs the SDK's agent and returns its URL.
func (s sdk) agent(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(s.serve[0], s.serve[1:]...)
	cmd.Dir = "node"
	said := &logBuffer{said: true}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("%s said:\n%s", s.name, tail(said.String(), 4000))
		}
	})
	var at struct{ URL string }
	lines := bufio.NewScanner(out)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &at) != nil {
		t.Fatalf("%s did not say where it is: %s, %v, %s", s.name, lines.Text(), lines.Err(), said)
	}
	go io.Copy(said, out) // an unread pipe would block it
	return at.URL
}

// TestCrossing has clients of every generation reach agents of every generation
// through the program, none of them ours: each uses everything,
// streams and webhooks included.
func TestCrossing(t *testing.T) {
	t.Parallel()
	all, dir, addr := sdks(t), t.TempDir(), freeAddress(t)
	table := &interop.Table{Name: "the bridge"}
	agents := map[string]string{} // their URLs
	var config bytes.Buffer
	fmt.Fprintf(&config, "url: http://%s\ndatabase: %q\nsecret_file: %s\ngrpc: {listen: %q}\npush: {allowed_hosts: [127.0.0.1]}\nagents:\n",
		addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"), freeAddress(t))
	for _, s := range all {
		agents[s.slug] = s.agent(t)
		fmt.Fprintf(&config, "  - {name: %s, url: %q}\n", s.slug, agents[s.slug])
		table.Columns = append(table.Columns, interop.Feature(s.name))
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	clients := clientsOf(all)
	tokens := map[string]string{} // of a user for each client: what one may do in a second is bounded
	for i, c := range clients {
		user := fmt.Sprint("user", i)
		output(t, password+"\n", "user", "add", user, "--password-stdin", "--config", path)
		tokens[c.name+c.spoken] = output(t, "", "token", "--user", user, "--scope", "a2a:publish a2a:discover", "--config", path)
	}
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	t.Run("from", func(t *testing.T) {
		for _, agent := range all {
			t.Run("an agent of "+agent.name, func(t *testing.T) {
				t.Parallel()
				for _, client := range clients {
					t.Run("by "+client.name+" in "+client.spoken, func(t *testing.T) {
						table.Tries(t, interop.Row{Ours: "bridge", Theirs: client.name, Spoken: client.spoken}, interop.Feature(agent.name))
						client.cross(t, p.URL+"/a2a/"+agent.slug+"/", tokens[client.name+client.spoken], agents[agent.slug]+"/release")
					})
				}
			})
		}
	})
	table.Hold(t, "../../../../docs/interop.md", *update)
}

// cross has the client go on the tour of the agent at url.
func (s sdk) cross(t *testing.T, url, token, release string) {
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, s.tour[0], s.tour[1:]...)
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(), append(s.env, "RIALTO_URL="+url, "RIALTO_TOKEN="+token, "RIALTO_RELEASE="+release, "RIALTO_AGENT=theirs")...)
	out, err := cmd.CombinedOutput()
	done := string(out)
	for _, step := range []interop.Feature{interop.Send, interop.Stream, interop.MultiTurn, interop.Get, interop.Cancel, interop.Resubscribe, interop.Push, interop.Error} {
		lacks := strings.Contains(strings.Join(s.lacks, " "), string(step))
		if went := strings.Contains(done, `"step":"`+string(step)+`"`); went == lacks {
			t.Errorf("%s: went well %v, lacking %v; %v:\n%s", step, went, lacks, err, done)
		}
	}
}
