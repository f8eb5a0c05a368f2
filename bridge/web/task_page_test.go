package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/web"
	"rialto/templates"
)

func TestAnOwnerRetriesWhatFailed(t *testing.T) {
	r := newTasks(t)
	task := r.send("fail No such claim.")
	page := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "").Body.String()
	for _, want := range []string{"The agent reported a failure", "No such claim.", `value="retry"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	w := r.post(task, url.Values{"do": {"retry"}})
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || to == documents.TaskPath+task.TaskID || !strings.HasPrefix(to, documents.TaskPath) {
		t.Fatalf("got %d to %q, want the page of a new task", w.Code, to)
	}
	if again := r.post(task, url.Values{"do": {"retry"}}).Header().Get("Location"); again != to {
		t.Errorf("the form that was sent twice leads to %q, want %q", again, to)
	}
	if got := r.sentTexts(); len(got) != 2 || got[1] != got[0] {
		t.Errorf("the agent got %q, want the request twice", got)
	}
	if w := r.browse("bob", "POST", documents.TaskPath+task.TaskID, formType, "do=retry"); w.Code != http.StatusNotFound || len(r.sentTexts()) != 2 {
		t.Errorf("bob got %d, and the agent %q", w.Code, r.sentTexts())
	}
	done := r.send("echo ready")
	if w := r.post(done, url.Values{"do": {"retry"}}); w.Code != http.StatusConflict {
		t.Errorf("a task that is done: got %d, want a refusal", w.Code)
	}
	if w := r.post(done, url.Values{"do": {"cancel"}}); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "can&#39;t be canceled now") {
		t.Errorf("canceling what has ended: got %d", w.Code)
	}
}

// TestProgressDoesNotPushTheRequestOut follows a task whose agent says more than is kept.
func TestProgressDoesNotPushTheRequestOut(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour?")
	e, err := r.bridge.Runner.Task(as("alice"), r.bridge.Directory.Access(as("alice")), task.TaskID)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		e.Apply(&a2a.StatusUpdate{TaskID: e.Task.ID, Status: a2a.Status{State: a2a.Working, Message: &a2a.Message{ID: fmt.Sprint(i), Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(fmt.Sprint("Step ", i))}}}}, nil, e.Updated)
	}
	v := r.bridge.Documents.OperatorView(e)
	if first := v.Events[0]; first.Agent || first.Message[0].Text() != "ask Which colour?" || v.Left == 0 || len(v.Events) > 100 {
		t.Errorf("got %d events, %d left out, and first %+v", len(v.Events), v.Left, first)
	}
}

// TestTheTimelineDoesNotRepeatWhatIsAboveIt ends or follows a task whose agent has said two things.
func TestTheTimelineDoesNotRepeatWhatIsAboveIt(t *testing.T) {
	r := newTasks(t)
	for name, c := range map[string]struct {
		state a2a.State
		said  [2]string
		want  string
	}{
		"the reason of a failure": {a2a.Failed, [2]string{"Step 1", "No such claim"}, "Step 1"},
		"what the agent does now": {a2a.Working, [2]string{"Step 1", "Step 2"}, "Step 1, Step 2"},
		"the same words earlier":  {a2a.Failed, [2]string{"Step 1", "Step 1"}, "Step 1"},
		"a long status":           {a2a.Working, [2]string{"Step 1", strings.Repeat("long ", 100)}, "Step 1, long"},
		"the words of a result":   {a2a.Completed, [2]string{"Step 1", "Ready"}, "Step 1"},
	} {
		e, err := r.bridge.Runner.Task(as("alice"), r.bridge.Directory.Access(as("alice")), r.send("ask Which colour?").TaskID)
		if err != nil {
			t.Fatal(err)
		}
		for i, said := range c.said {
			state := []a2a.State{a2a.Working, c.state}[i]
			e.Apply(&a2a.StatusUpdate{TaskID: e.Task.ID, Status: a2a.Status{State: state, Message: &a2a.Message{ID: fmt.Sprint(i), Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(said)}}}}, nil, e.Updated)
		}
		e.Idle = c.state != a2a.Working
		page := web.TaskPage(r.bridge.Documents.OperatorView(e), e.Updated, nil)
		var got []string
		for _, event := range page.History.Events {
			if event.Step != "" && event.Step != "Which colour?" {
				got = append(got, event.Step)
			}
			for _, p := range event.Parts {
				if words := string(p.HTML); !strings.Contains(words, "Which colour?") {
					got = append(got, strings.TrimSuffix(strings.TrimPrefix(words, "<p>"), "</p>\n"))
				}
			}
		}
		if s := strings.Join(got, ", "); s != c.want && !strings.HasPrefix(s, c.want+" long") {
			t.Errorf("%s: the timeline shows %q, want %q", name, s, c.want)
		}
	}
}

func TestTheTimelineKeepsAFileWithoutWords(t *testing.T) {
	r := newTasks(t)
	e, err := r.bridge.Runner.Task(as("alice"), r.bridge.Directory.Access(as("alice")), r.send("ask Which colour?").TaskID)
	if err != nil {
		t.Fatal(err)
	}
	plan := a2a.Part{Content: a2a.Raw("plan"), Filename: "plan.txt", MediaType: "text/plain"}
	e.Apply(&a2a.StatusUpdate{TaskID: e.Task.ID, Status: a2a.Status{State: a2a.Working, Message: &a2a.Message{ID: "1", Role: a2a.RoleAgent, Parts: []a2a.Part{plan}}}}, nil, e.Updated)
	e.Idle = false
	for _, event := range web.TaskPage(r.bridge.Documents.OperatorView(e), e.Updated, nil).History.Events {
		for _, p := range event.Parts {
			if p.Name == "plan.txt" {
				return
			}
		}
	}
	t.Error("the file that the agent sent last is not in the timeline")
}

func TestAResultIsNamedOnce(t *testing.T) {
	r := newTasks(t)
	for name, want := range map[string]string{"Claims & causes": "<p>Three.</p>\n", "Claims": "<h4>Claims &amp; causes</h4>\n<p>Three.</p>\n"} {
		results := r.withArtifact(name, a2a.TextPart("# Claims & causes\n\nThree.")).Results
		if last := results[len(results)-1]; last.Name != name || string(last.Parts[0].HTML) != want {
			t.Errorf("got %+v, want %q", last, want)
		}
	}
}

// unknowing is an agent that wants to know who the user is.
type unknowing struct{ scripted }

func (unknowing) Stream(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, a2a.Errorf(a2a.Unauthenticated, "who are you?")) }
}

// unconnected says that users connect every agent, and that none is connected.
type unconnected struct{}

func (unconnected) Wanted(string) bool { return true }

func (unconnected) Connected(context.Context, string, string) (bool, error) { return false, nil }

func TestATaskThatWaitsForAConnectionLeadsThere(t *testing.T) {
	r := newTasksOf(t, func(a *a2atest.Agent) directory.Conn { return unknowing{scripted{a}} })
	r.bridge.Directory.Connections = unconnected{}
	task := r.send("echo mine")
	_, question, _ := strings.Cut(r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "").Body.String(), `id="question"`)
	question, _, _ = strings.Cut(question, "</section>")
	for _, want := range []string{"Connect <bdi>Scripted</bdi> to continue", "The agent scripted wants to know who you are. ", "The task continues", `href="https://rialto.test/connect/scripted?task=` + task.TaskID + `"`, "Already connected?", "Cancel task"} {
		if !strings.Contains(question, want) {
			t.Errorf("the page does not show %q\n%s", want, question)
		}
	}
	if strings.Contains(question, "your own account at") {
		t.Errorf("got %s, want the address only behind the button", question)
	}
}

// TestEachReaderSeesWhatTheyMay compares the three rights on one task.
func TestEachReaderSeesWhatTheyMay(t *testing.T) {
	r := newTasks(t)
	task := r.send("ask Which colour is SECRET-QUESTION?")
	v, err := r.bridge.Documents.TaskView(as("alice"), r.bridge.Directory.Access(as("alice")), task.TaskID)
	if err != nil {
		t.Fatal(err)
	}
	owner, operator := web.TaskPage(v, v.Record.Updated, nil), web.TaskPage(r.bridge.Documents.OperatorView(v.Record), v.Record.Updated, nil)
	if v.Form == nil || len(owner.History.Events) == 0 || len(operator.History.Events) != len(owner.History.Events) {
		t.Errorf("got %d and %d events, want the same timeline", len(owner.History.Events), len(operator.History.Events))
	}
	if o := r.bridge.Documents.OperatorView(v.Record); o.Form != nil || o.CanRetry || o.CanShare || !o.CanCancel {
		t.Errorf("an operator may %+v", o)
	}
}

// withArtifact returns the page of a task that has produced an artifact.
func (r *taskRig) withArtifact(name string, parts ...a2a.Part) templates.Task {
	r.t.Helper()
	record, err := r.bridge.Runner.Task(as("alice"), r.bridge.Directory.Access(as("alice")), r.send("echo x").TaskID)
	if err != nil {
		r.t.Fatal(err)
	}
	record.Task.Artifacts = []a2a.Artifact{{ID: "a", Name: name, Parts: parts}}
	return web.TaskPage(r.bridge.Documents.OperatorView(record), record.Updated, nil)
}

func TestDataBesideTextIsFolded(t *testing.T) {
	r := newTasks(t)
	data := a2a.Part{Content: a2a.Data(`[{"cause":"hail","count":3}]`)}
	for name, c := range map[string]struct {
		parts []a2a.Part
		fold  bool
	}{
		"with a text": {[]a2a.Part{a2a.TextPart("|cause|count|\n|-|-|\n|hail|3|"), data}, true},
		"with a file": {[]a2a.Part{{Content: a2a.Raw("x"), Filename: "x.csv"}, data}, false},
		"alone":       {[]a2a.Part{data}, false},
	} {
		results := r.withArtifact("rows", c.parts...).Results
		shown := results[len(results)-1].Parts
		if last := shown[len(shown)-1]; len(shown) != len(c.parts) || last.Data == nil || last.Fold != c.fold {
			t.Errorf("%s: got %+v", name, shown)
		}
	}
}

func TestDataIsATable(t *testing.T) {
	r := newTasks(t)
	for name, c := range map[string]struct {
		data       string
		rows, more int
	}{
		"objects":          {`[{"a":1,"b":"x"},{"b":"y","c":{"d":2}}]`, 2, 0},
		"columns and rows": {`{"columns":["a","b"],"rows":[[1,"x"]],"row_count":1}`, 1, 0},
		"too many rows":    {"[" + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 1150), ",") + "]", 1000, 150},
		"no table":         {`[1,2]`, 0, 0},
	} {
		var table *templates.DataTable
		for _, result := range r.withArtifact("", a2a.Part{Content: a2a.Data(json.RawMessage(c.data))}).Results {
			for _, p := range result.Parts {
				if p.Data != nil {
					table = p.Data
				}
			}
		}
		if table == nil || len(table.Rows) != c.rows || table.More != "" && table.More != fmt.Sprint(c.more) || table.JSON == "" {
			t.Errorf("%s: got %+v", name, table)
		}
	}
}

func TestWhatAnAgentAsksIsTextOnThePage(t *testing.T) {
	r := newTasks(t)
	evil := `<script>alert(1)</script><form action="https://evil.example"><img src=x onerror=alert(2)>`
	schema, _ := json.Marshal(map[string]any{"type": "object", "title": evil, "description": evil, "properties": map[string]any{
		`"><script>`: map[string]any{"type": "string", "title": evil, "description": evil, "default": `"><b>`},
		"pick":       map[string]any{"type": "string", "enum": []string{"</select><script>"}},
	}})
	for _, message := range []string{"ask " + evil, "form " + string(schema), "auth " + evil + " javascript:alert(1)"} {
		task := r.send(message)
		w := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "")
		page, err := html.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		forms := 0
		for n := range page.Descendants() {
			switch {
			case n.Data == "form" && attr(n, "method") == "post":
				forms++
			case n.Type == html.ElementNode && n.Data == "script" && n.FirstChild != nil, n.Data == "img" && attr(n, "alt") != "" || n.Data == "b", attr(n, "onerror") != "", strings.HasPrefix(attr(n, "href"), "javascript"):
				t.Errorf("%.20s: the agent's text became the element %s", message, n.Data)
			}
		}
		if csp := w.Header().Get("Content-Security-Policy"); forms != 2 || !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "form-action 'self'") {
			t.Errorf("%.20s: got %d forms, with the policy %q", message, forms, csp)
		}
	}
}

// TestWhatAnAgentSaysIsNotTranslated gives an agent words that are also a sentence of the pages.
func TestWhatAnAgentSaysIsNotTranslated(t *testing.T) {
	r := newTasks(t)
	const ours = "Certificate"
	spanish, ok := templates.Spanish(ours)
	if !ok {
		t.Fatal("the pages do not say it any more")
	}
	schema := `{"type":"object","title":"Certificate","description":"Certificate","properties":{` +
		`"Certificate":{"type":"string","title":"Certificate","description":"Certificate","default":"Certificate"},` +
		`"pick":{"title":"Certificate","enum":["Certificate"]},"yes":{"title":"Certificate","type":"boolean"},` +
		`"some":{"title":"Certificate","type":"array","items":{"enum":["Certificate"]}}}}`
	for _, message := range []string{"echo Certificate", "fail Certificate", "ask Certificate", "auth Certificate", "form " + schema} {
		task := r.send(message)
		req := httptest.NewRequest("GET", documents.TaskPath+task.TaskID, nil).WithContext(as("alice"))
		req.Header.Set("Accept-Language", "es")
		w := httptest.NewRecorder()
		r.pages.ServeHTTP(w, req)
		page := w.Body.String()
		if !strings.Contains(page, `lang="es"`) || strings.Contains(page, spanish) || !strings.Contains(page, ours) {
			t.Errorf("%.20s: the page says %q, or not %q\n%s", message, spanish, ours, page)
		}
	}
}
