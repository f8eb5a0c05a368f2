package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// manyClients lets a user have two clients.
type manyClients struct{ byHeader }

func (manyClients) OwnerOf(principal string) string {
	return strings.TrimSuffix(principal, "'s other client")
}

// listing serves two resources of ann's, in addition to those that are everybody's.
func listing() *mcp.Server {
	s := changing()
	s.Templates = mcptest.Templates()
	s.Access = manyClients{}
	s.MoreResources = annsResources{}
	return s
}

type annsResources struct{}

func (annsResources) ListResources(_ context.Context, principal string) (all []mcp.Resource, err error) {
	if principal != "ann" {
		return nil, nil
	}
	for i := range 2 {
		all = append(all, mcp.Resource{URI: fmt.Sprintf("test://template/%d/data", i), Name: fmt.Sprint("ann's ", i)})
	}
	return all, nil
}

// uris lists the resources.
func uris(t *testing.T, c *client) (all []string) {
	t.Helper()
	_, body := c.do("1", "resources/list", "")
	var page struct {
		Resources []struct{ URI string }
		TTL       *int `json:"ttlMs"`
	}
	if err := json.Unmarshal([]byte(result(t, body)), &page); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if c.era.modern != (page.TTL != nil && *page.TTL == 0) {
		t.Errorf("got %s, want it to be good for now only, where that is said", body)
	}
	for _, r := range page.Resources {
		all = append(all, r.URI)
	}
	return all
}

func TestResourceListIsThePrincipalsOwn(t *testing.T) {
	srv := serve(t, listing())
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			ann, bob := &client{t: t, srv: srv, era: era, who: "ann"}, &client{t: t, srv: srv, era: era, who: "bob"}
			const everybodys = "test://static-text test://static-binary test://watched-resource"
			want := "[" + everybodys + " test://template/0/data test://template/1/data]"
			if got := fmt.Sprint(uris(t, ann)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got := fmt.Sprint(uris(t, bob)); got != "["+everybodys+"]" {
				t.Errorf("bob: got %s", got)
			}
			if _, body := ann.do("1", "resources/list", `"cursor":"x"`); !strings.Contains(body, "-32602") || !strings.Contains(body, "leave it out") {
				t.Errorf("an unknown cursor: got %s", body)
			}
		})
	}
}

func TestOwnersAreNotifiedOfTheirResources(t *testing.T) {
	s := listing()
	srv := serve(t, s)
	listen := func(who string) *bufio.Reader {
		ctx, hangUp := context.WithCancel(context.Background())
		t.Cleanup(hangUp)
		c := &client{t: t, srv: srv, era: eras[1], who: who}
		_, lines := open(ctx, c, "1", "subscriptions/listen", `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["test://a/b","test://ab"]}`)
		if ack := await(t, lines, "data: {"); !strings.Contains(ack, `"resourcesListChanged":true,"resourceSubscriptions":["test://a/b","test://ab"]`) {
			t.Errorf("got %s acknowledged", ack)
		}
		return lines
	}
	first, second, bob := listen("ann"), listen("ann's other client"), listen("bob")
	session := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	session.do("2", "resources/subscribe", `"uri":"test://a/b"`)
	_, old := session.get()
	await(t, old, ":")

	s.Changed(mcp.ResourceUpdated("test://a"), "ann") // and so what is below
	s.Changed(mcp.ResourcesChanged(), "ann")
	s.Changed(mcp.ToolsChanged(), "eve")
	s.Changed(mcp.ResourceUpdated("test://ab"))
	for name, c := range map[string]struct {
		lines *bufio.Reader
		want  []string
	}{
		"a client":                      {first, []string{`"uri":"test://a/b"`, "resources/list_changed", `"uri":"test://ab"`}},
		"another client of the owner's": {second, []string{`"uri":"test://a/b"`, "resources/list_changed", `"uri":"test://ab"`}},
		"a session":                     {old, []string{`"uri":"test://a/b"`, "resources/list_changed"}},
		"somebody else":                 {bob, []string{`"uri":"test://ab"`}},
	} {
		for _, want := range c.want {
			if got := await(t, c.lines, "data: {"); !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
}

func TestChangingListIsDeclared(t *testing.T) {
	for name, c := range map[string]struct {
		server *mcp.Server
		want   string
	}{
		"a list of its own": {listing(), `"resources":{"listChanged":true,"subscribe":true}`},
		"one for everybody": {changing(), `"resources":{"subscribe":true}`},
	} {
		res, body := (&client{t: t, srv: serve(t, c.server), era: eras[1]}).do("1", "server/discover", "")
		if res.StatusCode != http.StatusOK || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %s, want %s", name, body, c.want)
		}
	}
}
