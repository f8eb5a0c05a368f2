package bridge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/web"
)

// An agent answers with a message: what does not fit the first page is on the next, as
// with artifacts.
func TestWhatAnAgentSaysIsPagedWithItsFilesAndData(t *testing.T) {
	rows := `{"rows":[` + strings.Repeat(`"abcdefghij",`, 5_000) + `1]}`
	said := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{
		a2a.TextPart("here it is"), {Content: a2a.Data(rows)}, {Content: a2a.Data(`{"n":1}`)},
	}}
	for i := range 5 {
		said.Parts = append(said.Parts, a2a.Part{Content: a2a.Raw(strings.Repeat("x", 20_000)), Filename: fmt.Sprint(i), MediaType: "image/png"})
	}
	for name, events := range map[string][]any{
		"a message": {said},
		"a task":    {made("a", a2a.TextPart(strings.Repeat("artifact ", 10_000))), &a2a.StatusUpdate{TaskID: "up", Status: a2a.Status{State: a2a.Completed, Message: said}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "", map[string]peer{"one": turns(events)})
			var text, data, files string
			images := 0
			for _, p := range pages(t, r, r.call("send_task", `{"message":"go"}`).TaskID) {
				for _, part := range p.MessageParts {
					switch text, data = text+part.Text, data+string(part.Data); part.Kind {
					case "file":
						files += part.Filename
					}
				}
				for _, item := range p.Items {
					if item["type"] == "image" {
						images++
					}
				}
				if p.Truncated != (p.Cursor != "") {
					t.Errorf("got truncated %v with the cursor %q: something is left out", p.Truncated, p.Cursor)
				}
			}
			if text != rows || data != `{"n":1}` || files != "01234" || images != 5 {
				t.Errorf("got %d characters of %d, %s, the files %s and %d images", len(text), len(rows), data, files, images)
			}
		})
	}
}

// TestAStreamedTextIsOneText streams a text in chunks that cut its words, as agents do
// that pass on what a model says: everywhere it is read and found as one.
func TestAStreamedTextIsOneText(t *testing.T) {
	var whole string
	events := []any{made("a", a2a.TextPart(""))}
	for i := range 2_000 {
		for _, c := range []string{fmt.Sprint("insur", i), "ance and "} {
			e := IsChunk("a", c)
			e.Append, whole = true, whole+c
			events = append(events, e)
		}
	}
	r := newRig(t, "", map[string]peer{"one": turns(append(events,
		made("b", a2a.TextPart("One."), a2a.TextPart("Two.")), update(a2a.Completed, "said")))})
	got := r.call("send_task", `{"message":"go"}`)
	all := pages(t, r, got.TaskID)
	var text string
	for _, p := range all {
		for _, a := range p.Artifacts {
			for _, part := range a.Parts {
				text += part.Text
			}
		}
	}
	if text != whole+"One.Two." || len(all) > 1+len(whole)/40_000 || len(all[len(all)-1].Artifacts[0].Parts) > 3 {
		t.Errorf("got %d characters of %d on %d pages", len(text), len(whole), len(all))
	}
	if b := all[len(all)-1].Artifacts; len(b[len(b)-1].Parts) != 2 {
		t.Errorf("got %+v, want two texts that are complete apart", b[len(b)-1])
	}
	sheet, err := r.Documents.View(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), "task:"+got.TaskID)
	if err != nil || sheet.Cut || sheet.Pieces[0].Text() != whole || sheet.Pieces[len(sheet.Pieces)-1].Text() != "said" {
		t.Errorf("the page has %d pieces, cut: %v, %v", len(sheet.Pieces), sheet.Cut, err)
	}
	for path, want := range map[string]string{"": whole, "/parts/0": whole, "/parts/1": "insur0"} {
		var contents []struct{ URI, Text string }
		if err := json.Unmarshal([]byte(r.contents(got.Artifacts[0].URI+path)), &contents); err != nil || len(contents) != 1 || contents[0].Text != want {
			t.Errorf("the resource%s has %d contents, %v", path, len(contents), err)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); len(r.call("search", `{"query":"insur1999ance"}`).Results) != 1; {
		if time.Now().After(deadline) {
			t.Fatal("a word that came in two chunks is not found")
		}
	}
}

// TestAStreamIsKnownInEachLanguage has chunks of texts in languages that write no spaces
// between words, which stayed as many parts, and lists, which must.
func TestAStreamIsKnownInEachLanguage(t *testing.T) {
	for name, c := range map[string]struct {
		parts string // separated by |
		one   bool
	}{
		"Chinese, word by word":            {"理赔|已|支付|，|金额|为|五百|元|。", true},
		"Chinese, in longer chunks":        {"理赔已支付|，金额为五百|元（含税", true},
		"Chinese, cut behind a bracket":    {"理赔已支付（|含税", true},
		"Japanese, character by character": {"保|険|金|は|支|払|わ|れ|ま|し|た|。", true},
		"Japanese, a long vowel":           {"サ|ーバ", true},
		"Thai":                             {"ค่าสินไหม|ได|้ร|ับ|แล้ว", true},
		"Thai, cut before a vowel":         {"ประกันภ|าค", true},
		"Thai, cut behind a vowel":         {"ประกันแ|รก", true},
		"an accent by itself":              {"cafe|\u0301", true},

		"Chinese cities":         {"北京|上海|广州", false},
		"Chinese sentences":      {"理赔已支付。|金额为五百元。|谢谢！", false},
		"Chinese items":          {"一、保单；|二、理赔；|三、车辆。", false},
		"Chinese, with brackets": {"（一）保单|「二」理赔|《三》车辆", false},
		"a heading and items":    {"水果：|苹果|香蕉", false},
		"Japanese words":         {"保険|ラーメン|サーバー", false},
		"Thai words":             {"ประกัน|เคลม|รถยนต์|ไทย|แมว", false},
		"Korean words":           {"보험|자동차", false},
		"other lists":            {"’90s|.NET|…and so on|”så”|- a|(b)|:c|", false},
	} {
		var parts []a2a.Part
		for text := range strings.SplitSeq(c.parts, "|") {
			parts = append(parts, a2a.TextPart(text))
		}
		got := ledger.JoinTexts(parts)
		if want := strings.ReplaceAll(c.parts, "|", ""); c.one && (len(got) != 1 || got[0].Content != a2a.Text(want)) {
			t.Errorf("%s: got %d parts, want one text", name, len(got))
		}
		if !c.one && len(got) != len(parts) {
			t.Errorf("%s: got %d parts, want %d", name, len(got), len(parts))
		}
	}
}

// TestAFileThatDoesNotFitBesideTheLastWordIsOnTheNextPage has an agent say so much of a
// file and after it that the first page has no room for the file.
func TestAFileThatDoesNotFitBesideTheLastWordIsOnTheNextPage(t *testing.T) {
	e := made("a", a2a.Part{Content: a2a.Raw(strings.Repeat("x", 23_500)), Filename: "chart.png", MediaType: "image/png"})
	e.Artifact.Description = strings.Repeat("<", 1_000)
	said := update(a2a.Completed, strings.Repeat("closing ", 1_000))
	r := newRig(t, "", map[string]peer{"one": turns([]any{e, said})})
	all := pages(t, r, r.call("send_task", `{"message":"go"}`).TaskID)
	if all[0].Message == "" || len(all[0].Artifacts[0].Parts) != 0 {
		t.Fatalf("the first page has %d parts and %d characters, want only what the agent said last", len(all[0].Artifacts[0].Parts), len(all[0].Message))
	}
	if next := all[1].Artifacts; len(next) != 1 || len(next[0].Parts) != 1 || next[0].Parts[0].Filename != "chart.png" {
		t.Errorf("the next page has not the file")
	}
}

// TestManyTextsAreNotOne has an agent give so many texts that neither begin nor end with
// a space that they could hang the server (see TestManyTextsAreLookedAtOnce).
func TestManyTextsAreNotOne(t *testing.T) {
	texts := slices.Repeat([]a2a.Part{a2a.TextPart("x")}, 50_000)
	r := newRig(t, "", map[string]peer{"one": turns([]any{made("a", texts...), update(a2a.Completed, "said")})})
	got := r.call("send_task", `{"message":"go"}`)
	got.want(t, a2a.Completed, false)
	ctx := as(t.Context(), "alice")
	v, err := r.Documents.TaskView(ctx, r.Directory.Access(ctx), got.TaskID)
	if err != nil {
		t.Fatal(err)
	}
	page := web.TaskPage(v, time.Now(), nil)
	made := page.Results[len(page.Results)-1]
	if !page.Cut || len(made.Parts) < 900 || made.Parts[0].HTML != "<p>x</p>\n" {
		t.Errorf("the page has %d pieces, cut: %v", len(made.Parts), page.Cut)
	}
}

// TestALinkHoldsWhenMoreIsAdded has an agent go on with a text that stands before a
// file, after a question with another.
func TestALinkHoldsWhenMoreIsAdded(t *testing.T) {
	file := func(name string) a2a.Part {
		return a2a.Part{Content: a2a.Raw("the file " + name), Filename: name, MediaType: "application/pdf"}
	}
	question := update(a2a.InputRequired, "is this right?")
	question.Status.Message.Parts = append(question.Status.Message.Parts, file("draft"))
	more := IsChunk("text", "two")
	more.Append = true
	r := newRigWith(t, "", map[string]peer{"one": turns(
		[]any{IsChunk("text", "one"), made("file", file("final")), question},
		[]any{more, update(a2a.Completed, "done")},
	)}, func(b *bridge.Bridge) {
		b.Documents.Downloads = &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}
	})
	got := r.call("send_task", `{"message":"go"}`)
	links := map[string]string{"final": got.Artifacts[1].Parts[0].URL, "draft": got.MessageParts[0].URL}
	r.call("send_task", fmt.Sprintf(`{"task_id":%q,"message":"yes"}`, got.TaskID)).want(t, a2a.Completed, false)
	for name, link := range links {
		part, err := r.Documents.Download(t.Context(), strings.TrimPrefix(link, "https://rialto.test"+documents.DownloadPath))
		if err != nil || part.Filename != name || string(part.Content.(a2a.Raw)) != "the file "+name {
			t.Errorf("%s: got %+v, %v", name, part, err)
		}
	}
	past := r.call("get_task", fmt.Sprintf(`{"task_id":%q,"history_length":10}`, got.TaskID))
	if !strings.Contains(past.Text, "is this right?") || !strings.Contains(past.Text, "[draft application/pdf https://rialto.test/downloads/") {
		t.Errorf("the words do not tell of the question and its file: %s", past.Text)
	}
}

// TestTheHistoryComesBehindALongResult asks for what was said before of a task whose
// artifact, question and history fill a page each.
func TestTheHistoryComesBehindALongResult(t *testing.T) {
	long := func(s string) string { return strings.Repeat(s+" ", 50_000/(len(s)+1)) }
	r := newRig(t, "", map[string]peer{"one": turns(
		[]any{made("a", a2a.TextPart(long("artifact"))), update(a2a.InputRequired, long("question"))},
		[]any{update(a2a.Completed, long("closing"))},
	)})
	id := r.call("send_task", fmt.Sprintf(`{"message":%q}`, "go "+long("order"))).TaskID
	r.call("send_task", fmt.Sprintf(`{"task_id":%q,"message":"yes"}`, id))
	var history, words string
	for cursor, n := "", 0; ; n++ {
		got := r.call("get_task", fmt.Sprintf(`{"task_id":%q,"history_length":10,"cursor":%q}`, id, cursor))
		for _, turn := range got.History {
			history += turn.Text + "|"
		}
		words += got.Text
		if got.Cursor != "" && !strings.Contains(got.Text, fmt.Sprintf("history_length 10 and cursor %q", got.Cursor)) {
			t.Errorf("page %d does not say how to go on: %s", n, got.Text[max(0, len(got.Text)-300):])
		}
		if size := len(got.raw) + len(got.Text); size > 100_000 || n > 20 {
			t.Fatalf("page %d has %d characters", n, size)
		}
		if cursor = got.Cursor; cursor == "" {
			break
		}
	}
	for _, want := range []string{"go order", "yes", "question question"} {
		if !strings.Contains(history, want) || !strings.Contains(words, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(history, "order") + strings.Count(history, "question"); n < 13_000 {
		t.Errorf("got %d words of the history", n)
	}
	if doc := r.call("fetch", fmt.Sprintf(`{"id":"task:%s"}`, id)); !strings.Contains(string(doc.raw), `"asked":"go order order`) {
		t.Error("the document does not tell what was asked")
	}
}

// TestProgressOfAStreamedTextIsItsEnd has each chunk come when the one before is long told.
func TestProgressOfAStreamedTextIsItsEnd(t *testing.T) {
	events := []any{made("a", a2a.TextPart("The "))}
	for _, c := range []string{"insur", "ance is", " paid."} {
		e := IsChunk("a", c)
		e.Append = true
		events = append(events, e)
	}
	var clock atomic.Int64
	r := newRigWith(t, "", map[string]peer{"one": turns(append(events, update(a2a.Completed, "done")))}, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return time.Unix(1_800_000_000+clock.Add(1), 0) }
	})
	var lines []string
	r.callAs("alice", "send_task", `{"message":"go"}`, func(line string) { lines = append(lines, line) })
	if got := strings.Join(lines, "|"); !strings.HasSuffix(got, "The insurance is|The insurance is paid.") {
		t.Errorf("got %s", got)
	}
}
