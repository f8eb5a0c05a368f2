package doctor

import (
	"net/http"
	"net/url"
)

func refreshSteps() []step {
	return []step{
		{"refresh", "A refresh token gets a new pair", []Client{ChatGPT, Claude, ClaudeCode, Codex}, "status 200 with access_token and another refresh_token",
			"Rotate, and return the new refresh token in the same answer (RFC 9700 section 2.2.2).", (*visit).checkRefresh},
		{"refresh-grace", "A refresh token works again within its grace", []Client{Claude, ClaudeCode, Codex}, "status 200",
			"Let the previous token work for a minute or two: several processes share it, and answers get lost (RFC 9700 section 4.14.2 leaves it to the server).", (*visit).checkGrace},
		{"refresh-successor", "Within the grace the successor is the same", nil, "the refresh token of the first answer",
			"Give the same successor: if two live on, a stolen one cannot be told (RFC 9700 section 4.14.2).", (*visit).checkSuccessor},
	}
}

func revokeSteps() []step {
	return []step{
		{"revoke", "A public client can give its token back", []Client{ClaudeCode, Inspector}, "status 200",
			"Accept a form with token and client_id and answer 200, for tokens that are not known as well (RFC 7009 sections 2.1 and 2.2).", (*visit).checkRevoke},
		{"revoke-works", "A token that was given back is dead", nil, "status 401 from the endpoint",
			"Look up whether the grant lives, or keep tokens short (RFC 7009 section 2.1).", (*visit).checkRevoked},
		{"code-once", "A code works once", nil, `status 400 with the error "invalid_grant"`,
			"Forget a code as it is redeemed (RFC 6749 section 4.1.2).", (*visit).checkCodeOnce},
	}
}

// refresh redeems the login's refresh token for the nth time.
func (v *visit) refresh(nth string) *answer {
	return v.once("refresh "+nth, func() *answer {
		return v.redeem(refreshForm(v.granted.tokens.text("refresh_token")))
	})
}

// refreshed runs a check if there is a refresh token.
func (v *visit) refreshed(f func() finding) finding {
	return v.given(func(d document) finding {
		if d.text("refresh_token") == "" {
			return skip("there is no refresh token")
		}
		return f()
	})
}

func (v *visit) checkRefresh() finding {
	return v.refreshed(func() finding {
		d, err := v.refresh("first").document()
		if err != nil {
			return fail("%s", v.refresh("first"))
		}
		again := d.text("refresh_token")
		return check(d.text("access_token") != "" && again != "" && again != v.granted.tokens.text("refresh_token"), "the refresh token is missing or the same")
	})
}

func (v *visit) checkGrace() finding {
	return v.refreshed(func() finding {
		if v.refresh("first").status != http.StatusOK {
			return skip("the first refresh failed")
		}
		a := v.refresh("second")
		return check(a.status == http.StatusOK, "%s", a)
	})
}

func (v *visit) checkSuccessor() finding {
	return v.refreshed(func() finding {
		first, err1 := v.refresh("first").document()
		second, err2 := v.refresh("second").document()
		if err1 != nil || err2 != nil {
			return skip("a refresh failed")
		}
		return check(first.text("refresh_token") == second.text("refresh_token"), "another one")
	})
}

// token returns the access token for the endpoint: what was given, or the
// latest of the login.
func (v *visit) token() string {
	if v.d.Token != "" || v.d.Login == nil {
		return v.d.Token
	}
	for _, nth := range []string{"second", "first"} {
		if a, ok := v.kept["refresh "+nth]; ok {
			if d, err := a.document(); err == nil {
				return d.text("access_token")
			}
		}
	}
	return v.login().tokens.text("access_token")
}

func (v *visit) checkRevoke() finding {
	return v.given(func(d document) finding {
		address := v.endpoint("revocation_endpoint")
		if address == "" {
			return skip("there is no revocation endpoint")
		}
		a := v.revoke(address)
		return check(a.status == http.StatusOK, "%s", a)
	})
}

// revoke gives back the latest refresh token, or the access token.
func (v *visit) revoke(address string) *answer {
	return v.once("revoke", func() *answer {
		token := v.granted.tokens.text("refresh_token")
		if a, ok := v.kept["refresh first"]; ok && a.status == http.StatusOK {
			if d, err := a.document(); err == nil {
				token = d.text("refresh_token")
			}
		}
		if token == "" {
			token = v.token()
		}
		return v.form(address, url.Values{"token": {token}, "client_id": {v.app.id}})
	})
}

// giveBack revokes what the login gave, if no step has done so.
func (v *visit) giveBack() {
	if v.granted == nil || v.granted.tokens.text("access_token") == "" {
		return
	}
	if address := v.endpoint("revocation_endpoint"); address != "" {
		v.revoke(address)
	}
}

func (v *visit) checkRevoked() finding {
	return v.given(func(document) finding {
		if a, ok := v.kept["revoke"]; !ok || a.status != http.StatusOK {
			return skip("nothing was given back")
		}
		a := v.initializeAt(v.address, v.authorization())
		return check(a.status == http.StatusUnauthorized, "%s", a)
	})
}

func (v *visit) checkCodeOnce() finding {
	return v.given(func(document) finding {
		g := v.granted
		return refusedWith(v.redeem(codeForm(g.callback.Get("code"), v.app.redirect, g.verifier)), http.StatusBadRequest, "invalid_grant")
	})
}
