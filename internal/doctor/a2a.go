package doctor

import (
	"encoding/json"
	"net/http"
	"strings"
)

// cardPath is where an A2A agent shows its card (A2A 1.0 section 8.2).
const cardPath = "/.well-known/agent-card.json"

// maxPromises bounds the interfaces of a card that are tried.
const maxPromises = 4

func a2aSteps() []step {
	return []step{
		{"a2a-card", "The A2A card can be read", nil, "a JSON object with a name and at least one interface at " + cardPath,
			"Serve the card without a login, or no card at all (A2A 1.0 sections 4.4.1 and 8.2).", (*visit).checkCard},
		{"a2a-served", "What the A2A card promises is served", nil, "a JSON answer, or 401, from each interface over HTTP",
			"List only interfaces that answer (A2A 1.0 section 4.4.6).", (*visit).checkPromises},
	}
}

// promise is an interface of a card: those of 1.0, or the url of 0.3.
type promise struct {
	URL     string `json:"url"`
	Binding string `json:"protocolBinding"`
	Version string `json:"protocolVersion"`
}

// promises reads the card. ok is false where the server shows none, which is no
// fault: an MCP server need not serve A2A.
func (v *visit) promises() (list []promise, a *answer, ok bool) {
	a = v.get(v.url.Scheme + "://" + v.url.Host + cardPath)
	var card struct {
		Name       string    `json:"name"`
		Interfaces []promise `json:"supportedInterfaces"`
		URL        string    `json:"url"`
		Transport  string    `json:"preferredTransport"`
	}
	if a.err != nil || a.status != http.StatusOK {
		return nil, a, false
	}
	if json.Unmarshal(a.body, &card) != nil || card.Name == "" {
		return nil, a, true
	}
	if len(card.Interfaces) == 0 && card.URL != "" {
		return []promise{{card.URL, card.Transport, "0.3"}}, a, true
	}
	return card.Interfaces, a, true
}

func (v *visit) checkCard() finding {
	list, a, ok := v.promises()
	switch {
	case !ok:
		return skip("the server shows no card")
	case len(list) == 0:
		return fail("%s without a name or an interface", a)
	}
	return pass("it lists %d", len(list))
}

func (v *visit) checkPromises() finding {
	list, _, _ := v.promises()
	if len(list) == 0 {
		return skip("there is no card that promises anything")
	}
	tried := 0
	for _, p := range list {
		if tried == maxPromises || !strings.HasPrefix(p.URL, "http") || strings.EqualFold(p.Binding, "GRPC") {
			continue
		}
		tried++
		if a := v.knock(p); a.err != nil || a.status != http.StatusUnauthorized && (a.status >= 500 || !json.Valid(a.body)) {
			return fail("%s at %s (%s %s)", a, p.URL, p.Binding, p.Version)
		}
	}
	if tried == 0 {
		return skip("no interface is one over HTTP")
	}
	return pass("%d answer", tried)
}

// knock asks an interface for a task that is not there, which changes nothing.
func (v *visit) knock(p promise) *answer {
	h := http.Header{"Accept": {"application/json"}}
	if strings.HasPrefix(p.Version, "1.") {
		h.Set("A2A-Version", p.Version)
	}
	if strings.EqualFold(p.Binding, "HTTP+JSON") {
		path := "/tasks/rialto-doctor"
		if !strings.HasPrefix(p.Version, "1.") {
			path = "/v1" + path
		}
		return v.send(request{method: http.MethodGet, url: strings.TrimSuffix(p.URL, "/") + path, header: h})
	}
	h.Set("Content-Type", "application/json")
	method := "tasks/get"
	if strings.HasPrefix(p.Version, "1.") {
		method = "GetTask"
	}
	body := `{"jsonrpc":"2.0","id":"rialto-doctor","method":"` + method + `","params":{"id":"rialto-doctor"}}`
	return v.send(request{method: http.MethodPost, url: p.URL, header: h, body: []byte(body)})
}
