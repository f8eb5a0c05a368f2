package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/documents"
	"rialto/internal/raced"
)

// made is what an agent produced: an artifact of parts.
func made(id string, parts ...a2a.Part) *a2a.ArtifactUpdate {
	return &a2a.ArtifactUpdate{TaskID: "up", Artifact: a2a.Artifact{ID: id, Name: id, Parts: parts}}
}

// pages reads a task from its first page to its last, and checks each.
func pages(t *testing.T, r *rig, id string) (all []*answer) {
	t.Helper()
	cursor := ""
	for range 50 {
		got := r.call("get_task", fmt.Sprintf(`{"task_id":%q,"cursor":%q}`, id, cursor))
		items, _ := json.Marshal(got.Items)
		if n := len(items) + len(got.raw); n > 100_000 {
			t.Errorf("page %d has %d characters", len(all), n)
		}
		all = append(all, got)
		if cursor = got.Cursor; cursor == "" {
			return all
		}
		if !strings.Contains(got.Text, cursor) {
			t.Errorf("page %d does not say how to get the next in words: %s", len(all), got.Text[max(0, len(got.Text)-200):])
		}
	}
	t.Fatal("the pages do not end")
	return nil
}

func TestALongResultIsPagedAndNothingIsLost(t *testing.T) {
	raced.Skip(t)
	long, data := strings.Repeat("grüße <b>\n", 20_000), `{"rows":[`+strings.Repeat(`"abcdefghij",`, 5_000)+`1]}`
	small := `{"n":1}`
	r := newRig(t, "", map[string]peer{"one": turns([]any{
		made("text", a2a.TextPart(long), a2a.TextPart("after")),
		made("data", a2a.Part{Content: a2a.Data(data)}, a2a.Part{Content: a2a.Data(small)}),
		update(a2a.Completed, strings.Repeat("closing ", 10_000)),
	})})
	first := r.call("send_task", `{"message":"go"}`)
	var text, message, structured string
	all := pages(t, r, first.TaskID)
	for i, p := range all {
		for _, a := range p.Artifacts {
			for _, part := range a.Parts {
				text += part.Text
				structured += string(part.Data)
			}
		}
		if i > 0 { // the first page shows the beginning of the last message
			message += p.Message
		}
	}
	if text != long+"after"+data || structured != small || message != strings.Repeat("closing ", 10_000) {
		t.Errorf("got %d of %d characters of text, %q, and %d of the last word", len(text), len(long+"after"+data), structured, len(message))
	}
	if !strings.HasPrefix(all[0].Message, "closing") {
		t.Error("the first page does not have the last word")
	}
	for _, beyond := range []string{"9999.9999", "9999.0", "0.9999999", "2.5"} { // of a longer task
		r.call("get_task", fmt.Sprintf(`{"task_id":%q,"cursor":%q}`, first.TaskID, beyond)).refused(t, "leads to no part of this task")
	}
	r.call("get_task", fmt.Sprintf(`{"task_id":%q,"cursor":"0.0"}`, first.TaskID)).want(t, a2a.Completed, false)
	r.call("get_task", fmt.Sprintf(`{"task_id":%q,"cursor":"x"}`, first.TaskID)).refused(t, "next_cursor")
}

func TestAFileThatIsTooLargeIsALinkThatEnds(t *testing.T) {
	file := []byte(strings.Repeat("%PDF", 100_000))
	var late atomic.Int64 // by how much the clock is set forward
	start := time.Unix(1_800_000_000, 0)
	r := newRigWith(t, "", map[string]peer{"one": turns([]any{
		made("report", a2a.Part{Content: a2a.Raw(file), Filename: "report.pdf", MediaType: "application/pdf"}, a2a.TextPart("see above")),
		update(a2a.Completed, "done"),
	})}, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return start.Add(time.Duration(late.Load())) }
	})
	if got := r.call("send_task", `{"message":"go"}`); got.Artifacts[0].Parts[0].URL != "" || got.Items[0]["uri"] != got.Artifacts[0].URI+"/parts/0" {
		t.Errorf("without links: got %+v, %v, want the resource only", got.TaskInfo, got.Items[0])
	}
	r.Documents.Downloads = &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}
	got := r.call("get_task", fmt.Sprintf(`{"task_id":%q}`, r.call("list_tasks", `{}`).task(t)))
	if got.Truncated || len(got.Artifacts) != 1 {
		t.Fatalf("got %+v", got.TaskInfo)
	}
	link, ok := strings.CutPrefix(got.Artifacts[0].Parts[0].URL, "https://rialto.test"+documents.DownloadPath)
	if !ok || got.Items[1]["type"] != "resource_link" || got.Items[1]["uri"] != got.Artifacts[0].Parts[0].URL || strings.Contains(link, "alice") {
		t.Fatalf("got %q, %v", got.Artifacts[0].Parts[0].URL, got.Items[1])
	}
	part, err := r.Documents.Download(t.Context(), link)
	if err != nil || string(part.Content.(a2a.Raw)) != string(file) || part.Filename != "report.pdf" {
		t.Errorf("got %v, %v", part, err)
	}
	for name, bad := range map[string]string{"cut": link[:len(link)-2], "changed": changed(link), "empty": "", "no base64": "!!", "of another key": func() string {
		r.Documents.Downloads.Key = []byte(strings.Repeat("k", 32))
		defer func() { r.Documents.Downloads.Key = make([]byte, 32) }()
		return r.call("get_task", fmt.Sprintf(`{"task_id":%q}`, got.TaskID)).Artifacts[0].Parts[0].URL[len("https://rialto.test"+documents.DownloadPath):]
	}()} {
		if _, err := r.Documents.Download(t.Context(), bad); err != documents.ErrNoDownload {
			t.Errorf("%s: got %v, want ErrNoDownload", name, err)
		}
	}
	for want, admits := range map[error]bool{nil: true, documents.ErrNoDownload: false} {
		r.Documents.Accounts = accounts(func(user string) bool { return admits && user == "alice" })
		if _, err := r.Documents.Download(t.Context(), link); err != want {
			t.Errorf("the owner may come in: %v: got %v, want %v", admits, err, want)
		}
	}
	late.Store(int64(time.Hour))
	if _, err := r.Documents.Download(t.Context(), link); err != documents.ErrNoDownload {
		t.Errorf("after an hour: got %v, want ErrNoDownload", err)
	}
}

// changed returns a link whose first letter, which may be any, is another.
func changed(link string) string {
	if link[0] == 'A' {
		return "B" + link[1:]
	}
	return "A" + link[1:]
}

// task returns the id of the only task of a list.
func (a *answer) task(t *testing.T) string {
	t.Helper()
	var list struct {
		Tasks []struct {
			ID string `json:"task_id"`
		}
	}
	if err := json.Unmarshal(a.raw, &list); err != nil || len(list.Tasks) != 1 {
		t.Fatalf("got %s, want one task", a.raw)
	}
	return list.Tasks[0].ID
}
