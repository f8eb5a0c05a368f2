package doctor

import (
	"crypto/rand"
	"net/http"
	"strings"
)

func tokenErrorChecks() []check {
	return []check{
		{
			"token-redirect",
			"The token endpoint does not redirect",
			[]Client{Claude},
			"an answer that is no redirect",
			"Serve the endpoint at the address that the metadata name (RFC 6749 section 3.2).",
			needTokenEndpoint,
			checkTokenRedirect,
		},
		{
			"token-code-error",
			"A bad code is refused in JSON",
			[]Client{Claude},
			`status 400 with the error "invalid_grant"`,
			"Answer JSON, not a page (RFC 6749 section 5.2).",
			needTokenEndpoint,
			checkBadCode,
		},
		{
			"token-refresh-error",
			"A bad refresh token is refused with invalid_grant",
			[]Client{Claude},
			`status 400 with the error "invalid_grant"`,
			"Use this code and no other: it is what makes Claude ask the person again (RFC 6749 section 5.2).",
			needTokenEndpoint,
			checkBadRefresh,
		},
		{
			"token-client-error",
			"An unknown client is refused with invalid_client",
			[]Client{Claude},
			`status 401 with the error "invalid_client"`,
			"Use this code: it is what makes Claude register anew (RFC 6749 section 5.2).",
			needTokenEndpoint,
			checkBadClient,
		},
		{
			"token-error-no-store",
			"Answers of the token endpoint are not stored",
			nil,
			"Cache-Control: no-store",
			"Forbid caches to keep them (RFC 6749 section 5.1).",
			needTokenEndpoint,
			checkTokenStore,
		},
	}
}

func loginChecks() []check {
	return []check{
		{
			"login",
			"The person comes back with a code",
			Clients(),
			"a code at the redirect URI",
			"Answer the consent form with a page or a 303; 307 sends the form on to the client (RFC 9700 section 4.12).",
			needLogin,
			checkLogin,
		},
		{
			"login-state",
			"The answer carries state and iss",
			[]Client{ChatGPT, Codex},
			"state as it was sent, and iss, where it is advertised",
			"Return state byte for byte, and send iss (RFC 6749 section 4.1.2, RFC 9207 section 2).",
			needLogin,
			checkLoginState,
		},
		{
			"token",
			"The code gets a token",
			Clients(),
			`status 200 with access_token and token_type "Bearer"`,
			"Accept a form with code, redirect_uri, client_id, code_verifier and resource (RFC 6749 section 4.1.3, RFC 7636 section 4.5, RFC 8707 section 2.2).",
			needLogin,
			checkToken,
		},
		{
			"token-expires",
			"The token says how long it lasts",
			[]Client{Claude, ClaudeCode, Codex},
			"expires_in, a number above 0",
			"Send expires_in: clients refresh ahead of time (RFC 6749 section 5.1).",
			needTokens,
			checkExpires,
		},
		{
			"token-refresh",
			"There is a refresh token",
			[]Client{ChatGPT, Claude, ClaudeCode},
			"refresh_token",
			"Issue one without demanding offline_access (RFC 6749 section 1.5).",
			needTokens,
			checkRefreshToken,
		},
		{
			"token-scope",
			"The token says what it is for",
			nil,
			"scope",
			"Send scope always, so that a client can tell whether to ask for more (RFC 6749 section 5.1).",
			needTokens,
			checkTokenScope,
		},
		{"token-no-store", "The token is not stored", nil, "Cache-Control: no-store",
			"Forbid caches to keep it (RFC 6749 section 5.1).", needTokens, checkGrantedStore},
	}
}

func refreshChecks() []check {
	return []check{
		{
			"refresh",
			"A refresh token gets a new pair",
			[]Client{ChatGPT, Claude, ClaudeCode, Codex},
			"status 200 with access_token and another refresh_token",
			"Rotate, and return the new refresh token in the same answer (RFC 9700 section 2.2.2).",
			needRefreshToken,
			checkRefresh,
		},
		{
			"refresh-grace",
			"A refresh token works again within its grace",
			[]Client{Claude, ClaudeCode, Codex},
			"status 200",
			"Let the previous token work for a minute or two: several processes share it, and answers get lost (RFC 9700 section 4.14.2 leaves it to the server).",
			needRefreshToken,
			checkGrace,
		},
		{
			"refresh-successor",
			"Within the grace the successor is the same",
			nil,
			"the refresh token of the first answer",
			"Return the same successor: if two are valid, a stolen one cannot be detected (RFC 9700 section 4.14.2).",
			needRefreshToken,
			checkSuccessor,
		},
	}
}

func revocationChecks() []check {
	return []check{
		{
			"revoke",
			"A public client can revoke its token",
			[]Client{ClaudeCode, Inspector},
			"status 200",
			"Accept a form with token and client_id and answer 200, for tokens that are not known as well (RFC 7009 sections 2.1 and 2.2).",
			needTokens,
			checkRevoke,
		},
		{
			"revoke-works",
			"A revoked token is refused",
			nil,
			"status 401 from the endpoint",
			"Look up whether the grant lives, or keep tokens short (RFC 7009 section 2.1).",
			needTokens,
			checkRevoked,
		},
		{"code-once", "A code works once", nil, `status 400 with the error "invalid_grant"`,
			"Forget a code as it is redeemed (RFC 6749 section 4.1.2).", needTokens, checkCodeOnce},
	}
}

// badCode redeems a code that does not exist, once.
func (a *app) badCode() *answer {
	return a.once("bad code", func() *answer {
		return a.redeem(codeForm("no-code-of-anybody", a.redirect, idleVerifier))
	})
}

func refusedWith(a *answer, status int, code string) finding {
	d, err := a.object()
	if err != nil {
		return fail("{}", err)
	}
	return expect(a.status == status && d.text("error") == code, "{}", a)
}

func checkTokenRedirect(v *examination) finding {
	a := v.app.badCode()
	return expect(!a.redirect(), "{}", a)
}

func checkBadCode(v *examination) finding {
	return refusedWith(v.app.badCode(), http.StatusBadRequest, "invalid_grant")
}

func checkTokenStore(v *examination) finding { return noStore(v.app.badCode()) }

func checkBadRefresh(v *examination) finding {
	return refusedWith(
		v.app.redeem(refreshForm("no-token-of-anybody")), http.StatusBadRequest, "invalid_grant",
	)
}

func checkBadClient(v *examination) finding {
	form := refreshForm("no-token-of-anybody")
	form.Set("client_id", "rialto-doctor-"+rand.Text())
	return refusedWith(v.app.redeem(form), http.StatusUnauthorized, "invalid_client")
}

func checkLogin(v *examination) finding {
	if err := v.grant.err; err != nil {
		return fail("{}", err)
	}
	return pass("a code")
}

func checkLoginState(v *examination) finding {
	if v.grant.callback == nil {
		return skip("the browser did not come back")
	}
	return v.checkCallback(v.grant.callback, v.grant.state)
}

func checkToken(v *examination) finding {
	g := v.grant
	if g.answer == nil {
		return skip("there was no code")
	}

	kind := g.tokens.text("token_type")
	return expect(
		g.tokens.text("access_token") != "" && strings.EqualFold(kind, "Bearer"),
		"{}, token_type \"{}\"",
		g.answer,
		kind,
	)
}

func checkExpires(v *examination) finding {
	seconds, _ := v.grant.tokens["expires_in"].(float64)
	return expect(seconds > 0, "{} is {}", "expires_in", v.grant.tokens["expires_in"])
}

func checkRefreshToken(v *examination) finding {
	return expect(v.grant.tokens.text("refresh_token") != "", "there is none")
}

func checkTokenScope(v *examination) finding {
	scope := v.grant.tokens.text("scope")
	return expect(scope != "", "{} is \"{}\"", "scope", scope)
}

func checkGrantedStore(v *examination) finding { return noStore(v.grant.answer) }

func checkRefresh(v *examination) finding {
	a := v.grant.refresh("first")
	d, err := a.document()
	if err != nil {
		return fail("{}", a)
	}
	next := d.text("refresh_token")
	ok := d.text("access_token") != "" && next != "" && next != v.grant.tokens.text("refresh_token")
	return expect(ok, "the refresh token is missing or the same")
}

func checkGrace(v *examination) finding {
	if v.grant.refresh("first").status != http.StatusOK {
		return skip("the first refresh failed")
	}
	return expectStatus(v.grant.refresh("second"), http.StatusOK)
}

func checkSuccessor(v *examination) finding {
	first, err1 := v.grant.refresh("first").document()
	second, err2 := v.grant.refresh("second").document()
	if err1 != nil || err2 != nil {
		return skip("a refresh failed")
	}
	return expect(first.text("refresh_token") == second.text("refresh_token"), "another one")
}

func checkRevoke(v *examination) finding {
	address := v.endpoint("revocation_endpoint")
	if address == "" {
		return skip("there is no revocation endpoint")
	}
	return expectStatus(v.grant.revoke(address), http.StatusOK)
}

func checkRevoked(v *examination) finding {
	if a, ok := v.cache["revoke"]; !ok || a.status != http.StatusOK {
		return skip("nothing was revoked")
	}
	return expectStatus(v.initialize(v.address, v.mcp.authorization()), http.StatusUnauthorized)
}

func checkCodeOnce(v *examination) finding {
	g := v.grant
	return refusedWith(
		v.app.redeem(codeForm(g.callback.Get("code"), v.app.redirect, g.verifier)),
		http.StatusBadRequest,
		"invalid_grant",
	)
}
