package authserver_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rialto/oauth/authserver"
)

// document returns a document as clients read it.
func document(t *testing.T, s *authserver.Server, path string) map[string]any {
	t.Helper()
	doc, ok := s.Documents()[path]
	if !ok {
		t.Fatalf("there is no document at %s", path)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func words(v any) []string {
	var all []string
	list, _ := v.([]any)
	for _, word := range list {
		all = append(all, word.(string))
	}
	return all
}

func TestL5TheServersMetadataNamesWhatIsServed(t *testing.T) {
	r := newRig(t)
	doc := document(t, r.s, "/.well-known/oauth-authorization-server")
	for _, path := range []string{"/.well-known/oauth-authorization-server/mcp", "/mcp/.well-known/oauth-authorization-server"} {
		if other := document(t, r.s, path); !reflect.DeepEqual(other, doc) {
			t.Errorf("%s differs from the document at the root", path)
		}
	}
	for name, want := range map[string]any{
		"issuer":                                r.url,
		"authorization_endpoint":                r.url + "/authorize",
		"token_endpoint":                        r.url + "/token",
		"registration_endpoint":                 r.url + "/register",
		"revocation_endpoint":                   r.url + "/revoke",
		"introspection_endpoint":                r.url + "/introspect",
		"userinfo_endpoint":                     r.url + "/userinfo",
		"pushed_authorization_request_endpoint": r.url + "/par",
		"jwks_uri":                              r.url + "/jwks.json",
		"authorization_response_iss_parameter_supported": true,
	} {
		if doc[name] != want {
			t.Errorf("%s: got %v, want %v", name, doc[name], want)
		}
	}
	for name, want := range map[string]string{
		"code_challenge_methods_supported":              "S256",
		"token_endpoint_auth_methods_supported":         "none client_secret_basic client_secret_post private_key_jwt",
		"revocation_endpoint_auth_methods_supported":    "none client_secret_basic client_secret_post private_key_jwt",
		"introspection_endpoint_auth_methods_supported": "client_secret_basic client_secret_post private_key_jwt",
		"response_types_supported":                      "code",
		"response_modes_supported":                      "query",
		"grant_types_supported":                         "authorization_code refresh_token",
		"scopes_supported":                              "mcp:tools mcp:more offline_access",
		"protected_resources":                           r.s.Resource,
	} {
		if got := strings.Join(words(doc[name]), " "); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, value := range doc {
		address, _ := value.(string)
		if path, ok := strings.CutPrefix(address, r.url); ok && path != "" {
			if got := r.do(r.request("GET", path, "", "")).status; got == 404 {
				t.Errorf("%s is not served", name)
			}
		}
	}
}

func TestL7WhatIsNotServedIsNotNamed(t *testing.T) {
	doc := document(t, newRig(t).s, "/.well-known/oauth-authorization-server")
	for name := range doc {
		for _, feature := range []string{"request_", "device", "id_token", "claims", "client_id_metadata", "end_session"} {
			if strings.HasPrefix(name, feature) {
				t.Errorf("%s is advertised", name)
			}
		}
	}
}

func TestL6TheResourcesMetadataIsAtBothPlaces(t *testing.T) {
	r := newRig(t)
	doc := document(t, r.s, "/.well-known/oauth-protected-resource/mcp")
	if !reflect.DeepEqual(doc, document(t, r.s, "/.well-known/oauth-protected-resource")) {
		t.Error("the document at the root differs")
	}
	if doc["resource"] != r.s.Resource || !slices.Equal(words(doc["authorization_servers"]), []string{r.url}) ||
		!slices.Equal(words(doc["scopes_supported"]), []string{"mcp:tools", "mcp:more"}) ||
		!slices.Equal(words(doc["bearer_methods_supported"]), []string{"header"}) {
		t.Errorf("got %v", doc)
	}
	challenge := r.do(r.request("POST", "/mcp", "", "")).header.Get("WWW-Authenticate")
	_, rest, _ := strings.Cut(challenge, `resource_metadata="`+r.url)
	path, _, _ := strings.Cut(rest, `"`)
	document(t, r.s, path) // the challenge leads to it
}

func TestL5TheHostHeaderChangesNothing(t *testing.T) {
	r := newRig(t)
	req := r.request("POST", "/mcp", "", "", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https", "Forwarded", "host=evil.example")
	req.Host = "evil.example"
	if got := r.do(req).header.Get("WWW-Authenticate"); strings.Contains(got, "evil") {
		t.Errorf("got %s", got)
	}
	req = r.request("GET", strings.TrimPrefix(r.authorizeURL(r.newClient("none"), nil), r.url), "", "", "X-Forwarded-Host", "evil.example")
	req.Host = "evil.example"
	if a := r.do(req); a.status != 200 || strings.Contains(a.body, "evil") {
		t.Errorf("got %d with the forged host on the page", a.status)
	}
}

func TestAnIssuerWithAPathServesItsDocumentsWhereClientsLook(t *testing.T) {
	s := authserver.New(authserver.Config{Issuer: "https://example.com/rialto", Resource: "https://example.com/rialto/mcp"}, authserver.Stores{})
	for _, path := range []string{
		"/.well-known/oauth-protected-resource/rialto/mcp",
		"/.well-known/oauth-authorization-server/rialto",
		"/.well-known/oauth-authorization-server/rialto/mcp",
	} {
		document(t, s, path)
	}
}

func TestL5TheAliasesSayTheSame(t *testing.T) {
	r := newRig(t)
	server := document(t, r.s, "/.well-known/oauth-authorization-server")
	if !reflect.DeepEqual(server, document(t, r.s, "/mcp/oauth/metadata")) {
		t.Error("/mcp/oauth/metadata differs")
	}
	for _, path := range []string{
		"/.well-known/openid-configuration",
		"/.well-known/openid-configuration/mcp",
		"/mcp/.well-known/openid-configuration",
		"/.well-known/openid_configuration",
	} {
		doc := document(t, r.s, path)
		for name, want := range server {
			if !reflect.DeepEqual(doc[name], want) {
				t.Errorf("%s: %s: got %v, want %v", path, name, doc[name], want)
			}
		}
		// OpenID Connect Discovery 1.0 section 3: readers refuse it without.
		if doc["subject_types_supported"] == nil || doc["id_token_signing_alg_values_supported"] == nil {
			t.Errorf("%s lacks what OpenID Connect requires", path)
		}
	}
}

func TestAClientComesInByTheAliases(t *testing.T) {
	r := newRig(t)
	a := r.do(r.request("POST", "/mcp/oauth/register", "application/json", `{"token_endpoint_auth_method":"none","redirect_uris":["`+callback+`"]}`))
	c := client{id: a.str("client_id"), redirect: callback}
	page := strings.Replace(r.authorizeURL(c, nil), "/authorize?", "/mcp/oauth/authorize?", 1)
	to := r.browser().Authorize(page, user, password)
	if to.Query().Get("iss") != r.url {
		t.Errorf("got %s, want the one issuer", to)
	}
	got := r.ok(r.form("/mcp/oauth/token", codeForm(c, to.Query().Get("code"))))
	r.ok(r.call(got.str("access_token")))
	r.ok(r.form("/mcp/oauth/revoke", params{"client_id": c.id, "token": got.str("refresh_token")}))
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")
}
