package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/bridge/web"
	"rialto/mcp"
	"rialto/store"
	"rialto/store/storetest"
)

// scripted is the agent of a2atest behind no wire. It takes files.
type scripted struct{ *a2atest.Agent }

func (s scripted) Card() *a2a.Card {
	c := s.Agent.Card()
	c.DefaultInputModes = []string{"text/plain", "image/png"}
	return c
}

type userKey struct{}

// taskRig is a bridge with the pages of its tasks and a signed-in user.
type taskRig struct {
	t      *testing.T
	bridge *bridge.Bridge
	agent  *a2atest.Agent
	pages  http.Handler
}

func newTasks(t *testing.T) *taskRig {
	return newTasksOf(t, func(a *a2atest.Agent) directory.Conn { return scripted{a} })
}

func newTasksOf(t *testing.T, peer func(*a2atest.Agent) directory.Conn) *taskRig {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	r := &taskRig{t: t, agent: a2atest.NewAgent()}
	log := slog.New(slog.DiscardHandler)
	agents := &directory.Directory{
		Initial: []directory.AgentConfig{{Name: "scripted", URL: "http://scripted"}}, Pages: true, URL: "https://rialto.test", Now: time.Now, Log: log,
		Caller: func(ctx context.Context) directory.Caller {
			user, _ := ctx.Value(userKey{}).(string)
			return directory.Caller{User: user}
		},
		Dialer: dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) { return peer(r.agent), nil }),
	}
	r.bridge = bridge.New(&runner.Runner{Directory: agents, Ledger: db.Ledger, Lists: db.Ledger, Leases: db.Ledger, Replica: "r", Now: time.Now, Log: log}, &documents.Service{}, nil)
	r.bridge.Start()
	r.pages = &web.Tasks{Site: web.Site{Product: "Rialto", Bridge: r.bridge, Now: time.Now, Log: log}}
	t.Cleanup(func() { r.bridge.Close(); r.agent.Close(); db.Close() })
	return r
}

func as(user string) context.Context { return context.WithValue(context.Background(), userKey{}, user) }

// call calls a tool for alice, as a client that cannot be asked.
func (r *taskRig) call(tool string, args map[string]any) documents.TaskInfo {
	r.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, candidate := range r.bridge.Tools.List() {
		if candidate.Name != tool {
			continue
		}
		res, err := candidate.Call(as("alice"), &mcp.Call{Tool: tool, Arguments: b, Progress: func(string) {}})
		if err != nil {
			r.t.Fatal(err)
		}
		info, ok := res.Structured.(*documents.TaskInfo)
		if !ok {
			r.t.Fatalf("%s: got %+v", tool, res.Content)
		}
		return *info
	}
	r.t.Fatalf("there is no tool %s", tool)
	return documents.TaskInfo{}
}

func (r *taskRig) send(message string) documents.TaskInfo {
	r.t.Helper()
	return r.call("send_task", map[string]any{"message": message})
}

// browse makes a request of a signed-in browser.
func (r *taskRig) browse(user, method, target, contentType, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	req := httptest.NewRequest(method, target, strings.NewReader(body)).WithContext(as(user))
	req.Header.Set("Content-Type", contentType)
	r.pages.ServeHTTP(w, req)
	return w
}

const formType = "application/x-www-form-urlencoded"

// open opens the page of a task and returns its form, filled with values.
func (r *taskRig) open(info documents.TaskInfo, values map[string]string) url.Values {
	r.t.Helper()
	w := r.browse("alice", "GET", documents.TaskPath+info.TaskID, "", "")
	if w.Code != http.StatusOK {
		r.t.Fatalf("got %d %s", w.Code, w.Body)
	}
	page, err := html.Parse(w.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	fieldValue := url.Values{}
	for n := range page.Descendants() {
		if form := formOf(n); form != "" && n.Data == "input" && attr(n, "type") == "hidden" {
			fieldValue.Set(attr(n, "name"), attr(n, "value"))
		}
	}
	for name, value := range values {
		fieldValue.Set(name, value)
	}
	return fieldValue
}

// formOf returns the id of the form that n is in.
func formOf(n *html.Node) string {
	for a := range n.Ancestors() {
		if a.Data == "form" {
			return attr(a, "id")
		}
	}
	return ""
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (r *taskRig) post(info documents.TaskInfo, form url.Values) *httptest.ResponseRecorder {
	return r.browse("alice", "POST", documents.TaskPath+info.TaskID, formType, form.Encode())
}

func (r *taskRig) sentTexts() (texts []string) {
	for _, req := range r.agent.Received() {
		texts = append(texts, req.Message.Text())
	}
	return texts
}

const needed = `{"type":"object","properties":{"city":{"type":"string","title":"City"},"seats":{"type":"integer","minimum":1,"maximum":9}},"required":["city","seats"]}`

func TestAQuestionIsAnsweredOnItsPageAndTheWaitingClientGetsTheResult(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	if want := "https://rialto.test/answer/" + task.TaskID; task.AnswerURL != want || !strings.Contains(task.Next, want) {
		t.Fatalf("got the link %q and %q, want %q in both", task.AnswerURL, task.Next, want)
	}
	form := r.open(task, map[string]string{"field:answer": "echo blue"})
	if w := r.post(task, form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/answer/"+task.TaskID+"?done=answered" {
		t.Fatalf("got %d to %q, want the page again\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	got := r.call("get_task", map[string]any{"task_id": task.TaskID})
	if got.State != a2a.Completed || got.Artifacts[0].Parts[0].Text != "blue" || got.AnswerURL != "" {
		t.Errorf("got %+v, want the result", got)
	}
	page := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "").Body.String()
	for _, want := range []string{"Done", "blue", "Conversation"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q\n%s", want, page)
		}
	}
}

// shows is an agent that asks about a picture, with a form.
type shows struct{ scripted }

func (shows) Stream(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(&a2a.StatusUpdate{TaskID: "up", Status: a2a.Status{State: a2a.InputRequired, Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{
			a2a.TextPart("Which city is this?"), {Content: a2a.Data(needed)}, {Content: a2a.Raw("PNG"), Filename: "city.png", MediaType: "image/png"},
		}}}}, nil)
	}
}

func TestAQuestionIsShownWithItsFiles(t *testing.T) {
	r := newTasksOf(t, func(a *a2atest.Agent) directory.Conn { return shows{scripted{a}} })
	r.bridge.Documents.Downloads = &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}
	page := r.browse("alice", "GET", documents.TaskPath+r.send("go").TaskID, "", "").Body.String()
	if !strings.Contains(page, `href="/downloads/`) || !strings.Contains(page, ">city.png<") || strings.Contains(page, "maximum&#34;") {
		t.Errorf("got %s, want the picture, and the form only as one", page)
	}
}

func TestWhatATaskHasBeenIsOnItsPage(t *testing.T) {
	r := newTasks(t)
	r.bridge.Documents.Downloads = &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}
	task := r.send("drafts first second")
	page := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "").Body.String()
	_, past, _ := strings.Cut(page, `id="timeline"`)
	for _, want := range []string{"Sent", "Done", " UTC", "Draft", "[first.txt text/plain]", `href="/downloads/`, ">first.txt<"} {
		if !strings.Contains(past, want) {
			t.Errorf("the page does not show %q\n%s", want, page)
		}
	}
}

func TestAFormOfTheAgentsIsFilledInAndCheckedHere(t *testing.T) {
	r := newTasks(t)
	task := r.send("form " + needed)
	wrong := r.post(task, r.open(task, map[string]string{"field:city": "Oslo", "field:seats": "10"}))
	if wrong.Code != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body.String(), "This must be <bdi>9</bdi> or less.") || !strings.Contains(wrong.Body.String(), `value="Oslo"`) {
		t.Errorf("got %d %s, want what is wrong beside what was typed", wrong.Code, wrong.Body)
	}
	if w := r.post(task, r.open(task, map[string]string{"field:city": "Oslo", "field:seats": "2"})); w.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	last := r.agent.Received()[len(r.agent.Received())-1].Message
	if len(last.Parts) != 2 || string(last.Parts[1].Content.(a2a.Data)) != `{"city":"Oslo","seats":2}` || last.Text() != "City: Oslo\nseats: 2" {
		t.Errorf("the agent got %+v", last.Parts)
	}
	e, err := r.bridge.Runner.Task(as("alice"), r.bridge.Directory.Access(as("alice")), task.TaskID)
	if err != nil {
		t.Fatal(err)
	}
	folded := false
	for _, event := range web.TaskPage(r.bridge.Documents.OperatorView(e), e.Updated, nil).History.Events {
		for _, p := range event.Parts {
			folded = folded || p.Data != nil && p.Fold
		}
	}
	if !folded {
		t.Error("the timeline shows the answer twice: as text and as data")
	}
}

func TestOfManyAnswersOneIsSentAndTheOthersLearnWhoseItWas(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	var forms []url.Values
	for range 8 {
		forms = append(forms, r.open(task, map[string]string{"field:answer": "hang"}))
	}
	codes := make([]int, len(forms))
	var all sync.WaitGroup
	for i, form := range forms {
		all.Go(func() { codes[i] = r.post(task, form).Code })
	}
	all.Wait()
	won := 0
	for i, code := range codes {
		if code == http.StatusSeeOther {
			won++
			if again := r.post(task, forms[i]); again.Code != http.StatusSeeOther {
				t.Errorf("the answer that won, sent again: got %d, want that it is there", again.Code)
			}
			continue
		}
		if late := r.post(task, forms[i]); late.Code != http.StatusConflict || !strings.Contains(late.Body.String(), "An answer from this page came first") {
			t.Errorf("got %d %s, want who won", late.Code, late.Body)
		}
	}
	if got := r.sentTexts(); won != 1 || len(got) != 2 {
		t.Errorf("%d were taken, and the agent got %q, want one answer", won, got)
	}
}

func TestAnAnswerFromTheChatWinsOverThePage(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	form := r.open(task, map[string]string{"field:answer": "blue"})
	r.call("send_task", map[string]any{"task_id": task.TaskID, "message": "ask And which shade?"})
	late := r.post(task, form)
	if late.Code != http.StatusConflict || !strings.Contains(late.Body.String(), "An answer from an app came first") || !strings.Contains(late.Body.String(), "And which shade?") {
		t.Errorf("got %d %s, want who won, and the next question", late.Code, late.Body)
	}
	if got := r.sentTexts(); len(got) != 2 {
		t.Errorf("the agent got %q", got)
	}
}

func TestAnAnswerAfterTheTaskWasCanceledIsNotSent(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	form := r.open(task, map[string]string{"field:answer": "blue"})
	r.call("cancel_task", map[string]any{"task_id": task.TaskID})
	late := r.post(task, form)
	if late.Code != http.StatusConflict || !strings.Contains(late.Body.String(), "The task has ended") || !strings.Contains(late.Body.String(), "Canceled") {
		t.Errorf("got %d %s", late.Code, late.Body)
	}
	if got := r.sentTexts(); len(got) != 1 {
		t.Errorf("the agent got %q", got)
	}
}

func TestATaskOfSomebodyElseIsNotThere(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	form := r.open(task, map[string]string{"field:answer": "blue"})
	path := documents.TaskPath + task.TaskID
	way := regexp.MustCompile(`href="/signin\?next=[^"]*"`) // names what was asked for
	said := func(w *httptest.ResponseRecorder) string { return way.ReplaceAllString(w.Body.String(), "") }
	missing := r.browse("bob", "GET", documents.TaskPath+"nothing", "", "")
	for name, w := range map[string]*httptest.ResponseRecorder{
		"its page":    r.browse("bob", "GET", path, "", ""),
		"an answer":   r.browse("bob", "POST", path, formType, form.Encode()),
		"a path":      r.browse("bob", "GET", documents.TaskPath+"%ff%00", "", ""),
		"no path":     r.browse("bob", "GET", documents.TaskPath, "", ""),
		"deeper down": r.browse("alice", "GET", path+"/more", "", ""),
	} {
		if w.Code != http.StatusNotFound || said(w) != said(missing) {
			t.Errorf("%s: got %d %s, want what is said of a task that never was", name, w.Code, w.Body)
		}
	}
	if w := r.browse("bob", "GET", path+"/events?since=1", "", ""); w.Code != http.StatusNotFound {
		t.Errorf("its events: got %d", w.Code)
	}
	if got := r.sentTexts(); len(got) != 1 {
		t.Errorf("the agent got %q", got)
	}
}

func TestAnAnswerHasABound(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	path := documents.TaskPath + task.TaskID
	form := r.open(task, map[string]string{"field:answer": strings.Repeat("x", 10_001)})
	if w := r.post(task, form); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "10000") {
		t.Errorf("a long text: got %d %.300s", w.Code, w.Body)
	}
	form.Set("field:answer", strings.Repeat("x", 5<<20))
	if w := r.post(task, form); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a huge form: got %d", w.Code)
	}
	form.Set("field:answer", "x")
	for name, c := range map[string]struct{ contentType, body string }{
		"no form":          {"application/json", `{"answer":"x"}`},
		"no name for it":   {formType, "pause=" + form.Get("pause") + "&field:answer=x"},
		"no pause":         {formType, "once=" + form.Get("once") + "&field:answer=x"},
		"half a multipart": {"multipart/form-data; boundary=b", "--b\r\nContent-Disposition"},
	} {
		if w := r.browse("alice", "POST", path, c.contentType, c.body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d", name, w.Code)
		}
	}
	if w := r.browse("alice", "PUT", path, "", ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("PUT: got %d", w.Code)
	}
	if got := r.sentTexts(); len(got) != 1 {
		t.Errorf("the agent got %d messages, want only the first", len(got))
	}
}

func TestFilesGoAlongWithAnAnswer(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which picture?")
	send := func(files int) *httptest.ResponseRecorder {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for name, values := range r.open(task, map[string]string{"field:answer": "parts"}) {
			form.WriteField(name, values[0])
		}
		for range files {
			part, _ := form.CreateFormFile("files", "../cat.png")
			part.Write([]byte("PNG"))
		}
		form.Close()
		return r.browse("alice", "POST", documents.TaskPath+task.TaskID, form.FormDataContentType(), body.String())
	}
	if w := send(6); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "5 files") {
		t.Errorf("six files: got %d %s", w.Code, w.Body)
	}
	if w := send(1); w.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	last := r.agent.Received()[1].Message
	if len(last.Parts) != 2 || string(last.Parts[1].Content.(a2a.Raw)) != "PNG" || last.Parts[1].Filename != "cat.png" {
		t.Errorf("the agent got %+v", last.Parts)
	}
}

func TestSomebodyWhoHasAllowedItLetsTheAgentGoOn(t *testing.T) {
	r := newTasks(t)
	task := r.send("auth Sign in at https://login.example/device and enter 42.")
	w := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "")
	if !strings.Contains(w.Body.String(), `href="https://login.example/device"`) || !strings.Contains(w.Body.String(), "once you have approved this") {
		t.Fatalf("got %s", w.Body)
	}
	if w := r.post(task, r.open(task, nil)); w.Code != http.StatusSeeOther {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	if got := r.call("get_task", map[string]any{"task_id": task.TaskID}); got.State != a2a.Completed {
		t.Errorf("got %+v", got)
	}
}

func TestAPageHearsThatItsTaskHasChanged(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	page := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "").Body.String()
	_, rest, _ := strings.Cut(page, `data-live="`)
	events, _, _ := strings.Cut(rest, `"`)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.pages.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), userKey{}, "alice")))
	}))
	t.Cleanup(srv.Close)
	resp, err := http.Get(srv.URL + html.UnescapeString(events)) // answered at once, with the first comment
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("%s: got %d %q", events, resp.StatusCode, got)
	}
	r.post(task, r.open(task, map[string]string{"field:answer": "hang"}))
	heard := bufio.NewScanner(resp.Body)
	hear := func(event string) {
		t.Helper()
		for heard.Scan() {
			if heard.Text() == "event: "+event {
				return
			}
		}
		t.Errorf("the stream ended without %q: %v", event, heard.Err())
	}
	hear("change")
	if w := r.browse("alice", "POST", documents.TaskPath+task.TaskID, formType, "do=cancel"); w.Code != http.StatusSeeOther {
		t.Errorf("canceling: got %d %s", w.Code, w.Body)
	}
	hear("end")
	if w := r.browse("alice", "GET", documents.TaskPath+task.TaskID+"/events", "", ""); w.Code != http.StatusBadRequest {
		t.Errorf("without a moment: got %d", w.Code)
	}
}

// TestWhatIsNoFormIsShownBesideTheAnswer asks for something that has no form here: who
// answers sees what the agent wants to know.
func TestWhatIsNoFormIsShownBesideTheAnswer(t *testing.T) {
	r := newTasks(t)
	task := r.send(`form {"type":"object","properties":{"people":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}`)
	w := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "")
	if page := html.UnescapeString(w.Body.String()); !strings.Contains(page, `"people"`) || !strings.Contains(page, `name="field:answer"`) {
		t.Errorf("got %s", page)
	}
}
