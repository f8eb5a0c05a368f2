package documents_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/api"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/operator"
	"rialto/bridge/runner"
	"rialto/bridge/web"
	"rialto/internal/raced"
	"rialto/internal/transcript"
	"rialto/mcp"
	"rialto/store"
	"rialto/store/storetest"
	"rialto/templates"
)

// TestFaces shows the tasks of scenarios through every face: results of tools, the task card, fetch,
// resources, the pages of owner, operator and readers with a link, and REST. The transcripts hold
// what each face shows.
func TestFaces(t *testing.T) {
	transcript.Run(t, "testdata/faces/*.txtar", func(t *testing.T, _ *txtar.Archive) []txtar.File {
		name := filepath.Base(t.Name())
		if name == "huge" || strings.HasPrefix(name, "long") {
			raced.Skip(t)
		}
		f := newFaces(t, scenarios[name])
		sections := []struct {
			name string
			show func() string
		}{
			{"send_task", f.sent},
			{"get_task", f.got},
			{"task_view", func() string { return f.call("task_view", map[string]any{"task_id": f.handle}) }},
			{"fetch", f.fetched},
			{"resources", f.resources},
			{"page of the owner", func() string { return f.page(f.tasks, documents.TaskPath+f.handle) }},
			{"page of an operator", f.operator},
			{"page of a reader with a link", f.shared},
			{"REST", func() string { return f.page(f.api, "/api/v1/tasks/"+f.handle+"?history_length=100") }},
		}
		var files []txtar.File
		for _, s := range sections {
			files = append(files, txtar.File{Name: s.name, Data: []byte(f.clean(s.show()))})
		}
		return files
	})
}

// turns is an agent that answers its first message with the first list of events, and so on.
type turns struct {
	a2a.Agent
	answers [][]a2a.Event
	got     *int
}

func (turns) Card() *a2a.Card { return &a2a.Card{Name: "Agent", Description: "Does what tests want."} }

func (s turns) Stream(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	events := s.answers[*s.got]
	*s.got++
	return func(yield func(a2a.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (turns) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) {
	return nil, a2a.Errorf(a2a.UnsupportedOperation, "nothing to tell")
}

// faces is a bridge with one task.
type faces struct {
	*bridge.Bridge
	t          *testing.T
	tasks, api http.Handler
	links      http.Handler
	handle     string
	result     string // of the latest send_task
}

type userKey struct{}

func alice(ctx context.Context) context.Context { return context.WithValue(ctx, userKey{}, "alice") }

func newFaces(t *testing.T, answers [][]a2a.Event) *faces {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	agent := turns{answers: answers, got: new(int)}
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	log := slog.New(slog.DiscardHandler)
	agents := &directory.Directory{
		Initial: []directory.AgentConfig{{Name: "one", URL: "http://one"}},
		URL:     "https://rialto.test",
		Pages:   true,
		Now:     now,
		Log:     log,
		Caller: func(ctx context.Context) directory.Caller {
			user, _ := ctx.Value(userKey{}).(string)
			return directory.Caller{User: user}
		},
		Dialer: dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			return agent, nil
		}),
	}
	tasks := &runner.Runner{
		Directory: agents,
		Ledger:    db.Ledger,
		Lists:     db.Ledger,
		Leases:    db.Ledger,
		Replica:   "r",
		Now:       now,
		Log:       log,
	}
	b := bridge.New(tasks, &documents.Service{
		Downloads: &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour},
		Sharing:   &documents.Sharing{Store: db.Ledger.Shares(), TTL: time.Hour},
	}, nil)
	b.Tools.Card = true
	b.Start()
	t.Cleanup(func() { b.Close(); db.Close() })
	routes := mux.NewRouter()
	guard := func(next http.Handler, _ ...string) http.Handler { return next }
	rest := &api.API{Bridge: b, URL: agents.URL, Card: http.NotFoundHandler(), Callers: anyCaller{}, Log: log}
	site := web.Site{Product: "Rialto", Bridge: b, Now: now, Log: log}
	rest.Routes(routes, guard, "discover", "publish", "operate")
	f := &faces{
		Bridge: b,
		t:      t,
		api:    routes,
		tasks:  &web.Tasks{Site: site},
		links:  &web.Shared{Site: site},
	}
	args := map[string]any{"message": "Make the report.\nPlease."}
	for range answers {
		f.result = f.call("send_task", args)
		f.handle = regexp.MustCompile(`"task_id": "([^"]+)"`).FindStringSubmatch(f.result)[1]
		files := []map[string]string{
			{"name": "old.csv", "media_type": "text/csv", "bytes": "YSxi"},
			{"name": "more", "url": "https://example.com/more"},
		}
		args = map[string]any{"task_id": f.handle, "message": "As a table.", "files": files}
	}
	return f
}

// call calls a tool and returns its content and its structured content.
func (f *faces) call(tool string, args map[string]any) string {
	f.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, candidate := range f.Tools.List() {
		if candidate.Name != tool {
			continue
		}
		call := &mcp.Call{Tool: tool, Arguments: b, Progress: func(string) {}}
		res, err := candidate.Call(alice(f.t.Context()), call)
		if err != nil {
			f.t.Fatal(err)
		}
		return indented(map[string]any{"content": res.Content, "structured": res.Structured, "error": res.IsError})
	}
	f.t.Fatalf("there is no tool %s", tool)
	return ""
}

func indented(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(v); err != nil {
		return err.Error() + "\n"
	}
	return out.String()
}

func (f *faces) sent() string { return f.result }

// got reads the pages of the task, with its history, at most 10.
func (f *faces) got() (all string) {
	cursor := ""
	for range 10 {
		page := f.call("get_task", map[string]any{"task_id": f.handle, "history_length": 100, "cursor": cursor})
		all += page
		next := regexp.MustCompile(`"next_cursor": "([^"]+)"`).FindStringSubmatch(page)
		if next == nil {
			return all
		}
		cursor = next[1]
	}
	return all
}

// task returns the task as the agent has it.
func (f *faces) task() *a2a.Task {
	e, err := f.Runner.Ledger.Task(f.t.Context(), "alice", f.handle)
	if err != nil || e.Task == nil {
		f.t.Fatal("no task: ", err)
	}
	return e.Task
}

func (f *faces) fetched() string {
	all, task := f.call("fetch", map[string]any{"id": documents.TaskID(f.handle)}), f.task()
	for _, a := range task.Artifacts {
		all += f.call("fetch", map[string]any{"id": "artifact:" + f.handle + ":" + a.ID})
	}
	return all
}

func (f *faces) resources() string {
	ctx, task := alice(f.t.Context()), f.task()
	page, err := f.Documents.Resources().ListResources(ctx, "")
	if err != nil {
		f.t.Fatal(err)
	}
	all := indented(page)
	read := func(form int, variables map[string]string) {
		r := &mcp.Read{URI: fmt.Sprint(variables), Variables: variables}
		c, err := f.Documents.Resources().Templates()[form].Read(ctx, r)
		all += indented(map[string]any{"contents": c, "error": fmt.Sprint(err)})
	}
	read(0, map[string]string{"task": f.handle})
	for _, a := range task.Artifacts {
		read(1, map[string]string{"task": f.handle, "artifact": a.ID})
		for part := range len(a.Parts) + 1 {
			read(2, map[string]string{"task": f.handle, "artifact": a.ID, "part": strconv.Itoa(part)})
		}
	}
	return all
}

// page returns what h answers; of a page, what is between its frame.
func (f *faces) page(h http.Handler, path string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(alice(f.t.Context()), http.MethodGet, path, nil))
	return body(w)
}

func body(w *httptest.ResponseRecorder) string {
	text := w.Body.String()
	if w.Header().Get("Content-Type") == "application/json" {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			return indented(v)
		}
	}
	_, text, _ = strings.Cut(text, "<main")
	text, _, _ = strings.Cut(text, "</main>")
	return fmt.Sprintf("%d %s\n%s\n", w.Code, w.Header().Get("Content-Type"), text)
}

func (f *faces) operator() string {
	e, err := f.Runner.Ledger.Task(f.t.Context(), "alice", f.handle)
	if err != nil {
		f.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	p := web.TaskPage(f.Documents.OperatorView(e), time.Unix(1_800_000_060, 0), nil)
	templates.Write(w, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, p)
	return body(w)
}

// shared shares the task and its artifacts, and reads their pages and pieces.
func (f *faces) shared() (all string) {
	ids := []string{documents.TaskID(f.handle)}
	task, pieces := f.task(), 1
	if m := task.Status.Message; m != nil {
		pieces += len(m.Parts)
	}
	for _, a := range task.Artifacts {
		ids = append(ids, "artifact:"+f.handle+":"+a.ID)
		pieces += len(a.Parts)
	}
	ctx := alice(f.t.Context())
	for i, id := range ids {
		numbers := pieces
		if i > 0 { // some of the artifact's own, and some of others
			numbers = 4
		}
		_, link, err := f.Documents.ShareDocument(ctx, f.Directory.Access(ctx), id)
		if err != nil {
			all += fmt.Sprintf("%s: %v\n", id, err)
			continue
		}
		path := strings.TrimPrefix(link, "https://rialto.test")
		all += strings.ReplaceAll(f.page(f.links, path), path, "SHARED")
		for number := range numbers {
			w := httptest.NewRecorder()
			f.links.ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprint(path, "/", number), nil))
			if w.Code == http.StatusOK {
				h := w.Header()
				all += fmt.Sprintln(number, h["Content-Type"], h["Content-Disposition"], digest(w.Body.Bytes()))
			}
		}
	}
	return all
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return fmt.Sprint(len(b), " bytes ", hex.EncodeToString(sum[:4]))
}

var (
	download = regexp.MustCompile(`(https://rialto\.test)?` + documents.DownloadPath + `([\w-]+)`)
	moment   = regexp.MustCompile(`202\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z`)
	once     = regexp.MustCompile(`(name="(?:once|pause)" value="|data-keep=")[^"]+`)
	since    = regexp.MustCompile(`since=\d+`)
	uuids    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// longestLine is how much of a line a transcript holds.
const longestLine = 500

// clean replaces what differs between runs, follows download links, and cuts long lines.
func (f *faces) clean(text string) string {
	text = strings.ReplaceAll(text, f.handle, "TASK")
	text = download.ReplaceAllStringFunc(text, func(link string) string {
		at := download.FindStringSubmatch(link)
		p, err := f.Documents.Download(f.t.Context(), at[2])
		if err != nil {
			return fmt.Sprintf("%s{download: %v}", at[1], err)
		}
		return fmt.Sprintf("%s{download: %s}", at[1], digest(p.Content.(a2a.Raw)))
	})
	text = moment.ReplaceAllString(text, "TIME")
	text = once.ReplaceAllString(text, "${1}RANDOM")
	text = since.ReplaceAllString(text, "since=TIME")
	text = uuids.ReplaceAllString(text, "ID")
	var out strings.Builder
	for line := range strings.Lines(text) {
		if len(line) > longestLine {
			line = fmt.Sprintf("%.200s … %s\n", strings.ToValidUTF8(line, ""), digest([]byte(line)))
		}
		_, _ = io.WriteString(&out, line)
	}
	return out.String()
}

// anyCaller allows every call.
type anyCaller struct{}

func (anyCaller) Allow(http.Header, *http.Request) error { return nil }

func (anyCaller) Actor(*http.Request) operator.Actor { return operator.Actor{} }

// dialFunc is a directory.Dialer.
type dialFunc func(context.Context, directory.AgentConfig) (directory.Conn, error)

// Dial implements directory.Dialer.
func (f dialFunc) Dial(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
	return f(ctx, a)
}
