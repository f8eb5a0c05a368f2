package form_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"rialto/bridge/form"
)

// words stands in for what makes texts of agents fit to be shown.
func words(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), most)]
}

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
	f, ok := form.Read([]byte(trip), words)
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
	f, _ := form.Read([]byte(trip), words)
	again, ok := form.Read(f.Schema(), words)
	if !ok || !reflect.DeepEqual(f, again) {
		t.Errorf("got %+v, want %+v\n%s", again, f, f.Schema())
	}
	if strings.Contains(string(f.Schema()), "secret") || strings.Contains(string(f.Schema()), "pattern") {
		t.Errorf("the schema holds what the form has not: %s", f.Schema())
	}
}

func TestASchemaIsFoundBesideOtherThings(t *testing.T) {
	for _, wrapper := range []string{"requestedSchema", "schema", "form"} {
		if _, ok := form.Read([]byte(`{"type":"form","`+wrapper+`":`+trip+`}`), words); !ok {
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
		"a hidden choice":           `{"type":"object","properties":{"a":{"type":"string","enum":["x\u0000"]}}}`,
		"too many fields":           `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
		"a schema without end":      `{"type":"object","title":"` + strings.Repeat("x", 70_000) + `","properties":{"a":{"type":"string"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if f, ok := form.Read([]byte(schema), words); ok {
				t.Errorf("got %+v, want none", f)
			}
		})
	}
}

func TestWhatIsFilledInIsRead(t *testing.T) {
	f, _ := form.Read([]byte(trip), words)
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
	f, _ := form.Read([]byte(trip), words)
	good := map[string]string{"to": "Oslo", "seats": "2"}
	for name, c := range map[string]struct{ field, value, says string }{
		"left empty":         {"to", "  ", "Fill this in."},
		"too short":          {"to", "x", "This needs {} characters at least."},
		"too long":           {"to", strings.Repeat("é", 21), "This may have {} characters at most."},
		"no such choice":     {"class", "first", "Choose one of these."},
		"a title, no value":  {"class", "Economy", "Choose one of these."},
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
		got, ok := form.Read([]byte(schema), words)
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
