package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/documents"
	"rialto/internal/raced"
)

// sharing is a rig on which people can share, whose clock can be set forward.
type sharing struct {
	*rig
	late    atomic.Int64
	refused atomic.Bool // whether the owners may not come in any more
}

func newSharing(t *testing.T, agents map[string]peer) *sharing {
	s := &sharing{}
	start := time.Unix(1_800_000_000, 0)
	s.rig = newRigWith(t, "", agents, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return start.Add(time.Duration(s.late.Load())) }
		b.Documents.Sharing = &documents.Sharing{TTL: time.Hour}
		b.Documents.Accounts = accounts(func(string) bool { return !s.refused.Load() })
	})
	s.Documents.Sharing.Store = s.db.Ledger.Shares()
	return s
}

// accounts reports which users are active.
type accounts func(user string) bool

// Active implements documents.Accounts.
func (a accounts) Active(_ context.Context, user string) (bool, error) { return a(user), nil }

// share shares a document of alice's and returns the secret of the link.
func (s *sharing) share(id string) (secret string, made documents.Shared) {
	s.t.Helper()
	got := s.call("share", `{"id":"`+id+`"}`)
	if got.IsError {
		s.t.Fatalf("%s: %s", id, got.Text)
	}
	if err := json.Unmarshal(got.raw, &made); err != nil {
		s.t.Fatal(err)
	}
	secret, ok := strings.CutPrefix(made.URL, "https://rialto.test"+documents.SharedPath)
	if !ok || len(secret) != 43 || !strings.Contains(got.Text, made.URL) {
		s.t.Fatalf("got %q, %q", made.URL, got.Text)
	}
	return secret, made
}

// shows returns the text of a shared document.
func (s *sharing) shows(secret string) string {
	s.t.Helper()
	sheet, until, err := s.Documents.Shared(s.t.Context(), secret)
	if err != nil {
		s.t.Fatal(err)
	}
	if left := until.Sub(s.Runner.Now()); left <= 0 || left > time.Hour {
		s.t.Errorf("it ends in %v", left)
	}
	var text []string
	for _, p := range sheet.Pieces {
		text = append(text, p.Text())
	}
	return sheet.Title + ": " + strings.Join(text, "|")
}

func (s *sharing) gone(name, secret string) {
	s.t.Helper()
	_, _, err := s.Documents.Shared(s.t.Context(), secret)
	_, piece := s.Documents.SharedPiece(s.t.Context(), secret, 0)
	if err != documents.ErrNoShare || piece != documents.ErrNoShare {
		s.t.Errorf("%s: got %v, %v, want ErrNoShare", name, err, piece)
	}
}

func produced() peer {
	return turns([]any{
		made("a", a2a.TextPart("first"), a2a.Part{Content: a2a.Raw("\x89PNG"), MediaType: "image/png", Filename: "p.png"}),
		made("b/:ü", a2a.Part{Content: a2a.Data(`{"n":1}`)}), update(a2a.Completed, "that is all"),
	}, []any{update(a2a.InputRequired, "which?")})
}

func TestWhatEndedIsShownToWhoeverHasTheLink(t *testing.T) {
	s := newSharing(t, map[string]peer{"one": produced(), "library": library(t)})
	task := s.call("send_task", `{"message":"go","agent":"one"}`)
	for name, c := range map[string]struct{ id, want string }{
		"a task":      {"task:" + task.TaskID, "Task of one, completed: first||{\"n\":1}|that is all"},
		"an artifact": {"artifact:" + task.TaskID + ":b/:ü", "b/:ü: {\"n\":1}"},
		"a document":  {"doc:library:book/1", "On bridges: Text."},
	} {
		secret, _ := s.share(c.id)
		if got := s.shows(secret); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestALinkLeadsToItsOwnPiecesOnly(t *testing.T) {
	s := newSharing(t, map[string]peer{"one": produced(), "library": library(t)})
	task := s.call("send_task", `{"message":"go","agent":"one"}`)
	whole, _ := s.share("task:" + task.TaskID)
	part, _ := s.share("artifact:" + task.TaskID + ":a")
	document, _ := s.share("doc:library:book/1")
	for name, c := range map[string]struct {
		secret string
		number int
		want   string
	}{
		"a text of the task":        {whole, 0, "first"},
		"a file of the task":        {whole, 1, "\x89PNG"},
		"data of the task":          {whole, 2, `{"n":1}`},
		"the last word of the task": {whole, 3, "that is all"},
		"a file of the artifact":    {part, 1, "\x89PNG"},
		"what is not the artifact":  {part, 2, ""},
		"the last message":          {part, 3, ""},
		"the text of a document":    {document, 0, "Text."},
		"what a document has not":   {document, 1, ""},
		"no number of a piece":      {whole, -1, ""},
	} {
		p, err := s.Documents.SharedPiece(t.Context(), c.secret, c.number)
		if c.want == "" {
			if err != documents.ErrNoShare {
				t.Errorf("%s: got %v, %v, want ErrNoShare", name, p, err)
			}
			continue
		}
		if err != nil || string(p.Content.(a2a.Raw)) != c.want {
			t.Errorf("%s: got %v, %v, want %q", name, p, err, c.want)
		}
	}
}

func TestALinkEnds(t *testing.T) {
	s := newSharing(t, map[string]peer{"one": produced()})
	id := "task:" + s.call("send_task", `{"message":"go"}`).TaskID
	alice, bob := as(t.Context(), "alice"), as(t.Context(), "bob")
	ended, made := s.share(id)
	if err := s.Documents.EndShare(bob, s.Directory.Access(bob), made.ID); err != documents.ErrNoShare {
		t.Errorf("another user revoked it: %v", err)
	}
	s.shows(ended)
	if err := s.Documents.EndShare(alice, s.Directory.Access(alice), made.ID); err != nil {
		t.Error(err)
	}
	s.gone("ended by its owner", ended)

	secret, _ := s.share(id)
	if list, _, err := s.Documents.ListShares(alice, s.Directory.Access(alice), "", 10); err != nil || len(list) != 1 || list[0].Document != id {
		t.Errorf("got %v, %v, want the one that has not ended", list, err)
	}
	if list, _, err := s.Documents.ListShares(bob, s.Directory.Access(bob), "", 10); err != nil || len(list) != 0 {
		t.Errorf("the list of another user: got %v, %v", list, err)
	}
	for name, wrong := range map[string]string{"changed": string(secret[0]^1) + secret[1:], "cut": secret[1:], "longer": secret + "A", "nothing": "", "its own name": made.ID} {
		s.gone(name, wrong)
	}
	s.refused.Store(true)
	s.gone("of a user who is not admitted", secret)
	s.refused.Store(false)
	s.shows(secret)
	sharing := s.Documents.Sharing
	s.Documents.Sharing = nil
	s.gone("turned off", secret)
	s.Documents.Sharing = sharing
	s.late.Store(int64(time.Hour))
	s.gone("old", secret)

	late, _ := s.share(id)
	if _, err := s.db.Ledger.DropTasks(t.Context(), s.Runner.Now().Add(time.Hour), "", nil, 10); err != nil {
		t.Fatal(err)
	}
	s.gone("of a task that is forgotten", late)
}

func TestWhatCannotBeSharedSaysWhy(t *testing.T) {
	s := newSharing(t, map[string]peer{"one": produced(), "library": library(t)})
	done := s.call("send_task", `{"message":"go","agent":"one"}`).TaskID
	waits := s.call("send_task", `{"message":"go","agent":"one"}`).TaskID
	for id, why := range map[string]string{
		"task:" + waits:           "when its task has ended",
		"task:none":               "no such task",
		"artifact:" + done + ":c": "no such task",
		"artifact:" + done:        "no such task",
		"agent:library":           "cannot be shared",
		"doc:library:book/9":      "no such book",
		"nonsense":                "no document with the id",
	} {
		s.call("share", `{"id":"`+id+`"}`).refused(t, why)
	}
	s.callAs("bob", "share", `{"id":"task:`+done+`"}`, func(string) {}).refused(t, "no such task")
	for range documents.MostShares {
		s.share("task:" + done)
	}
	s.call("share", `{"id":"task:`+done+`"}`).refused(t, "already")
}

func TestNothingIsSharedUnlessTheOperatorLets(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": produced()})
	for _, tool := range r.Tools.List() {
		if tool.Name == "share" {
			t.Error("there is a tool to share with")
		}
	}
	id := "task:" + r.call("send_task", `{"message":"go"}`).TaskID
	if _, _, err := r.Documents.ShareDocument(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), id); !errors.Is(err, documents.ErrNoShare) {
		t.Errorf("got %v, want ErrNoShare", err)
	}
}

func TestFetchReadsOneThingThatATaskMade(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": produced()})
	task := r.call("send_task", `{"message":"go"}`).TaskID
	var doc documents.Document
	if err := json.Unmarshal(r.call("fetch", `{"id":"artifact:`+task+`:b/:ü"}`).raw, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Text != "{\n  \"n\": 1\n}" && !strings.HasSuffix(doc.Text, `"n": 1`+"\n}") || doc.Metadata["task"] != task || doc.Metadata["agent"] != "one" ||
		doc.URL != "https://rialto.test/documents/artifact:"+task+":b%2F:%C3%BC" {
		t.Errorf("got %+v", doc)
	}
	r.call("fetch", `{"id":"artifact:`+task+`:c"}`).refused(t, "no such task")
	r.callAs("bob", "fetch", `{"id":"artifact:`+task+`:a"}`, func(string) {}).refused(t, "no such task")
}

// The limit holds for texts that grow as JSON, and the result says that it is
// truncated.
func TestADocumentNeverExceedsAResult(t *testing.T) {
	raced.Skip(t)
	for name, unit := range map[string]string{"letters": "a", "quotes": `"`, "lines": "\n.", "tags": "<", "accents": "ü"} {
		r := newRig(t, "", map[string]peer{"one": turns([]any{
			made("a", a2a.TextPart(strings.Repeat(unit, 120_000))), made("b", a2a.TextPart("second")), update(a2a.Completed, "done"),
		})})
		task := r.call("send_task", `{"message":"go"}`).TaskID
		got := r.call("fetch", `{"id":"task:`+task+`"}`)
		items, _ := json.Marshal(got.Items)
		if n := len([]rune(string(items))) + len([]rune(string(got.raw))); n > 100_000 || n < 50_000 {
			t.Errorf("%s: got %d characters", name, n)
		}
		if !strings.Contains(got.Text, "artifact:"+task+":b") || !strings.Contains(got.Text, "/documents/task:"+task) {
			t.Errorf("%s: it does not say where the rest is: %s", name, got.Text[len(got.Text)-300:])
		}
	}
}
