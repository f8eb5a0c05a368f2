package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/a2a"
)

// TestObjectNamesAreThoseOfAnObject: a name that is missing would be passed over by
// a scan, and read by encoding/json.
func TestObjectNamesAreThoseOfAnObject(t *testing.T) {
	for typ, names := range map[reflect.Type][]string{
		reflect.TypeFor[object]():   objectNames,
		reflect.TypeFor[status]():   statusNames,
		reflect.TypeFor[artifact](): artifactNames,
	} {
		for i := range typ.NumField() {
			if name := typ.Field(i).Tag.Get("json"); !slices.Contains(names, name) {
				t.Errorf("%s of %s is missing", name, typ)
			}
		}
	}
}

func TestMembersThatWeDoNotKnowCrossIn10Alone(t *testing.T) {
	others := a2a.Members{"generation": json.RawMessage(`"7"`), "why": json.RawMessage(`{"a":[1,null]}`)}
	m := a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}, Others: others}
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working, Message: &m, Others: others}, Others: others,
		History: []a2a.Message{m}, Artifacts: []a2a.Artifact{{ID: "a", Parts: m.Parts, Others: others}}}
	for _, e := range []a2a.Event{task, &m,
		&a2a.StatusUpdate{TaskID: "t", Status: task.Status, Others: others},
		&a2a.ArtifactUpdate{TaskID: "t", Artifact: task.Artifacts[0], Others: others},
	} {
		b, err := v10.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		if item, err := v10.DecodeAnswer(b); err != nil || !reflect.DeepEqual(item.Event, e) {
			t.Errorf("%s became %+v, %v, want %+v", b, item.Event, err, e)
		}
		for _, d := range []*Dialect{&v10known, &v03, &v03rest, &v02, &v01} {
			if b, err := d.EncodeEvent(e); err != nil || strings.Contains(string(b), "generation") {
				t.Errorf("%s writes %s, %v", d.Generation, b, err)
			}
		}
		if item, err := v10known.DecodeAnswer(b); err != nil || hasOthers(item.Event) {
			t.Errorf("what is known of %s is %+v, %v", b, item.Event, err)
		}
	}
	page := &a2a.TaskPage{Tasks: []*a2a.Task{{ID: "u", Status: a2a.Status{State: a2a.Working}}, task}, Size: 2, Total: 2}
	b, err := v10.EncodePage(page)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := v10.DecodePage(b); err != nil || !reflect.DeepEqual(again, page) {
		t.Errorf("%s became %+v, %v", b, again, err)
	}
	req := &a2a.SendRequest{Message: &m}
	if b, err = v10.EncodeSend(req, Envelope{}); err != nil {
		t.Fatal(err)
	}
	if again, err := v10.DecodeSend(b); err != nil || !reflect.DeepEqual(again.Message, &m) {
		t.Errorf("%s became %+v, %v", b, again, err)
	}
}

// TestMembersThatWeDoNotKnowAreBounded: they are kept with every object of a task,
// so an agent must not fill a ledger with them.
func TestMembersThatWeDoNotKnowAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		want    int
	}{
		"few":            {`"a":1,"b":{"c":[]}`, 2},
		"many":           {manyMembers(1000), a2a.MaxMembers},
		"a large one":    {`"a":"` + strings.Repeat("x", a2a.MaxMembersSize) + `","b":1`, 1},
		"large together": {`"a":"` + strings.Repeat("x", a2a.MaxMembersSize/2) + `","b":"` + strings.Repeat("x", a2a.MaxMembersSize/2) + `","c":1`, 2},
		"a deep one":     {`"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `,"b":1`, 1},
		"a long name":    {`"` + strings.Repeat("a", maxMemberName+1) + `":1,"b":1`, 1},
	} {
		item, err := v10.DecodeAnswer([]byte(`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"},` + c.members + `}}`))
		if err != nil {
			t.Fatal(name, err)
		}
		if got := item.Event.(*a2a.Task).Others; len(got) != c.want || got.Size() > a2a.MaxMembersSize {
			t.Errorf("%s: %d are kept with %d bytes, want %d", name, len(got), got.Size(), c.want)
		}
	}
}

func manyMembers(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"m%d":%d`, i, i)
	}
	return strings.Join(all, ",")
}

// FuzzOthers: what is kept is written so that it is read as the same again, and no
// name is there twice for anybody.
func FuzzOthers(f *testing.F) {
	seed(f, "answers")
	f.Add([]byte(`{"task":{"id":"t","status":{"message":{"parts":[],"a":{"b":[{}]}}},"artifacts":[null,{"parts":[],"role":1}],"history":[null,{"messageId":"m","parts":[],"z":"\u0000"}]}}`))
	f.Add([]byte(`{"message":{"parts":[],"iD":1,"taskid":2,"x":1e400}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := v10.DecodeAnswer(b)
		if err != nil {
			return
		}
		out, err := v10.EncodeEvent(item.Event)
		if err != nil {
			t.Fatalf("%q cannot be written: %v", b, err)
		}
		again, err := v10.DecodeAnswer(out)
		if err != nil {
			t.Fatalf("%s, which is %q, is %v", out, b, err)
		}
		stable, err := v10.EncodeEvent(again.Event)
		if err != nil || string(stable) != string(out) {
			t.Fatalf("%q became\n%s, and then\n%s, %v", b, out, stable, err)
		}
		if hasOthers(item.Event) && hasOthers(again.Event) != hasOthers(item.Event) {
			t.Fatalf("%q lost what %s has", b, out)
		}
		known, err := v10known.EncodeEvent(item.Event)
		if err != nil {
			t.Fatal(err)
		}
		if jsontext.Value(known).IsValid() && !jsontext.Value(out).IsValid() {
			t.Fatalf("%q became %s, where %s is unambiguous", b, out, known)
		}
		unambiguous(t, out)
	})
}

// unambiguous fails if an object of ours in out has two members that a reader which
// does not look at capitals takes for one.
func unambiguous(t *testing.T, out []byte) {
	var all map[string]map[string]json.RawMessage
	if json.Unmarshal(out, &all) != nil {
		t.Fatal(string(out))
	}
	for _, o := range all {
		for a := range o {
			for b := range o {
				if a != b && strings.EqualFold(a, b) && slices.Contains(eventNames, a) {
					t.Fatalf("%s has %q and %q", out, a, b)
				}
			}
		}
	}
}

// FuzzOthersOfUpdates: what an update says of a task joins it, and is then written
// as what is read as that task, whatever its agent calls the members.
func FuzzOthersOfUpdates(f *testing.F) {
	const task = `"id":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"real","parts":[]}]`
	f.Add([]byte(`{"task":{`+task+`}}`), []byte(`{"statusUpdate":{"taskId":"t","status":{},"artifacts":[{"artifactId":"forged","parts":[]}],"message":{"x":1},"error":{}}}`))
	f.Add([]byte(`{"task":{`+task+`,"artifactId":1,"gen":1}}`), []byte(`{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"real","parts":[],"role":"x"},"history":[],"gen":2}}`))
	for _, more := range []string{`"taskId":"t","gen":1`, `"final":true,"gen":1`, `"artifact":{"parts":[]}`, `"parts":[]`} {
		f.Add([]byte(`{"task":{`+task+`,`+more+`}}`), []byte(`{"statusUpdate":{"taskId":"t","status":{},`+more+`}}`))
	}
	f.Fuzz(func(t *testing.T, first, then []byte) {
		item, err := v10.DecodeAnswer(first)
		task, ok := item.Event.(*a2a.Task)
		if err != nil || !ok {
			return
		}
		if item, err = v10.DecodeAnswer(then); err == nil {
			task.Apply(item.Event)
		}
		known, err := v10known.EncodeTask(task)
		if err != nil {
			t.Fatal(err)
		}
		out, err := v10.EncodeTask(task)
		if err != nil || jsontext.Value(known).IsValid() && !jsontext.Value(out).IsValid() {
			t.Fatalf("%s and %s became %s, %v", first, then, out, err)
		}
		again, err := v10.DecodeTask(out)
		if err != nil || again.ID != task.ID || len(again.Artifacts) != len(task.Artifacts) || !reflect.DeepEqual(again.Others, task.Others) {
			t.Fatalf("%s and %s became %s, and then %+v, %v", first, then, out, again, err)
		}
		unambiguous(t, []byte(`{"task":`+string(out)+`}`))
	})
}

// TestKnownMembersThatWereKeptAreNotWrittenTwice: ledgers may have them since before
// one list said what they are.
func TestKnownMembersThatWereKeptAreNotWrittenTwice(t *testing.T) {
	forged := json.RawMessage(`[{"artifactId":"forged","parts":[]}]`)
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}, Others: a2a.Members{"artifacts": forged, "message": forged, "gen": forged}}
	task.Artifacts = []a2a.Artifact{{ID: "real", Parts: []a2a.Part{}, Others: a2a.Members{"name": forged}}}
	b, err := v10.EncodeTask(task)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"real","parts":[]}],"gen":[{"artifactId":"forged","parts":[]}]}`
	if string(b) != want || len(task.Others) != 3 {
		t.Errorf("got %s, want %s", b, want)
	}
}
