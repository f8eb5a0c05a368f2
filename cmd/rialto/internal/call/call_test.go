package call_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/cmd/rialto/internal/call"
	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/term"
	"rialto/mcp/mcptest"
)

// fixture is a server for tests, of both eras or only the older one.
func fixture(legacy bool) http.Handler {
	server := mcptest.Server()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if legacy && r.Header.Get("Mcp-Protocol-Version") == "2026-07-28" {
			http.Error(w, "unsupported", http.StatusBadRequest)
			return
		}
		server.ServeHTTP(w, r)
	})
}

// answered calls a tool of the fixture with the lines that a person types, and returns what was
// printed and what was asked.
func answered(t *testing.T, legacy bool, typed string, words ...string) (printed, asked string) {
	t.Helper()
	server := httptest.NewServer(fixture(legacy))
	t.Cleanup(server.Close)
	var out, questions bytes.Buffer
	c := &call.Client{
		URL: server.URL, Version: "test", Login: &login.Login{Token: "none"},
		Dialog: term.NewDialog(strings.NewReader(typed), &questions), Err: &questions,
	}
	s, err := c.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tools, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if tool.Name != words[0] {
			continue
		}
		args, err := call.Arguments(tool, words[1:], nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Call(t.Context(), tool, args)
		if err != nil {
			t.Fatal(err)
		}
		p := &call.Printer{Out: &out, Output: t.TempDir()}
		if err := p.Result(t.Context(), s, r); err != nil {
			t.Fatal(err)
		}
		return out.String(), questions.String()
	}
	t.Fatalf("the server has no tool %s", words[0])
	return "", ""
}

func TestTheQuestionsOfAServerAreAsked(t *testing.T) {
	for _, c := range []struct {
		name, tool, typed string
		legacyToo         bool
		args              []string
		want, wantAsked   string
	}{
		{"text", "test_elicitation", "ada\nada@example.com\n", true, []string{"message=Who are you?"}, `{"email":"ada@example.com","username":"ada"}`, "User's response\n  username: "},
		{"a required answer is asked for again", "test_elicitation", "\nada\nx@y.zz\n", false, []string{"message=Who?"}, `"username":"ada"`, "Fill this in."},
		{"nobody answers", "test_elicitation", "", true, []string{"message=Who?"}, "action=cancel", " asks: Who?"},
		{"defaults", "test_elicitation_sep1034_defaults", "\n\n\n\n\n", true, nil, `{"age":30,"name":"John Doe","score":95.5,"status":"active","verified":true}`, "age (default 30)"},
		{"types", "test_elicitation_sep1034_defaults", "x\n31\nEve\n1.5\n2\nn\n", true, nil, `{"age":31,"name":"Eve","score":1.5,"status":"inactive","verified":false}`, "This must be a"},
		{"choices", "test_elicitation_sep1330_enums", "2\nFirst choice,3\nsecond option\n4\n1,2\noption3\n", true, nil,
			`{"legacyEnum":"opt2","titledMulti":["value1","value3"],"titledSingle":"value2","untitledMulti":["option1","option2"],"untitledSingle":"option3"}`, "Choose one of the options."},
		{"one after the other", "test_input_required_result_multi_round", "Ada\nblue\n", false, nil, `{"name":"Ada"}`, "Step 2: What is your favorite color?"},
		{"a page", "test_elicitation_url", "\n", true, nil, "accept", "https://example.com/sign-in"},
		{"a page that is declined", "test_elicitation_url", "n\n", true, nil, "decline", "https://example.com/sign-in"},
	} {
		for _, legacy := range []bool{false, true} {
			if legacy && !c.legacyToo {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				printed, asked := answered(t, legacy, c.typed, append([]string{c.tool}, c.args...)...)
				if !strings.Contains(printed, c.want) {
					t.Errorf("legacy %v: got %s, want %s; asked\n%s", legacy, printed, c.want, asked)
				}
				if !strings.Contains(asked, c.wantAsked) {
					t.Errorf("legacy %v: asked %s, want %s", legacy, asked, c.wantAsked)
				}
			})
		}
	}
}

func TestArgumentsAreReadByTheSchema(t *testing.T) {
	tool := &mcp.Tool{Name: "x", InputSchema: map[string]any{
		"type": "object", "required": []string{"text"}, "additionalProperties": false,
		"properties": map[string]any{
			"text": map[string]any{"type": "string"}, "n": map[string]any{"type": "integer"}, "yes": map[string]any{"type": "boolean"},
			"list": map[string]any{"type": "array", "items": map[string]any{"type": "string"}}, "data": map[string]any{"type": "object"},
			"files": map[string]any{"type": "array", "items": map[string]any{"properties": map[string]any{"bytes": map[string]any{"type": "string"}}}},
		},
	}}
	for _, c := range []struct {
		words string
		want  string // JSON, or a part of the error
	}{
		{"text=1=2", `{"text":"1=2"}`},
		{"text:=3", `{"text":3}`},
		{"text=a n=3 yes=true", `{"n":3,"text":"a","yes":true}`},
		{`text=a list=b list=c`, `{"list":["b","c"],"text":"a"}`},
		{`text=a list=["b"]`, `{"list":["b"],"text":"a"}`},
		{`text=a data={"k":[1]}`, `{"data":{"k":[1]},"text":"a"}`},
		{"text=@- n=1", `{"n":1,"text":"typed"}`},
		{"text=a files=@-", `{"files":[{"bytes":"dHlwZWQ=","media_type":"application/octet-stream","name":"-"}],"text":"a"}`},
		{"n=x text=a", `n: "x" is not of type integer`},
		{"n=1", "x needs text=…"},
		{"other=1 text=a", `x has no argument "other"; it takes text, data, files, list, n, yes`},
		{"hello", "write it as key=value"},
		{"text=@nowhere", "nowhere"},
	} {
		args, err := call.Arguments(tool, strings.Fields(c.words), strings.NewReader("typed"))
		var got bytes.Buffer
		if err != nil {
			got.WriteString(err.Error())
		} else if err := (&call.Printer{Out: &got}).JSON(args); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(got.String()), ""), strings.ReplaceAll(c.want, " ", "")) {
			t.Errorf("%s: got %s, want %s", c.words, &got, c.want)
		}
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	c := &call.Client{URL: gone.URL, Login: &login.Login{Token: "x"}, Dialog: term.NewDialog(strings.NewReader(""), &bytes.Buffer{}), Err: &bytes.Buffer{}}
	if _, err := c.Connect(context.Background()); !errors.Is(err, call.ErrUnreachable) {
		t.Errorf("got %v, want ErrUnreachable", err)
	}
}
