package server

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rialto/bridge/directory"
	"rialto/oauth"
)

// A connector that an operator adds is in force at once, and gone at once.
func TestAnOperatorAddsAConnector(t *testing.T) {
	v := newConnected(t)
	if err := v.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	admin := v.token("alice", oauth.ScopeAdmin)
	for body, want := range map[string]string{
		`{"name":"config"}`:                   `\"config\" is taken`,
		`{"name":"desk","agents":["nobody"]}`: `there is no agent named \"nobody\"`,
		`{"name":"sales"}`:                    "This connector is in the configuration",
	} {
		if got := v.do("POST", "/api/v1/admin/connectors", admin, body); got.status < 400 || !strings.Contains(got.body, want) {
			t.Errorf("%s: got %s, want %s", body, got.said(), want)
		}
	}
	if got := v.do("POST", "/api/v1/admin/connectors", admin, `{"name":"desk","tools":["get_task"]}`); got.status != http.StatusCreated {
		t.Fatalf("got %s", got.said())
	}
	desk := v.connectorToken("alice", "desk", oauth.ScopeTools)
	if a := v.mcp(desk, "tools/list", object{}); len(a.Result.Tools) != 1 {
		t.Errorf("got the tools %s", a.raw)
	}
	if got := v.do("POST", "/api/v1/admin/connectors", admin, `{"name":"desk"}`); got.status != http.StatusConflict {
		t.Errorf("a second connector named desk: got %s", got.said())
	}
	var one directory.ConnectorStatus
	v.do("GET", "/api/v1/admin/connectors/desk", admin, "").decode(t, &one)
	change := fmt.Sprintf(`{"tools":["get_task","search"],"version":%d}`, one.Version)
	if got := v.do("PUT", "/api/v1/admin/connectors/desk", admin, change); got.status != http.StatusOK {
		t.Errorf("got %s", got.said())
	}
	if got := v.do("PUT", "/api/v1/admin/connectors/desk", admin, change); got.status != http.StatusConflict {
		t.Errorf("with the version before: got %s", got.said())
	}
	if a := v.mcp(desk, "tools/list", object{}); len(a.Result.Tools) != 2 {
		t.Errorf("got the tools %s after the change", a.raw)
	}
	got := v.do("POST", "/api/v1/admin/clients", admin, `{"app":"claude","connector":"desk"}`)
	if got.status != http.StatusCreated || !strings.Contains(got.body, `/mcp/desk"`) ||
		!strings.Contains(got.body, `"client_secret":"`) {
		t.Errorf("a client for Claude: got %s", got.said())
	}
	if got := v.do("DELETE", "/api/v1/admin/connectors/desk", admin, ""); got.status != http.StatusOK {
		t.Errorf("got %s", got.said())
	}
	if got := v.do("POST", "/mcp", desk, listing); got.status != http.StatusNotFound {
		t.Errorf("got %s after the removal", got.said())
	}
	if got := v.do("GET", "/api/v1/agents", desk, ""); got.status != http.StatusUnauthorized {
		t.Errorf("got %s after the removal", got.said())
	}
}

// Another replica has added a connector that this one has not heard of. It once ended the subscriptions
// of the connector to events for good.
func TestAConnectorOfAnotherReplicaKeepsItsSubscriptions(t *testing.T) {
	v := newConnected(t)
	if err := v.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	admin := v.token("alice", oauth.ScopeAdmin)
	if got := v.do("POST", "/api/v1/admin/connectors", admin, `{"name":"desk"}`); got.status != http.StatusCreated {
		t.Fatalf("got %s", got.said())
	}
	var claims struct {
		GrantID string `json:"grant_id"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(v.connectorToken("alice", "desk", oauth.ScopeTools), ".")[1])
	if err = errors.Join(err, json.Unmarshal(payload, &claims)); err != nil {
		t.Fatal(err)
	}
	reaches := func() bool {
		access, alive, err := eventBackend{v.Server}.Access(t.Context(), claims.GrantID)
		if err != nil {
			t.Fatal(err)
		}
		return alive && access.Allows(v.bridge.Directory.Lookup("front"), "")
	}
	v.oauth.Resources.Set(*v.oauth.Resources.Default()) // as the replica knew them before
	if !reaches() {
		t.Error("the connector is not found")
	}
	if got := v.do("DELETE", "/api/v1/admin/connectors/desk", admin, ""); got.status != http.StatusOK {
		t.Fatalf("got %s", got.said())
	}
	if reaches() {
		t.Error("a connector that was removed is still there")
	}
}
