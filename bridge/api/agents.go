package api

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"

	"rialto/bridge/directory"
)

// Agent is what the registry tells of one agent.
type Agent struct {
	ID          string                `json:"id"`
	Title       string                `json:"title,omitempty"`
	Description string                `json:"description,omitempty"`
	Version     string                `json:"version,omitempty"`
	Default     bool                  `json:"default"`
	Available   bool                  `json:"available"`
	Problem     string                `json:"problem,omitempty"` // why it is not
	Skills      []directory.SkillInfo `json:"skills"`
	URL         string                `json:"url"` // of its A2A endpoint
	Card        string                `json:"card_url"`
}

// The sizes of pages.
const (
	defaultPage = 20
	largestPage = 100
)

// agents lists the agents that are for the caller, in the operator's order.
func (a *API) agents(r *http.Request) (any, error) {
	size, err := pageSize(r)
	if err != nil {
		return nil, err
	}

	infos := a.Bridge.Directory.Infos(r.Context(), a.access(r))
	start := 0
	if token := r.URL.Query().Get("page_token"); token != "" {
		after, err := base64.RawURLEncoding.DecodeString(token)
		start = slices.IndexFunc(infos, func(i directory.Info) bool { return i.Name == string(after) }) +
			1
		if err != nil || start == 0 {
			return nil, errPageToken
		}
	}

	page := struct {
		Agents []Agent `json:"agents"`
		Next   string  `json:"next_page_token"`
		Total  int     `json:"total_size"`
	}{Agents: []Agent{}, Total: len(infos)}
	end := min(start+size, len(infos))
	for _, i := range infos[start:end] {
		url := a.URL + directory.AgentPath + i.Name
		page.Agents = append(page.Agents, Agent{
			ID:          i.Name,
			Title:       i.Title,
			Description: i.Description,
			Version:     i.Version,
			Default:     i.Default,
			Available:   i.Available,
			Problem:     i.Problem,
			Skills:      i.Skills,
			URL:         url,
			Card:        url + "/.well-known/agent-card.json",
		})
	}

	if end < len(infos) {
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(infos[end-1].Name))
	}

	return page, nil
}

var errPageToken = badRequest(
	"page_token is not the next_page_token of an earlier page. Leave it out to start at the first.",
)

func pageSize(r *http.Request) (int, error) {
	return number(r, "page_size", defaultPage, 1, largestPage)
}

// number reads a number of the query, which may be left out.
func number(r *http.Request, name string, otherwise, least, most int) (int, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, badRequest("%s must be a number from %d to %d.", name, least, most)
	}
	return n, nil
}
