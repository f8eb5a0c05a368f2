package doctor

import (
	"crypto/rand"
	"net/http"
	"strings"
)

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
