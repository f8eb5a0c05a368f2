package bridge_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// TestASendToASuspendedAgentLeavesNoTask sends to an agent whose gateway fails. While the client makes
// no calls, each message left a failed task in the list.
func TestASendToASuspendedAgentLeavesNoTask(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	origin := a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.Redirect(w, r, origin+r.URL.Path, http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(gateway.Close)
	client := dialed(t, gateway.URL, a2a.V10)
	r := newRig(t, "", map[string]peer{"agent": {client, client.Card()}})
	for i := range 8 {
		r.call("send_task", `{"message":"work `+strconv.Itoa(i)+`"}`)
	}
	if until := client.Contact().Until; until.IsZero() {
		t.Fatal("calls are not suspended")
	}
	page, err := r.Proxy.Agent("agent").Tasks(as(t.Context(), "alice"), a2a.TaskFilter{})
	if err != nil || page.Total != 5 {
		t.Errorf("got %d tasks, %v, want those of the calls that were made", page.Total, err)
	}
	r.call("send_task", `{"message":"work"}`).refused(t, "the agent agent failed several times in a row; next attempt in")
}
