package form_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"rialto/bridge/form"
)

const trip = `{"type":"object","title":"Trip","properties":{
	"to":{"type":"string","title":"Where to","minLength":2,"maxLength":20,"pattern":"x"},
	"class":{"type":"string","enum":["eco","biz"],"enumNames":["Economy","Business"],"default":"eco"},
	"meal":{"type":"string","oneOf":[{"const":"v","title":"Vegetarian"},{"const":"n"}]},
	"seats":{"type":"integer","minimum":1,"maximum":9,"default":1},
	"budget":{"type":"number","minimum":0.5},
	"mail":{"type":"string","format":"email"},
	"site":{"type":"string","format":"uri"},
	"day":{"type":"string","format":"date"},
	"at":{"type":"string","format":"date-time"},
	"back":{"type":"boolean","default":true}
},"required":["to","seats"],"x-secret":"y"}`

func TestASchemaBecomesAFormInItsOrder(t *testing.T) {
	f, ok := form.Read([]byte(trip))
	if !ok {
		t.Fatal("the schema was not read")
	}
	var got []string
	for _, field := range f.Fields {
		got = append(got, field.Name)
	}
	if want := []string{"to", "class", "meal", "seats", "budget", "mail", "site", "day", "at", "back"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if to := f.Fields[0]; to.Label() != "Where to" || !to.Required || f.Fields[1].Default != "eco" || f.Fields[9].Default != "true" || f.Fields[2].Choices[1].Title != "n" {
		t.Errorf("got %+v", f)
	}
}

func TestAFormIsASchemaAgain(t *testing.T) {
	f, _ := form.Read([]byte(trip))
	again, ok := form.Read(f.Schema())
	if !ok || !reflect.DeepEqual(f, again) {
		t.Errorf("got %+v, want %+v\n%s", again, f, f.Schema())
	}
	if strings.Contains(string(f.Schema()), "secret") || strings.Contains(string(f.Schema()), "pattern") {
		t.Errorf("the schema holds what the form has not: %s", f.Schema())
	}
}

func TestASchemaIsFoundBesideOtherThings(t *testing.T) {
	for _, wrapper := range []string{"requestedSchema", "schema", "form"} {
		if _, ok := form.Read([]byte(`{"type":"form","` + wrapper + `":` + trip + `}`)); !ok {
			t.Errorf("the schema in %q was not found", wrapper)
		}
	}
}

func TestWhatAPersonCannotFillInIsNoForm(t *testing.T) {
	many := make([]string, 51)
	for i := range many {
		many[i] = `"a` + strings.Repeat("b", i) + `":{"type":"string"}`
	}
	for name, schema := range map[string]string{
		"not JSON":                  `{`,
		"other data":                `{"rows":[1,2]}`,
		"no fields":                 `{"type":"object","properties":{}}`,
		"a list":                    `{"type":"object","properties":{"a":{"type":"array"}}}`,
		"an object in it":           `{"type":"object","properties":{"a":{"type":"object"}}}`,
		"a field that is not there": `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`,
		"a name with a line break":  `{"type":"object","properties":{"a\nb":{"type":"string"}}}`,
		"one name twice":            `{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"number"}}}`,
		"a schema that is itself":   `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
		"objects without end":       `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
		"a tree":                    `{"$defs":{"T":{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}}}},"type":"object","properties":{"a":{"$ref":"#/$defs/T"}}}`,
		"a list of objects":         `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}}}`,
		"no text that is so long":   `{"type":"object","properties":{"a":{"type":"string","minLength":5,"maxLength":2}}}`,
		"one of several types":      `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`,
		"a name that is made twice": `{"type":"object","properties":{"a.b":{"type":"string"},"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`,
		"a hidden choice":           `{"type":"object","properties":{"a":{"type":"string","enum":["x\u0000"]}}}`,
		"too many fields":           `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
		"a schema without end":      `{"type":"object","title":"` + strings.Repeat("x", 70_000) + `","properties":{"a":{"type":"string"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if f, ok := form.Read([]byte(schema)); ok {
				t.Errorf("got %+v, want none", f)
			}
		})
	}
}

func TestWhatIsFilledInIsRead(t *testing.T) {
	f, _ := form.Read([]byte(trip))
	values := map[string]string{"to": " Oslo ", "class": "biz", "seats": "2", "budget": "99.5", "mail": "a@b.example", "site": "https://a.example/", "day": "2026-01-31", "at": "2026-01-31T09:30:00+01:00", "back": "true"}
	content, problems := f.Fill(func(name string) string { return values[name] })
	if len(problems) > 0 {
		t.Fatalf("got %v", problems)
	}
	want := `{"to":"Oslo","class":"biz","seats":2,"budget":99.5,"mail":"a@b.example","site":"https://a.example/","day":"2026-01-31","at":"2026-01-31T09:30:00+01:00","back":true}`
	if string(content) != want || !json.Valid(content) {
		t.Errorf("got %s, want %s", content, want)
	}
	if got, want := f.Words(content), "Where to: Oslo\nclass: biz\nseats: 2\nbudget: 99.5"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin with %q", got, want)
	}
}

func TestWhatIsFilledInWronglyIsSaid(t *testing.T) {
	f, _ := form.Read([]byte(trip))
	good := map[string]string{"to": "Oslo", "seats": "2"}
	for name, c := range map[string]struct{ field, value, says string }{
		"left empty":         {"to", "  ", "Fill this in."},
		"too short":          {"to", "x", "Enter at least {} characters."},
		"too long":           {"to", strings.Repeat("é", 21), "Enter at most {} characters."},
		"no such choice":     {"class", "first", "Choose one of the options."},
		"a title, no value":  {"class", "Economy", "Choose one of the options."},
		"not a number":       {"seats", "two", "This must be a number."},
		"not a number to us": {"budget", "0x10", "This must be a number."},
		"no end":             {"budget", "inf", "This must be a number."},
		"not whole":          {"seats", "1.5", "This must be a whole number."},
		"too little":         {"budget", "0.4", "This must be {} or more."},
		"too much":           {"seats", "10", "This must be {} or less."},
		"not an address":     {"mail", "Ann <a@b.example>", "This must be an e-mail address."},
		"not a whole URL":    {"site", "example.com", "This must be a whole address, such as https://example.com/."},
		"no such day":        {"day", "2026-02-30", "This must be a date, such as 2026-01-31."},
		"no time":            {"at", "2026-01-31", "This must be a date and a time, such as 2026-01-31T09:30:00Z."},
	} {
		t.Run(name, func(t *testing.T) {
			content, problems := f.Fill(func(field string) string {
				if field == c.field {
					return c.value
				}
				return good[field]
			})
			if got := problems[c.field].Sentence; got != c.says || content != nil || len(problems) != 1 {
				t.Errorf("got %v and %s, want %q only", problems, content, c.says)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(trip)
	f.Fuzz(func(t *testing.T, schema string) {
		got, ok := form.Read([]byte(schema))
		if !ok {
			return
		}
		if !json.Valid(got.Schema()) {
			t.Fatalf("its schema is no JSON: %s", got.Schema())
		}
		if content, problems := got.Fill(func(string) string { return "1" }); len(problems) == 0 && !json.Valid(content) {
			t.Fatalf("what was filled in is no JSON: %s", content)
		}
	})
}

// TestSchemasThatProgramsMakeAreForms reads what libraries make of types (references, what
// may be null, numbers to choose from, lists, objects in objects), and returns what was
// filled in as the schema has it: from the page, and from a client whose forms have only
// text, numbers and booleans.
func TestSchemasThatProgramsMakeAreForms(t *testing.T) {
	for name, c := range map[string]struct {
		schema string
		page   map[string]string // what stands in the fields
		client string            // what a client sends
		asked  string            // in the schema for clients
		want   string            // "" is that it is refused
	}{
		"a reference": {
			schema: `{"$defs":{"C":{"type":"string","enum":["red","blue"]}},"type":"object","properties":{"c":{"$ref":"#/$defs/C"}},"required":["c"]}`,
			page:   map[string]string{"c": "red"}, client: `{"c":"red"}`, asked: `"enum":["red","blue"]`, want: `{"c":"red"}`,
		},
		"what may be null": {
			schema: `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"default":null,"title":"N"},"s":{"type":["string","null"]}}}`,
			page:   map[string]string{"n": "3"}, client: `{"n":3}`, asked: `"n":{"type":"integer","title":"N","minimum":1}`, want: `{"n":3}`,
		},
		"all of one": {
			schema: `{"definitions":{"S":{"type":"string","title":"Size"}},"type":"object","properties":{"s":{"allOf":[{"$ref":"#/definitions/S"}],"description":"How large."}}}`,
			page:   map[string]string{"s": "9"}, client: `{"s":"9"}`, asked: `"title":"Size","description":"How large."`, want: `{"s":"9"}`,
		},
		"numbers to choose from": {
			schema: `{"type":"object","properties":{"stars":{"type":"integer","enum":[1,2]},"x":{"oneOf":[{"const":0.5,"title":"Half"},{"const":1,"title":"One"}]}}}`,
			page:   map[string]string{"stars": "2", "x": "0.5"}, client: `{"stars":"2","x":"0.5"}`, asked: `"enum":["0.5","1"],"enumNames":["Half","One"]`, want: `{"stars":2,"x":0.5}`,
		},
		"a list of choices": {
			schema: `{"type":"object","properties":{"days":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"m","title":"Monday"},{"const":"t","title":"Tuesday"}]}}},"required":["days"]}`,
			page:   map[string]string{"days": "m\nt"}, client: `{"days":"monday, t"}`, asked: `Any of: Monday, Tuesday.`, want: `{"days":["m","t"]}`,
		},
		"a list with something else": {
			schema: `{"type":"object","properties":{"days":{"type":"array","items":{"enum":["m","t"]}}}}`,
			page:   map[string]string{"days": "m\nx"}, client: `{"days":"m,x"}`, asked: `"type":"string"`,
		},
		"a list of numbers": {
			schema: `{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"},"default":[1,2]}}}`,
			page:   map[string]string{"n": "4\r\n5"}, client: `{"n":"4,5"}`, asked: `"default":"1, 2"`, want: `{"n":[4,5]}`,
		},
		"an object in it": {
			schema: `{"type":"object","properties":{"name":{"type":"string"},"home":{"type":"object","title":"Home","properties":{"street":{"type":"string","title":"Street"},"no":{"type":"integer"}},"required":["street"]}},"required":["home"]}`,
			page:   map[string]string{"home.street": "Elm", "home.no": "7"}, client: `{"home.street":"Elm","home.no":7}`, asked: `"home.street":{"type":"string","title":"Home: Street"}`,
			want: `{"home":{"no":7,"street":"Elm"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, ok := form.Read([]byte(c.schema))
			if !ok {
				t.Fatal("no form")
			}
			if got := string(f.Schema()); !json.Valid(f.Schema()) || !strings.Contains(got, c.asked) {
				t.Errorf("clients get %s, want %s in it", got, c.asked)
			}
			filled, problems := f.Fill(func(name string) string { return c.page[name] })
			if (len(problems) > 0) != (c.want == "") {
				t.Fatalf("on the page: %v", problems)
			}
			for from, content := range map[string]json.RawMessage{"the page": filled, "a client": json.RawMessage(c.client)} {
				got, ok := f.Object(content)
				if string(got) != c.want || ok != (c.want != "") && content != nil {
					t.Errorf("from %s: got %s, %v, want %s", from, got, ok, c.want)
				}
			}
		})
	}
}

// TestAListIsSaidInWords is for agents that read words only.
func TestAListIsSaidInWords(t *testing.T) {
	f, _ := form.Read([]byte(`{"type":"object","properties":{"days":{"type":"array","title":"Days","items":{"type":"string"}}}}`))
	for _, content := range []string{`{"days":["m","t"]}`, `{"days":"m, t"}`} {
		if got := f.Words(json.RawMessage(content)); got != "Days: m, t" {
			t.Errorf("got %q", got)
		}
	}
}
