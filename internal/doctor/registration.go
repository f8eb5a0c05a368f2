package doctor

import (
	"net/http"
	"slices"
)

func checkDCR(v *examination) finding {
	a := v.app.registered()
	f := expect(a.answer.status == http.StatusCreated && a.id != "", "{}", a.answer)
	if d := v.server(); d.flag(cimdSupported) &&
		d.has("token_endpoint_auth_methods_supported", "none") {
		return f.breaking(Inspector) // the others then use a metadata document
	}
	return f
}

func checkDCRAnswer(v *examination) finding {
	a := v.app.registered()
	if a.id == "" {
		return skip("there is no client")
	}

	d, _ := a.answer.object() // has an id
	switch {
	case !slices.Contains(d.list("redirect_uris"), a.redirect):
		return fail("{} is {}", "redirect_uris", d.list("redirect_uris"))
	case d.text("token_endpoint_auth_method") != "none":
		return fail(
			"{} is \"{}\"", "token_endpoint_auth_method", d.text("token_endpoint_auth_method"),
		)
	}

	return expect(d.text("client_secret") == "", "a secret for a client that wants none")
}

// checkHosted registers the redirect URIs of hosted clients. That client is never used.
func checkHosted(v *examination) finding {
	v.app.hosted = v.app.register(map[string]any{
		"client_name": "Rialto doctor",
		"redirect_uris": []string{
			"https://chatgpt.com/connector/oauth/rialto-doctor",
			"https://chatgpt.com/connector_platform_oauth_redirect",
			"https://claude.ai/api/mcp/auth_callback",
			"https://vscode.dev/redirect",
		},
		"token_endpoint_auth_method": "none",
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
	})
	return expectStatus(v.app.hosted, http.StatusCreated)
}

func checkDCRError(v *examination) finding {
	a := v.app.register(map[string]any{"redirect_uris": []string{"javascript:alert(1)"}})
	d, err := a.object()
	if err != nil {
		return fail("{}", err)
	}
	return expect(a.status == http.StatusBadRequest && d.text("error") != "", "{}", a)
}
