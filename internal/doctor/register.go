package doctor

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"
)

func registerSteps() []step {
	return []step{
		{"dcr", "A client can register itself", Clients(), "status 201 with a client_id",
			"Take JSON without a credential, and ignore members that are not known (RFC 7591 sections 3.1 and 3.2.1).", (*visit).checkDCR},
		{"dcr-answer", "The registration says what was registered", nil, "the redirect_uris and the method none, without a secret",
			"Answer with all registered metadata (RFC 7591 section 3.2.1).", (*visit).checkDCRAnswer},
		{"dcr-hosted", "Hosted clients may register their addresses", []Client{ChatGPT, Claude, VSCode}, "status 201",
			"Do not keep a list of allowed redirect URIs: vendors add paths and hosts (RFC 7591 section 3.2.2 leaves it to the server).", (*visit).checkHosted},
		{"dcr-error", "A bad registration is refused in JSON", nil, "status 400 with the JSON member error",
			"Answer errors as JSON, not as pages (RFC 7591 section 3.2.2).", (*visit).checkDCRError},
	}
}

// app is the client that the doctor registered.
type app struct {
	answer   *answer
	id       string
	redirect string
	listener net.Listener // nil unless there is to be a login
}

// registered registers the throw-away client, once.
func (v *visit) registered() *app {
	if v.app != nil {
		return v.app
	}
	v.app = &app{redirect: "http://127.0.0.1:43117/callback"}
	if v.d.Login != nil && v.d.Token == "" {
		if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			v.app.listener, v.app.redirect = l, "http://"+l.Addr().String()+"/callback"
		}
	}
	v.app.answer = v.register(map[string]any{
		"client_name":                "Rialto doctor",
		"application_type":           "native",
		"redirect_uris":              []string{v.app.redirect},
		"token_endpoint_auth_method": "none",
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"scope":                      v.scope(),
	})
	if d, err := v.app.answer.object(); err == nil && v.app.answer.status/100 == 2 {
		v.app.id = d.text("client_id")
	}
	return v.app
}

// scope returns what a client asks for: the challenge's scopes, or else the
// resource's.
func (v *visit) scope() string {
	params, _ := challenge(v.unauthorized(http.MethodPost))
	if params["scope"] != "" {
		return params["scope"]
	}
	return strings.Join(v.resource().list("scopes_supported"), " ")
}

func (v *visit) register(metadata map[string]any) *answer {
	address := v.endpoint("registration_endpoint")
	if address == "" {
		return &answer{}
	}
	body, _ := json.Marshal(metadata) // strings always have a JSON form
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	a := v.send(request{method: http.MethodPost, url: address, header: h, body: body})
	if d, err := a.object(); err == nil {
		v.hide(d.text("client_secret"))
		v.hide(d.text("registration_access_token"))
	}
	return a
}

func (v *visit) checkDCR() finding {
	if v.endpoint("registration_endpoint") == "" {
		return skip("there is no registration endpoint")
	}
	a := v.registered()
	f := check(a.answer.status == http.StatusCreated && a.id != "", "%s", a.answer)
	if d := v.server(); d.flag(cimdSupported) && d.has("token_endpoint_auth_methods_supported", "none") {
		return f.breaking(Inspector) // the others then bring a document
	}
	return f
}

func (v *visit) checkDCRAnswer() finding {
	a := v.registered()
	if a.id == "" {
		return skip("there is no client")
	}
	d, _ := a.answer.object() // has an id
	switch {
	case !slices.Contains(d.list("redirect_uris"), a.redirect):
		return fail("redirect_uris is %q", d.list("redirect_uris"))
	case d.text("token_endpoint_auth_method") != "none":
		return fail("token_endpoint_auth_method is %q", d.text("token_endpoint_auth_method"))
	}
	return check(d.text("client_secret") == "", "a secret for a client that wants none")
}

// checkHosted registers the addresses of hosted clients. Nobody answers there
// to what the doctor does: the client is never used.
func (v *visit) checkHosted() finding {
	if v.endpoint("registration_endpoint") == "" {
		return skip("there is no registration endpoint")
	}
	v.hosted = v.register(map[string]any{
		"client_name": "Rialto doctor",
		"redirect_uris": []string{
			"https://chatgpt.com/connector/oauth/rialto-doctor", "https://chatgpt.com/connector_platform_oauth_redirect",
			"https://claude.ai/api/mcp/auth_callback", "https://vscode.dev/redirect",
		},
		"token_endpoint_auth_method": "none",
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
	})
	return check(v.hosted.status == http.StatusCreated, "%s", v.hosted)
}

func (v *visit) checkDCRError() finding {
	if v.endpoint("registration_endpoint") == "" {
		return skip("there is no registration endpoint")
	}
	a := v.register(map[string]any{"redirect_uris": []string{"javascript:alert(1)"}})
	d, err := a.object()
	if err != nil {
		return fail("%v", err)
	}
	return check(a.status == http.StatusBadRequest && d.text("error") != "", "%s", a)
}

// leave closes the listener, gives back the tokens and removes the clients,
// where the server gave the means (RFC 7592 section 2.3). These requests are
// outside the budget: there are three at most.
func (v *visit) leave() {
	if v.app == nil {
		v.app = &app{}
	}
	if v.app.listener != nil {
		v.app.listener.Close()
	}
	// What is owed to the server is not a matter of the time that was given.
	v.ctx, v.cutShort, v.budget = context.WithoutCancel(v.ctx), "", v.requests+3
	v.giveBack()
	for _, a := range []*answer{v.app.answer, v.hosted} {
		if a == nil {
			continue
		}
		d, err := a.object()
		uri, token := d.text("registration_client_uri"), d.text("registration_access_token")
		if err != nil || token == "" || !sameOrigin(uri, v.endpoint("registration_endpoint")) {
			continue // a token is not taken to strangers
		}
		v.send(request{method: http.MethodDelete, url: uri, header: http.Header{"Authorization": {"Bearer " + token}}})
	}
}
