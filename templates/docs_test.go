package templates_test

import (
	"slices"
	"testing"

	"rialto/templates"
)

const smallAPI = `{
	"info": {"description": "Small."}, "security": [{"oauth": ["read"]}],
	"tags": [{"name": "a", "description": "All."}, {"name": "unused"}],
	"paths": {
		"/things/{id}": {
			"parameters": [{"$ref": "#/components/parameters/id"}],
			"get": {"tags": ["a"], "summary": "Show", "responses": {"200": {"description": "It", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}},
			"post": {"tags": ["a"], "summary": "Change", "security": [{"oauth": ["write"]}, {}], "responses": {},
				"requestBody": {"content": {"application/json": {"schema": {"type": "object"}, "example": {"it's": "<here>"}}}}}
		},
		"/old/{id}": {"$ref": "#/paths/~1things~1%7Bid%7D"},
		"/open": {"get": {"tags": ["a"], "security": [], "responses": {}}}
	},
	"components": {
		"parameters": {"id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}},
		"schemas": {"Thing": {"type": "object", "required": ["name"], "properties": {
			"name": {"type": "string", "description": "Its name", "example": "Door"}, "state": {"enum": ["on", "off"]}, "size": {"type": "integer", "minimum": 1, "maximum": 9},
			"parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}}}},
			"Part": {"type": "object", "example": {"name": "Handle"}, "required": ["name"], "properties": {"name": {"type": "string", "description": "Its name"}, "in": {"$ref": "#/components/schemas/Thing"}}}}
	}
}`

func TestTheDescriptionIsReadOutOfTheDocument(t *testing.T) {
	page, err := templates.ReadDocs("Rialto", "https://rialto.example", []byte(smallAPI))
	if err != nil || len(page.Groups) != 1 || len(page.Groups[0].Operations) != 3 || page.Description != "Small." {
		t.Fatalf("got %+v, %v", page, err)
	}
	open, show, change := page.Groups[0].Operations[0], page.Groups[0].Operations[1], page.Groups[0].Operations[2]
	if !open.Public || open.Example != `curl "https://rialto.example/open"` {
		t.Errorf("got %+v for what takes no token", open)
	}
	if !slices.Equal(show.Scopes, []string{"read"}) || !slices.Equal(show.Also, []string{"/old/{id}"}) || show.ID != "get-things-id" {
		t.Errorf("got %+v", show)
	}
	if p := show.Parameters; len(p) != 1 || p[0].Name != "id" || !p[0].Required || p[0].In != "path" {
		t.Errorf("got the parameters %+v", p)
	}
	members := show.Answers[0].Bodies[0].Members
	for _, want := range []templates.Member{
		{Name: "name", Type: "string", Words: "Its name", Required: true},
		{Name: "state", Type: "on | off"},
		{Name: "size", Type: "integer", Words: "(at least 1, at most 9)"},
		{Name: "parts[].name", Type: "string", Words: "Its name", Required: true},
	} {
		if !slices.Contains(members, want) {
			t.Errorf("%+v is not among %+v", want, members)
		}
	}
	if got, want := show.Answers[0].Bodies[0].Example, "{\n  \"name\": \"Door\",\n  \"parts\": [\n    {\n      \"name\": \"Handle\"\n    }\n  ]\n}"; got != want {
		t.Errorf("got the example %s, want %s", got, want)
	}
	if len(members) > 100 {
		t.Errorf("got %d members of a schema that holds itself", len(members))
	}
	if !change.Optional || change.Example != "curl \"https://rialto.example/things/$ID\" \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"it'\\''s\":\"<here>\"}'" {
		t.Errorf("got %+v", change)
	}
	if _, err := templates.ReadDocs("Rialto", "", []byte("{")); err == nil {
		t.Error("half a document was read")
	}
}

func TestASearchOfTheDescriptionSaysHowMuchItFound(t *testing.T) {
	page, err := templates.ReadDocs("Rialto", "", []byte(smallAPI))
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"OLD things":  "Operations that match: 2 Show all",
		"change /old": "Operations that match: 1 Show all",
		"nowhere":     "Nothing matches. Show all",
	} {
		if got := render(t, page.Matching(query), "").one(t, "#found").text(); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	if got := len(render(t, page.Matching(" "), "").all("#found")); got != 0 {
		t.Error("a search for nothing shows a count")
	}
}
