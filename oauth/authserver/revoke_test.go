package authserver_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestM3ToM5RevocationTellsNothingAndReachesOnlyOnesOwn(t *testing.T) {
	r := newRig(t)
	c, other := r.newClient("none"), r.newClient("none")
	got := r.tokens(c, nil)
	refresh, access := got.str("refresh_token"), got.str("access_token")
	for name, form := range map[string]params{
		"M3 unknown refresh token":      {"client_id": c.id, "token": "rialto_rt_" + strings.Repeat("x", 43)},
		"M3 garbage":                    {"client_id": c.id, "token": "x"},
		"M3 a code":                     {"client_id": c.id, "token": r.code(c, nil)},
		"M3 another client's refresh":   {"client_id": other.id, "token": refresh},
		"M3 another client's access":    {"client_id": other.id, "token": access},
		"M5 a hint that lies, unknown":  {"client_id": c.id, "token": "x", "token_type_hint": "refresh_token"},
		"M5 a hint that does not exist": {"client_id": c.id, "token": "x", "token_type_hint": "pizza"},
	} {
		if a := r.form("/revoke", form); a.status != 200 || a.body != "" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %s, want an empty 200", name, a.status, a.body)
		}
	}
	r.ok(r.call(access))
	refused(t, r.form("/revoke", params{"client_id": c.id}), 400, "invalid_request")
	refused(t, r.form("/revoke", params{"token": refresh}), 401, "invalid_client")
	refused(t, r.form("/revoke", params{"client_id": "rialto_client_" + strings.Repeat("x", 43), "token": refresh}), 401, "invalid_client")
	r.ok(r.call(access))

	r.ok(r.form("/revoke", params{"client_id": c.id, "token": refresh, "token_type_hint": "access_token"}))
	refused(t, r.call(access), 401, "invalid_token") // M4
	refused(t, r.form("/token", refreshForm(c, refresh)), 400, "invalid_grant")
}

func TestAConfidentialClientProvesItselfToRevoke(t *testing.T) {
	r := newRig(t)
	c := r.newClient("client_secret_basic")
	header := basic(c.id, c.secret)
	got := r.ok(r.form("/token", codeForm(c, r.code(c, nil)), "Authorization", header))
	form := params{"token": got.str("access_token")}
	refused(t, r.form("/revoke", form.with(params{"client_id": c.id})), 401, "invalid_client")
	r.ok(r.call(got.str("access_token")))
	r.ok(r.form("/revoke", form, "Authorization", header))
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")
}

// TestM3ATokenIsAskedAboutAndGivenBackByFormOnly: a token that comes another way
// would stay in logs, or be read in two ways (RFC 7009 section 2.1, RFC 7662
// section 2.1).
func TestM3ATokenIsAskedAboutAndGivenBackByFormOnly(t *testing.T) {
	r := configured(t)
	token := r.ok(r.form("/token", codeForm(portal, r.code(portal, nil)), asPortal...)).str("access_token")
	form := params{"token": token}.encode()
	for _, path := range []string{"/revoke", "/introspect", "/mcp/oauth/revoke", "/mcp/oauth/introspect"} {
		post := func(path, contentType, body string) answer {
			return r.do(r.request(http.MethodPost, path, contentType, body, asPortal...))
		}
		for name, a := range map[string]answer{
			"in the query": post(path+"?"+form, formType, ""),
			"twice":        post(path, formType, form+"&"+form),
			"as JSON":      post(path, "application/json", `{"token":"`+token+`"}`),
			"empty":        post(path, formType, "token="),
		} {
			if a.status != 400 || a.str("error") != "invalid_request" || strings.Contains(a.body, token) {
				t.Errorf("%s %s: got %d %s, want 400 invalid_request", path, name, a.status, a.body)
			}
		}
		if a := r.do(r.request(http.MethodGet, path+"?"+form, "", "", asPortal...)); a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("GET %s: got %d %v, want 405", path, a.status, a.header)
		}
	}
	r.ok(r.call(token))
	for range 2 { // what is gone already is no error
		r.ok(r.form("/revoke", params{"token": token}, asPortal...))
	}
	inactive(t, r.form("/introspect", params{"token": token}, asPortal...))
}
