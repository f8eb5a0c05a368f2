package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a/a2atest"
)

// requiredExtension is what one of the agents requires of its callers.
const requiredExtension = "https://ext.example/required/v1"

// watched is what a client of others said of an event.
type watched struct{ State, Text string }

// watch has the client stream a message to the agent at a URL, and calls each with every event.
func (s sdk) watch(t *testing.T, each func(watched), environment ...string) (all []watched, said string, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	command := slices.Clone(s.tour)
	if command[len(command)-1] == "tour" {
		command[len(command)-1] = "watch"
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = "node"
	cmd.Env = slices.Concat(os.Environ(), s.env, []string{"RIALTO_AGENT=theirs"}, environment)
	errors := &bytes.Buffer{}
	cmd.Stderr = errors
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var event watched
		if json.Unmarshal(lines.Bytes(), &event) == nil {
			all = append(all, event)
			each(event)
		}
		said += lines.Text() + "\n"
	}
	err = cmd.Wait()
	return all, said + errors.String(), err
}

// TestForeignAgentsDoTheUnusual lets two clients of others follow agents through the program: one of
// a2a-go that goes on after a sign-in on the same stream and ends with a burst of chunks, one of a2a-go
// that requires an extension, and two that have artifacts after the end. The last two are scripts: the
// servers of a2a-go and a2a-js leave out what an agent says after the end.
func TestForeignAgentsDoTheUnusual(t *testing.T) {
	t.Parallel()
	dir, addr := t.TempDir(), freeAddress(t)
	agents := map[string]string{}
	var clients []sdk
	for _, s := range sdks(t) {
		switch s.slug {
		case "go240":
			agents["go"] = s.agent(t)
			demands := s
			demands.serve = append([]string{"env", "RIALTO_REQUIRES=" + requiredExtension}, s.serve...)
			agents["demands"] = demands.agent(t)
			clients = append(clients, s.over("JSONRPC"))
		case "js130":
			clients = append(clients, s)
		}
	}
	for _, client := range clients { // their task has one id, so each client has agents of its own
		for _, late := range []string{"sends", "has"} {
			agents[late+client.slug] = a2atest.Rogues()[late+" artifacts after the end"].Serve(t)
		}
	}
	var config strings.Builder
	fmt.Fprintf(&config, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n", addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"))
	for name, url := range agents {
		fmt.Fprintf(&config, "  - {name: %s, url: %q}\n", name, url)
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, []byte(config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", path)
	token := output(t, "", "token", "--user", username, "--scope", "a2a:publish a2a:discover", "--config", path)
	p := start(t, addr, "serve", "--config", path, "--listen", addr)

	const words = "a b c d e f g h i j k l m n o p q r s t"
	for _, client := range clients {
		stream := func(t *testing.T, agent, text string, each func(watched), more ...string) ([]watched, string, error) {
			return client.watch(t, each, append(more, "RIALTO_URL="+p.URL+"/a2a/"+agent+"/", "RIALTO_TOKEN="+token, "RIALTO_TEXT="+text)...)
		}
		ends := func(t *testing.T, want string, all []watched, said string, err error) {
			t.Helper()
			text, last := "", ""
			for _, event := range all {
				text += event.Text
				if event.State != "" {
					last = event.State
				}
			}
			if err != nil || last != "completed" || text != want {
				t.Errorf("got the text %q and at last %s, want %q completed: %v\n%s", text, last, want, err, said)
			}
		}
		nothing := func(watched) {}
		t.Run(client.name+"/it goes on after a sign-in", func(t *testing.T) {
			released := false
			all, said, err := stream(t, "go", "auth in please", func(event watched) {
				if event.State != "auth-required" || released {
					return
				}
				released = true
				resp, err := http.Post(agents["go"]+"/release", "", nil)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			})
			ends(t, "inplease", all, said, err)
			if !released {
				t.Errorf("nothing asked for a sign-in: %s", said)
			}
		})
		t.Run(client.name+"/it ends with a burst", func(t *testing.T) {
			all, said, err := stream(t, "go", "echo "+words, nothing)
			ends(t, strings.ReplaceAll(words, " ", ""), all, said, err)
		})
		for agent, want := range map[string]string{"sends": "onetwo", "has": "one"} {
			t.Run(client.name+"/it "+agent+" artifacts after the end", func(t *testing.T) {
				all, said, err := stream(t, agent+client.slug, "go", nothing)
				ends(t, want, all, said, err)
			})
		}
		t.Run(client.name+"/an extension is required", func(t *testing.T) {
			all, said, err := stream(t, "demands", "echo it", nothing, "RIALTO_EXTENSION="+requiredExtension)
			ends(t, "it", all, said, err)
			_, said, err = stream(t, "demands", "echo it", nothing)
			if err == nil || !strings.Contains(said, requiredExtension) {
				t.Errorf("without it: got %v, want an error that names it:\n%s", err, said)
			}
		})
	}
}
