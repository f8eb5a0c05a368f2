package server

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"rialto/cmd/rialto/internal/config"
)

// The shapes of the documents, after SEP-2127, the draft of the AI catalog and the registry's
// schema 2025-12-11. Other members are not allowed.
const (
	serverCardSchema = `{"type":"object","additionalProperties":false,"properties":{
		"$schema":{"const":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"},
		"name":{"type":"string","minLength":3,"maxLength":200,"pattern":"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
		"version":{"type":"string","minLength":1,"maxLength":255},
		"description":{"type":"string","minLength":1,"maxLength":100},
		"title":{"type":"string","minLength":1,"maxLength":100},
		"websiteUrl":{"type":"string"},
		"icons":{"type":"array","items":{"type":"object","required":["src"]}},
		"remotes":{"type":"array","minItems":1,"items":{"type":"object","required":["type","url"],"properties":{
			"type":{"enum":["streamable-http","sse"]},"url":{"type":"string","pattern":"^https?://"},
			"supportedProtocolVersions":{"type":"array","items":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$"}}}}}},
		"required":["$schema","name","version","description"]}`
	catalogSchema = `{"type":"object","additionalProperties":false,"required":["specVersion","entries"],"properties":{
		"specVersion":{"const":"1.0"},
		"entries":{"type":"array","items":{"type":"object","required":["identifier","type","url"],"properties":{
			"identifier":{"type":"string","pattern":"^urn:air:[a-z0-9.-]+:(mcp|a2a):[a-z0-9_-]+$"},
			"type":{"enum":["application/mcp-server-card+json","application/a2a-agent-card+json"]},
			"url":{"type":"string","pattern":"^https?://"}}}}}}`
	registrySchema = `{"type":"object","additionalProperties":false,"required":["$schema","name","description","version","packages"],"properties":{
		"$schema":{"const":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
		"name":{"type":"string","minLength":3,"maxLength":200,"pattern":"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
		"title":{"type":"string","minLength":1,"maxLength":100},
		"description":{"type":"string","minLength":1,"maxLength":100},
		"version":{"type":"string","pattern":"^\\d+\\.\\d+\\.\\d+(-[a-z0-9.]+)?$"},
		"packages":{"type":"array","minItems":1,"items":{"type":"object","required":["registryType","identifier","transport"],"properties":{
			"registryType":{"const":"oci"},"identifier":{"type":"string","pattern":":\\d+\\.\\d+\\.\\d+(-[a-z0-9.]+)?$"},
			"transport":{"type":"object","required":["type","url"],"properties":{"type":{"const":"streamable-http"},"url":{"type":"string"}}}}}}}}`
)

func wantShape(t *testing.T, schema, document string) {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%v in %s", err, document)
	}
}

// TestEverybodyFindsTheServerCard reads it at each address, as a crawler and as a page.
func TestEverybodyFindsTheServerCard(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/mcp/server-card", "/.well-known/mcp/server-card.json", "/.well-known/mcp-server-card.json"} {
		got := r.do("GET", path, "", "", "Origin: https://crawler.example")
		wantShape(t, serverCardSchema, got.body)
		for name, want := range map[string]string{
			"Content-Type": "application/mcp-server-card+json", "Cache-Control": "public, max-age=3600",
			"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag",
		} {
			if is := got.header.Get(name); got.status != 200 || is != want {
				t.Errorf("%s: got %d and %s %q, want %q", path, got.status, name, is, want)
			}
		}
		if again := r.do("GET", path, "", "", "If-None-Match: "+got.header.Get("ETag")); again.status != 304 || again.body != "" {
			t.Errorf("%s: got %d %s, want 304", path, again.status, again.body)
		}
		if !strings.Contains(got.body, `"url":"`+r.cfg.Load().URL+`/mcp"`) {
			t.Errorf("%s: got %s, want the MCP endpoint in it", path, got.body)
		}
	}
}

// listedURLs reads the catalog and returns the URLs in it, without the origin.
func (r *rig) listedURLs(path string) (urls []string, etag string) {
	r.t.Helper()
	got := r.do("GET", path, "", "")
	wantShape(r.t, catalogSchema, got.body)
	if kind := got.header.Get("Content-Type"); kind != "application/ai-catalog+json" || got.header.Get("Access-Control-Allow-Origin") != "*" {
		r.t.Errorf("%s: got %v", path, got.header)
	}
	var list struct{ Entries []struct{ URL string } }
	got.decode(r.t, &list)
	for _, e := range list.Entries {
		urls = append(urls, strings.TrimPrefix(e.URL, r.cfg.Load().URL))
	}
	return urls, got.header.Get("ETag")
}

// TestTheCatalogListsWhatIsPublic reads it while agents change, and everything that it names.
func TestTheCatalogListsWhatIsPublic(t *testing.T) {
	set := func(c *config.Config) {
		c.Agents = []config.Agent{
			{Name: "one", URL: newCardAgent(t, plainCard).url},
			{Name: "two", URL: newCardAgent(t, plainCard).url},
			{Name: "secret", URL: newCardAgent(t, plainCard).url, UseCases: []string{"claims"}},
		}
	}
	r := newRigWith(t, set)
	const card, one, two = "/mcp/server-card", "/a2a/one/.well-known/agent-card.json", "/a2a/two/.well-known/agent-card.json"
	var first string
	for _, path := range []string{"/.well-known/ai-catalog.json", "/.well-known/mcp/catalog.json"} {
		var urls []string
		if urls, first = r.listedURLs(path); !slices.Equal(urls, []string{card, one, two}) {
			t.Errorf("got %v", urls)
		}
		for _, u := range urls {
			if got := r.do("GET", u, "", ""); got.status != 200 {
				t.Errorf("%s: got %d %s", u, got.status, got.body)
			}
		}
		if again := r.do("GET", path, "", "", "If-None-Match: "+first); again.status != 304 {
			t.Errorf("got %d, want 304", again.status)
		}
	}
	if _, err := r.agents.Disable(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if urls, etag := r.listedURLs("/.well-known/ai-catalog.json"); !slices.Equal(urls, []string{card, one}) || etag == first {
		t.Errorf("got %v after an agent was disabled, %s", urls, etag)
	}
	closed := newRigWith(t, func(c *config.Config) { set(c); c.MCP.PublicListing = false })
	if urls, _ := closed.listedURLs("/.well-known/ai-catalog.json"); !slices.Equal(urls, []string{card}) {
		t.Errorf("got %v without public_listing", urls)
	}
}

// TestTheRegistryFileHasItsShape checks deploy/server.json, which `mcp-publisher publish` takes.
func TestTheRegistryFileHasItsShape(t *testing.T) {
	b, err := os.ReadFile("../../../../deploy/server.json")
	if err != nil {
		t.Fatal(err)
	}
	wantShape(t, registrySchema, string(b))
	var file struct {
		Version  string
		Packages []struct{ Identifier string }
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(file.Packages[0].Identifier, ":"+file.Version) {
		t.Errorf("the image %s is not of version %s", file.Packages[0].Identifier, file.Version)
	}
}
