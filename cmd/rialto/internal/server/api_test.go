package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/api"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// newAPIRig starts a server with three agents, of which one is for the use case
// claims alone.
func newAPIRig(t *testing.T) *rig {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url := a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	return newRig(t, config.Agent{Name: "one", URL: url}, config.Agent{Name: "two", URL: url}, config.Agent{Name: "secret", URL: url, UseCases: []string{"claims"}})
}

// create makes a task and returns it.
func (r *rig) create(token, agent, body string) api.Task {
	r.t.Helper()
	got := r.do("POST", "/api/v1/agents/"+agent+"/tasks", token, body)
	var task api.Task
	got.decode(r.t, &task)
	if got.status != http.StatusCreated || !strings.HasSuffix(got.header.Get("Location"), "/api/v1/tasks/"+task.ID) {
		r.t.Fatalf("got %d %s at %q", got.status, got.body, got.header.Get("Location"))
	}
	return task
}

// TestTheAPISanitizesTextsOfAgents has an agent say what would steer a terminal, or
// be read in another order than it is in. An operator sees in a card that it is there.
func TestTheAPISanitizesTextsOfAgents(t *testing.T) {
	r := newAPIRig(t)
	token := r.full("alice")
	const said = `a\u202eb\u001b[31m\u2066c`
	failed := r.create(token, "one", `{"message":"fail `+said+`","wait":20}`)
	echoed := r.create(token, "one", `{"message":"parts","parts":[{"text":"`+said+`"},{"data":{"`+said+`":"`+said+`"}},{"bytes":"AAE=","filename":"`+said+`"}],"wait":20}`)
	if failed.Message != "ab[31mc" {
		t.Errorf("got %q", failed.Message)
	}
	doors := []string{"/api/v1/tasks/" + failed.ID + "/status", "/api/v1/tasks/" + failed.ID + "?history_length=9", "/api/v1/tasks/" + echoed.ID, "/api/v1/tasks"}
	for _, door := range doors {
		got := r.do("GET", door, token, "").body
		if !strings.Contains(got, "ab[31mc") || strings.ContainsAny(got, "\u202e\u2066") || strings.Contains(got, `\u`) {
			t.Errorf("%s: got %s", door, got)
		}
	}
	c := directory.SeenCard{Agent: "one", Digest: "d", Card: []byte(`{"name":"` + said + `"}`), Last: time.Now()}
	if err := r.store.Records.SeeCard(t.Context(), c, true); err != nil {
		t.Fatal(err)
	}
	if got := r.do("GET", "/api/v1/admin/agents/one/cards", r.operatorToken(), ""); !strings.Contains(got.body, said) {
		t.Errorf("got the cards %s", got.body)
	}
}

func TestATaskLivesThroughTheAPI(t *testing.T) {
	r := newAPIRig(t)
	token := r.full("alice")
	for _, root := range api.Roots {
		asked := r.create(token, "one", `{"message":"ask which?","wait":20}`)
		if asked.State != a2a.InputRequired || asked.Message != "which?" || asked.Agent != "one" {
			t.Fatalf("got %+v", asked)
		}
		got := r.do("POST", root+"/tasks/"+asked.ID+"/messages", token,
			`{"message":"parts","parts":[{"data":{"n":9007199254740993}},{"bytes":"AAE=","filename":"f"},{"url":"https://a.example/f"}],"wait":20}`)
		var done api.Task
		got.decode(t, &done)
		if got.status != 200 || done.ID != asked.ID || done.State != a2a.Completed || len(done.Artifacts) != 1 {
			t.Fatalf("got %d %s", got.status, got.body)
		}
		p := done.Artifacts[0].Parts
		if len(p) != 3 || string(p[0].Data) != `{"n":9007199254740993}` || string(*p[1].Bytes) != "\x00\x01" || p[1].Filename != "f" || p[2].URL != "https://a.example/f" {
			t.Errorf("got parts %s", got.body)
		}
		var status api.Status
		r.do("GET", root+"/tasks/"+asked.ID+"/status", token, "").decode(t, &status)
		if status.State != a2a.Completed || status.Agent != "one" {
			t.Errorf("got %+v", status)
		}
		var whole api.Task
		r.do("GET", root+"/tasks/"+asked.ID+"?history_length=10", token, "").decode(t, &whole)
		if len(whole.History) < 3 || whole.History[0].Role != a2a.RoleUser {
			t.Errorf("got history %+v", whole.History)
		}
		drafts := r.create(token, "one", `{"message":"drafts first second","wait":20}`)
		if len(drafts.Replaced)+len(drafts.Statuses) != 0 {
			t.Errorf("who asks for no history gets %+v", drafts.Revisions)
		}
		r.do("GET", root+"/tasks/"+drafts.ID+"?history_length=1", token, "").decode(t, &drafts)
		if was := drafts.Replaced; len(was) != 1 || was[0].ID != "draft" || was[0].Until.IsZero() || string(*was[0].Parts[0].Bytes) != "first" || len(drafts.Statuses) != 2 {
			t.Errorf("got %+v", drafts.Revisions)
		}
		hang := r.create(token, "two", `{"message":"hang"}`)
		if got := r.do("POST", root+"/tasks/"+hang.ID+"/cancel", token, ""); got.status != 200 || !strings.Contains(got.body, `"state":"canceled"`) {
			t.Errorf("cancel: got %d %s", got.status, got.body)
		}
	}
	if got := r.do("POST", "/api/v1/agents/one/tasks", token, `{"message":"say hello"}`); got.status != 200 || !strings.Contains(got.body, `"message":"hello"`) {
		t.Errorf("an answer without a task: got %d %s", got.status, got.body)
	}
}

func TestListsOfTheAPIComeInPages(t *testing.T) {
	r := newAPIRig(t)
	token := r.full("alice")
	for range 3 {
		r.create(token, "one", `{"message":"echo x"}`)
	}
	for path, member := range map[string]string{"/api/v1/agents": "agents", "/api/v1/tasks": "tasks"} {
		var ids []string
		next := ""
		for range 5 {
			var page map[string]any
			r.do("GET", path+"?page_size=1&page_token="+next, token, "").decode(t, &page)
			for _, x := range page[member].([]any) {
				ids = append(ids, x.(map[string]any)["id"].(string))
			}
			if next = page["next_page_token"].(string); next == "" {
				break
			}
		}
		if want := map[string]int{"agents": 2, "tasks": 3}[member]; len(ids) != want || ids[0] == ids[1] {
			t.Errorf("%s: got %v, want %d", path, ids, want)
		}
	}
	var all struct{ Agents []api.Agent }
	r.do("GET", "/api/v1/agents", r.token("alice", oauth.ScopeDiscover, oauth.ScopeTools+":claims"), "").decode(t, &all)
	if len(all.Agents) != 3 {
		t.Errorf("with the use case of the third: got %+v", all.Agents)
	}
}

func TestErrorsOfTheAPIHaveOneShape(t *testing.T) {
	r := newAPIRig(t)
	token := r.full("alice")
	done := r.create(token, "one", `{"message":"echo x","wait":20}`)
	working := r.create(token, "one", `{"message":"hang"}`)
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/tasks/none", "", 404, "not_found"},
		{"GET", "/nothing", "", 404, "not_found"},
		{"DELETE", "/agents", "", 405, "method_not_allowed"},
		{"GET", "/agents/none/card", "", 404, "not_found"},
		{"GET", "/agents/secret/card", "", 404, "not_found"},
		{"POST", "/agents/none/tasks", `{"message":"x"}`, 404, "not_found"},
		{"POST", "/agents/secret/tasks", `{"message":"x"}`, 404, "not_found"},
		{"POST", "/agents/one/tasks", `{}`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `{"message":" "}`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `{"massage":"x"}`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `{"message":"x"} {}`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `[`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `{"message":"x","wait":9999}`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `{"parts":[{"text":"x","url":"u"}]}`, 400, "invalid_request"},
		{"POST", "/agents/one/tasks", `{"message":"refuse CONTENT_TYPE_NOT_SUPPORTED"}`, 415, "content_type_not_supported"},
		{"POST", "/agents/one/tasks", `{"message":"break"}`, 502, "agent_error"},
		{"POST", "/agents/one/tasks", `{"message":"` + strings.Repeat("x", 4<<20) + `"}`, 413, "too_large"},
		{"POST", "/tasks/" + done.ID + "/messages", `{"message":"more"}`, 409, "invalid_task_state"},
		{"POST", "/tasks/" + working.ID + "/messages", `{"message":"more"}`, 409, "invalid_task_state"},
		{"POST", "/tasks/" + done.ID + "/cancel", "", 409, "task_not_cancelable"},
		{"GET", "/tasks/" + done.ID + "?wait=x", "", 400, "invalid_request"},
		{"GET", "/agents?page_size=0", "", 400, "invalid_request"},
		{"GET", "/agents?page_token=x", "", 400, "invalid_request"},
		{"GET", "/tasks?page_token=x", "", 400, "invalid_request"},
	} {
		got := r.do(c.method, "/api/v1"+c.path, token, c.body)
		var shape struct {
			Error       string `json:"error"`
			Description string `json:"error_description"`
		}
		got.decode(t, &shape)
		if got.status != c.status || shape.Error != c.code || !strings.HasSuffix(shape.Description, ".") {
			t.Errorf("%s %s %.60s: got %d %s", c.method, c.path, c.body, got.status, got.body)
		}
	}
	if got := r.do("POST", "/api/v1/agents/one/tasks", token, "message=x", "Content-Type: application/x-www-form-urlencoded"); got.status != 415 {
		t.Errorf("a form: got %d", got.status)
	}
}
