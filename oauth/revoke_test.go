package oauth_test

import (
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
