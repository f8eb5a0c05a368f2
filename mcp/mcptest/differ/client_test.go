package differ

import (
	"bufio"
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// demo builds the program, starts its demo, and returns its MCP endpoint and
// an access token.
func demo(t *testing.T) (endpoint, token string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "rialto")
	build := exec.Command("go", "build", "-o", program, "./cmd/rialto")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data := filepath.Join(dir, "data")
	run := exec.CommandContext(t.Context(), program, "demo", "--listen", "127.0.0.1:0", "--data", data)
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Process.Kill(); run.Wait() })
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)
	for lines := bufio.NewScanner(stdout); lines.Scan() && endpoint == ""; {
		endpoint = address.FindString(lines.Text())
	}
	if endpoint == "" {
		t.Fatal("the demo does not say where it listens")
	}
	out, err := exec.Command(program, "token", "--user", "demo", "--data", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	return endpoint, strings.TrimSpace(string(out))
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestTheClientOfTheSDKUsesTheProgram(t *testing.T) {
	endpoint, token := demo(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	progress := make(chan string, 100)
	client := gosdk.NewClient(&gosdk.Implementation{Name: "go-sdk", Version: "1.8.0"}, &gosdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *gosdk.ProgressNotificationClientRequest) {
			progress <- r.Params.Message
		},
	})
	session, err := client.Connect(ctx, &gosdk.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer(token)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	t.Logf("connected with %s", session.InitializeResult().ProtocolVersion)

	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) < 8 {
		t.Fatalf("got %v, %v", tools, err)
	}
	send := &gosdk.CallToolParams{Name: "send_task", Arguments: map[string]any{"message": "SELECT count(*) AS n FROM claims"}}
	send.SetProgressToken("p")
	res, err := session.CallTool(ctx, send)
	if err != nil || res.IsError {
		t.Fatalf("got %+v, %v", res, err)
	}
	task := res.StructuredContent.(map[string]any)
	if task["state"] != "completed" {
		t.Errorf("got %v", task)
	}
	select {
	case <-progress:
	case <-ctx.Done(): // the client hands it on at its own pace
		t.Error("no progress came")
	}
	got, err := session.CallTool(ctx, &gosdk.CallToolParams{Name: "get_task", Arguments: map[string]any{"task_id": task["task_id"]}})
	if err != nil || got.StructuredContent.(map[string]any)["state"] != "completed" {
		t.Errorf("got %+v, %v", got, err)
	}
	wrong, err := session.CallTool(ctx, &gosdk.CallToolParams{Name: "get_task", Arguments: map[string]any{}})
	if err != nil || !wrong.IsError {
		t.Errorf("got %+v, %v, want an error that the model reads", wrong, err)
	}
}

// TestTheClientOfTheSDKWatchesResources lets the SDK list, read and subscribe to
// a task that waits for an answer, and be notified of its result.
func TestTheClientOfTheSDKWatchesResources(t *testing.T) {
	endpoint, token := demo(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	updated, listed := make(chan string, 100), make(chan bool, 100)
	client := gosdk.NewClient(&gosdk.Implementation{Name: "go-sdk", Version: "1.8.0"}, &gosdk.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *gosdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *gosdk.ResourceListChangedRequest) { listed <- true },
	})
	session, err := client.Connect(ctx, &gosdk.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer(token)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	send := func(args map[string]any) map[string]any {
		res, err := session.CallTool(ctx, &gosdk.CallToolParams{Name: "send_task", Arguments: args})
		if err != nil || res.IsError {
			t.Fatalf("got %+v, %v", res, err)
		}
		return res.StructuredContent.(map[string]any)
	}
	asked := send(map[string]any{"message": "How many are there?"})
	uri := "rialto://tasks/" + asked["task_id"].(string)
	found := false
	for r, err := range session.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		found = found || r.URI == uri
	}
	if !found {
		t.Errorf("%s is not listed", uri)
	}
	if err := session.Subscribe(ctx, &gosdk.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	answered := send(map[string]any{"message": "claims", "task_id": asked["task_id"]})
	send(map[string]any{"message": "SELECT 1"})
	for told, wait := "", listed; told != uri || wait != nil; {
		select {
		case told = <-updated:
		case <-wait:
			wait = nil
		case <-ctx.Done():
			t.Fatalf("got the update of %q; of the list: %v", told, wait == nil)
		}
	}
	made := answered["artifacts"].([]any)[0].(map[string]any)["uri"].(string)
	read, err := session.ReadResource(ctx, &gosdk.ReadResourceParams{URI: made})
	if err != nil || len(read.Contents) == 0 || !strings.HasPrefix(read.Contents[0].URI, made) {
		t.Errorf("%s: got %+v, %v", made, read, err)
	}
	if _, err := session.ReadResource(ctx, &gosdk.ReadResourceParams{URI: uri + "-of-nobody"}); err == nil {
		t.Error("a task that does not exist was read")
	}
}
