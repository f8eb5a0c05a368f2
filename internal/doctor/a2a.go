package doctor

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// cardPath is where an A2A agent shows its card (A2A 1.0 section 8.2).
const cardPath = "/.well-known/agent-card.json"

// maxInterfaces bounds the interfaces of a card that are tried.
const maxInterfaces = 4

// agentInterface is an interface of a card of 1.0, or the url of one of 0.3.
type agentInterface struct {
	URL     string `json:"url"`
	Binding string `json:"protocolBinding"`
	Version string `json:"protocolVersion"`
}

// card reads the interfaces of the card. It returns false if the server shows none,
// which is no fault: an MCP server need not serve A2A.
func (s *target) card() (list []agentInterface, a *answer, ok bool) {
	a = s.get(s.origin() + cardPath)
	var card struct {
		Name       string           `json:"name"`
		Interfaces []agentInterface `json:"supportedInterfaces"`
		URL        string           `json:"url"`
		Transport  string           `json:"preferredTransport"`
	}
	if a.err != nil || a.status != http.StatusOK {
		return nil, a, false
	}
	if json.Unmarshal(a.body, &card) != nil || card.Name == "" {
		return nil, a, true
	}
	if len(card.Interfaces) == 0 && card.URL != "" {
		return []agentInterface{{card.URL, card.Transport, "0.3"}}, a, true
	}

	return card.Interfaces, a, true
}

// isAgent reports whether the URL is that of an A2A agent: of its card, of one of its interfaces
// or of the host whose card it is.
func (v *examination) isAgent() bool {
	if v.badURL {
		return false
	}

	list, _, ok := v.card()
	if !ok || len(list) == 0 {
		return false
	}

	same := func(address string) bool {
		return strings.TrimSuffix(address, "/") == strings.TrimSuffix(v.address, "/")
	}
	return same(v.origin()) || same(v.origin()+cardPath) ||
		slices.ContainsFunc(list, func(i agentInterface) bool { return same(i.URL) })
}

func checkCard(v *examination) finding {
	list, a, ok := v.card()
	switch {
	case !ok:
		return skip("the server shows no card")
	case len(list) == 0:
		return fail("{} without a name or an interface", a)
	}
	return pass("it lists {}", len(list))
}

func checkInterfaces(v *examination) finding {
	list, _, _ := v.card()
	if len(list) == 0 {
		return skip("there is no card with interfaces")
	}
	tried := 0
	for _, i := range list {
		if tried == maxInterfaces || !strings.HasPrefix(i.URL, "http") ||
			strings.EqualFold(i.Binding, "GRPC") {
			continue
		}
		tried++
		a := v.tryInterface(i)
		answers := a.status < 500 && json.Valid(a.body)
		served := a.err == nil && (answers || a.status == http.StatusUnauthorized)
		if !served {
			return fail("{} at {} ({} {})", a, i.URL, i.Binding, i.Version)
		}
	}

	if tried == 0 {
		return skip("no interface is one over HTTP")
	}

	return pass("{} answer", tried)
}

// tryInterface asks an interface for a task that does not exist, which changes nothing.
func (s *target) tryInterface(i agentInterface) *answer {
	h := http.Header{"Accept": {"application/json"}}
	v1 := strings.HasPrefix(i.Version, "1.")
	if v1 {
		h.Set("A2A-Version", i.Version)
	}
	if strings.EqualFold(i.Binding, "HTTP+JSON") {
		path := "/tasks/rialto-doctor"
		if !v1 {
			path = "/v1" + path
		}
		return s.send(http.MethodGet, strings.TrimSuffix(i.URL, "/")+path, h, "")
	}

	h.Set("Content-Type", "application/json")
	method := "tasks/get"
	if v1 {
		method = "GetTask"
	}

	body := `{"jsonrpc":"2.0","id":"rialto-doctor","method":"` + method + `","params":{"id":"rialto-doctor"}}`
	return s.send(http.MethodPost, i.URL, h, body)
}
