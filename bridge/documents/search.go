package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

const (
	SearchSkill  = "search"
	FetchSkill   = "fetch"
	searchBudget = 10 * time.Second // for each agent, all at once
	fetchBudget  = 20 * time.Second
	maxHits      = 50
)

// Hit is a search result, in the shape of ChatGPT connectors.
type Hit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"` // a person can open it
}

// Search asks all agents with a search skill at once, and adds matching tasks of the
// caller and matching agents. An agent that fails or is late is omitted and logged.
func (sv *Service) Search(ctx context.Context, access directory.Access, query string) []Hit {
	agents := sv.Directory.Reachable(ctx, access)
	found := make([][]Hit, len(agents), len(agents)+2)
	var wg sync.WaitGroup
	for i, p := range agents {
		if _, ok := access.Card(p, p.Card()).Skill(SearchSkill); !ok {
			continue
		}
		wg.Go(func() {
			hits, err := sv.searchAgent(ctx, access, p, query)
			if err != nil {
				sv.Log.WarnContext(ctx, "searching an agent", "agent", p.Name, "err", err)
			}
			found[i] = hits
		})
	}

	wg.Wait()
	return interleave(
		append(found, sv.findTasks(ctx, access, query), sv.matchCards(access, agents, query)),
		maxHits,
	)
}

// interleave takes the first hit of each list, then the second, and so on, so that all
// agents are represented. Each id appears once.
func interleave(lists [][]Hit, most int) []Hit {
	hits := []Hit{}
	seen := map[string]bool{}
	left := MaxResult
	for row, more := 0, true; more; row++ {
		more = false
		for _, list := range lists {
			if row >= len(list) {
				continue
			}
			more = true
			h := list[row]
			if n := 3 * Length(h); !seen[h.ID] && len(hits) < most &&
				n <= left { // it stands there as JSON, and as JSON in a text
				seen[h.ID], left = true, left-n
				hits = append(hits, h)
			}
		}
	}

	return hits
}

func (sv *Service) searchAgent(
	ctx context.Context, access directory.Access, p *directory.Agent, query string,
) ([]Hit, error) {
	var answer struct {
		Results []json.RawMessage `json:"results"`
	}
	ctx, cancel := context.WithTimeout(ctx, searchBudget)
	defer cancel()
	if err := sv.askSkill(
		ctx,
		access,
		p,
		SearchSkill,
		"query",
		query,
		"results",
		&answer,
	); err != nil {
		return nil, err
	}

	var hits []Hit
	_, fetches := access.Card(p, p.Card()).Skill(FetchSkill)
	for _, result := range answer.Results[:min(len(answer.Results), maxHits)] {
		var h Hit
		_ = json.Unmarshal(result, &h) // one that is none has no id
		if h.ID == "" || len(h.ID) > sanitize.MaxLink || sanitize.Text(h.ID) != h.ID {
			continue // it could not be fetched under the id that is shown
		}
		id := documentID(p.Name, h.ID)
		hit := Hit{ID: id, Title: titled(h.Title, h.ID), URL: sv.openable(h.URL, id)}
		if fetches || hit.URL != sv.DocumentURL(id) { // otherwise the hit could not be opened
			hits = append(hits, hit)
		}
	}

	return hits, nil
}

// titled returns the title of a document, or its id, because apps show titles.
func titled(title, id string) string {
	return cmp.Or(strings.TrimSpace(sanitize.Short(title, 300)), sanitize.Short(id, 300))
}

func (sv *Service) matchCards(
	access directory.Access, agents []*directory.Agent, query string,
) []Hit {
	words := ledger.QueryWords(query)
	var hits []Hit
	for _, p := range agents {
		card := access.Card(p, p.Card())
		text := p.Name + " " + directory.DescribeCard(card)
		if len(words) > 0 && containsAll(text, words) {
			id := agentID(p.Name)
			hits = append(
				hits,
				Hit{ID: id, Title: "Agent: " + sanitize.Label(card.Name), URL: sv.DocumentURL(id)},
			)
		}
	}

	return hits
}

// containsAll reports whether a text contains all words of a query.
func containsAll(text string, words []string) bool {
	text = ledger.Fold(text)
	return !slices.ContainsFunc(
		words, func(word string) bool { return !strings.Contains(text, word) },
	)
}

// openable returns the link of an agent to its document if a browser can open it, and
// our own otherwise.
func (sv *Service) openable(link, id string) string {
	u, err := url.Parse(link)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil &&
		len(link) <= sanitize.MaxLink &&
		sanitize.Text(link) == link {
		return link
	}
	return sv.DocumentURL(id)
}

// DocumentPath is the path of documents; the escaped id follows.
const DocumentPath = "/documents/"

func (sv *Service) DocumentURL(id string) string {
	return sv.URL + DocumentPath + url.PathEscape(id)
}

// askSkill sends one argument to a skill, as text and as data, and decodes the object
// with the member from the answer into v. The request is not in the ledger.
func (sv *Service) askSkill(
	ctx context.Context, access directory.Access, p *directory.Agent,
	skill, name, value, member string, v any,
) error {
	conn, err := sv.Directory.ConnectFor(ctx, p, access.User())
	if err != nil {
		return err
	}
	data, err := a2a.DataPart(map[string]string{name: value})
	if err != nil {
		return err
	}

	about := access.Metadata(a2a.Metadata{directory.SkillKey: skill})
	event, err := conn.Send(ctx, &a2a.SendRequest{Metadata: about, Message: &a2a.Message{
		ID:       uuid.NewString(),
		Role:     a2a.RoleUser,
		Metadata: about,
		Parts:    []a2a.Part{a2a.TextPart(value), data},
	}})
	if err != nil {
		return err
	}

	return decodeAnswer(event, member, v)
}

// decodeAnswer decodes the first JSON object of an answer that has the member.
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
		if json.Unmarshal(text, &object) == nil && object[member] != nil &&
			json.Unmarshal(text, v) == nil {
			return nil
		}
	}

	return a2a.Errorf(
		a2a.InvalidAgentResponse, "the agent's answer has no JSON object with %q", member,
	)
}
