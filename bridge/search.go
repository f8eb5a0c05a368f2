package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"

	"github.com/google/uuid"
)

const (
	searchSkill  = "search"
	fetchSkill   = "fetch"
	searchBudget = 10 * time.Second // for each agent, all at once
	fetchBudget  = 20 * time.Second
	maxHits      = 50
)

// Hit is one search result, in the shape that ChatGPT asks for.
type Hit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"` // a person can open it
}

func (b *Bridge) search() mcp.Tool {
	return mcp.Tool{
		Name:         "search",
		Title:        "Search",
		Description:  "Search the agents, your earlier tasks and their results, and the documents of those agents that can be searched. Each result has an id for fetch and a url that the user can open.",
		InputSchema:  searchInput,
		OutputSchema: searchOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct {
				Query string `json:"query"`
			}
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			return exact(map[string][]Hit{"results": b.Search(ctx, args.Query)}, "")
		},
	}
}

// exactly is structured content, and the agent that it is about, "" if there is none.
type exactly struct {
	json.RawMessage
	agent string
}

// exact returns v as structured content and as exactly one text item with the
// same JSON: ChatGPT reads the text, others the structure.
func exact(v any, agent string) (*mcp.Result, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.Result{Content: []mcp.Content{mcp.Text(string(text))}, Structured: exactly{text, agent}}, nil
}

// Search asks every agent that has a search skill, all at once, and adds the
// caller's tasks and the agents that match themselves. An agent that fails or is late is left out and
// logged: the others' answers are worth more than the whole.
func (b *Bridge) Search(ctx context.Context, query string) []Hit {
	agents := b.Directory.Reachable(ctx)
	found := make([][]Hit, len(agents), len(agents)+2)
	var wg sync.WaitGroup
	for i, p := range agents {
		if _, ok := b.Directory.CardFor(ctx, p.Agent, p.Card()).Skill(searchSkill); !ok {
			continue
		}
		wg.Go(func() {
			hits, err := b.searchAgent(ctx, p, query)
			if err != nil {
				b.Log.Warn("searching an agent", "agent", p.Name, "err", err)
			}
			found[i] = hits
		})
	}
	wg.Wait()
	return interleave(append(found, b.findTasks(ctx, query), b.matchCards(ctx, agents, query)), maxHits)
}

// interleave takes the first of each list, then the second of each, so that
// no agent crowds out the others; an id appears once.
func interleave(lists [][]Hit, most int) []Hit {
	hits, seen, left := []Hit{}, map[string]bool{}, maxResult
	for row, more := 0, true; more; row++ {
		more = false
		for _, list := range lists {
			if row >= len(list) {
				continue
			}
			more = true
			h := list[row]
			if n := 3 * length(h); !seen[h.ID] && len(hits) < most && n <= left { // it stands there as JSON, and as JSON in a text
				seen[h.ID], left = true, left-n
				hits = append(hits, h)
			}
		}
	}
	return hits
}

func (b *Bridge) searchAgent(ctx context.Context, p *directory.Entry, query string) ([]Hit, error) {
	var answer struct {
		Results []json.RawMessage `json:"results"`
	}
	ctx, cancel := context.WithTimeout(ctx, searchBudget)
	defer cancel()
	if err := b.ask(ctx, p, searchSkill, "query", query, "results", &answer); err != nil {
		return nil, err
	}
	var hits []Hit
	_, fetches := b.Directory.CardFor(ctx, p.Agent, p.Card()).Skill(fetchSkill)
	for _, result := range answer.Results[:min(len(answer.Results), maxHits)] {
		var h Hit
		_ = json.Unmarshal(result, &h) // one that is none has no id
		if h.ID == "" || len(h.ID) > sanitize.MaxLink || sanitize.Text(h.ID) != h.ID {
			continue // it could not be fetched under the id that is shown
		}
		id := documentID(p.Name, h.ID)
		hit := Hit{ID: id, Title: titled(h.Title, h.ID), URL: b.openable(h.URL, id)}
		if fetches || hit.URL != b.documentURL(id) { // or nobody could open it
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// titled returns the title that an agent gave to a document, or the ID that it has
// there: apps show what is found by its title.
func titled(title, id string) string {
	return cmp.Or(strings.TrimSpace(sanitize.Short(title, 300)), sanitize.Short(id, 300))
}

// matchCards finds the agents whose name, description or skills hold every
// word of the query.
func (b *Bridge) matchCards(ctx context.Context, agents []*directory.Entry, query string) []Hit {
	words := ledger.QueryWords(query)
	var hits []Hit
	for _, p := range agents {
		card := b.Directory.CardFor(ctx, p.Agent, p.Card())
		text := ledger.Fold(p.Name + " " + directory.DescribeCard(card))
		match := len(words) > 0
		for _, w := range words {
			match = match && strings.Contains(text, w)
		}
		if match {
			id := agentID(p.Name)
			hits = append(hits, Hit{ID: id, Title: "Agent: " + sanitize.Label(card.Name), URL: b.documentURL(id)})
		}
	}
	return hits
}

// openable returns the agent's own link to a document if a browser can open
// it, and ours otherwise.
func (b *Bridge) openable(link, id string) string {
	u, err := url.Parse(link)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && len(link) <= sanitize.MaxLink && sanitize.Text(link) == link {
		return link
	}
	return b.documentURL(id)
}

// DocumentPath is where documents can be opened, under the bridge's URL; the
// escaped id follows.
const DocumentPath = "/documents/"

func (b *Bridge) documentURL(id string) string {
	return b.URL + DocumentPath + url.PathEscape(id)
}

// ask sends one argument to a skill, as text and as data, waits for the result
// and decodes into v the object in it that has the member. What is asked this
// way is short-lived and not in the ledger.
func (b *Bridge) ask(ctx context.Context, p *directory.Entry, skill, name, value, member string, v any) error {
	conn, err := b.Directory.ConnectFor(ctx, p, b.Directory.Caller(ctx).User)
	if err != nil {
		return err
	}
	data, err := a2a.DataPart(map[string]string{name: value})
	if err != nil {
		return err
	}
	about := b.Directory.Metadata(b.Directory.Effective(ctx), skill)
	event, err := conn.Send(ctx, &a2a.SendRequest{Metadata: about, Message: &a2a.Message{
		ID: uuid.NewString(), Role: a2a.RoleUser, Metadata: about, Parts: []a2a.Part{a2a.TextPart(value), data},
	}})
	if err != nil {
		return err
	}
	return decodeAnswer(event, member, v)
}

// decodeAnswer finds the data of an answer, in an artifact or in a message: the
// first JSON object that has the member.
func decodeAnswer(event a2a.Event, member string, v any) error {
	var parts []a2a.Part
	switch e := event.(type) {
	case *a2a.Message:
		parts = e.Parts
	case *a2a.Task:
		if s := e.Status; s.State != a2a.Completed {
			why := sanitize.Short(s.Message.Text(), 500)
			return a2a.Errorf(a2a.InvalidAgentResponse, "the agent's task is %s: %s", s.State, why)
		}
		for _, a := range e.Artifacts {
			parts = append(parts, a.Parts...)
		}
	}
	for _, p := range parts {
		var text []byte
		switch c := p.Content.(type) {
		case a2a.Data:
			text = c
		case a2a.Text:
			text = []byte(c)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) == nil && object[member] != nil && json.Unmarshal(text, v) == nil {
			return nil
		}
	}
	return a2a.Errorf(a2a.InvalidAgentResponse, "the agent's answer has no JSON object with %q", member)
}
