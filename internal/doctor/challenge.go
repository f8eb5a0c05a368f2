package doctor

import (
	"net/http"
	"net/url"
	"strings"
)

func challengeSteps() []step {
	return []step{
		{"post-401", "POST without a token is answered 401", Clients(), "status 401",
			"Check the token before anything else and answer 401; a tool's error or a 403 starts no login (RFC 6750 section 3.1).", v401(http.MethodPost)},
		{"get-401", "GET without a token is answered 401", []Client{Codex}, "status 401, not 405",
			"Guard every method: Codex begins with a GET (RFC 9728 section 5).", v401(http.MethodGet)},
		{"delete-401", "DELETE without a token is answered 401", nil, "status 401",
			"Guard every method (RFC 9728 section 5).", v401(http.MethodDelete)},
		{"401-before-body", "The token is checked before the body is read", nil, "status 401 for a body that is not JSON",
			"Put the guard before the parser, so that strangers cannot reach it.", (*visit).checkBeforeBody},
		{"challenge", "The 401 says where the metadata is", []Client{ChatGPT, Claude, Codex},
			`WWW-Authenticate: Bearer resource_metadata="<absolute URL>"`,
			"Send the challenge with each 401 (RFC 9728 section 5.1).", (*visit).checkChallenge},
		{"challenge-get", "The 401 to a GET says so too", []Client{Codex}, "the same challenge",
			"Send the challenge with each 401; Codex reads the one to its GET (RFC 9728 section 5.1).", (*visit).checkChallengeGet},
		{"challenge-scope", "The challenge names the scopes to ask for", []Client{Codex}, "the parameter scope, where the resource has scopes",
			"Name every everyday scope in the challenge (RFC 6750 section 3, MCP authorization, \"Scope Selection Strategy\").", (*visit).checkChallengeScope},
		{"challenge-error", "The challenge blames nobody who sent no token", nil, "no parameter error",
			"Leave the error out when there was no token (RFC 6750 section 3.1).", (*visit).checkChallengeError},
		{"bad-token", "A bad token is answered 401", []Client{Claude, ClaudeCode}, "status 401",
			"Answer 401, on which clients refresh; not 403, 400 or 500 (RFC 6750 section 3.1).", (*visit).checkBadToken},
		{"bad-token-error", "The challenge says that the token is bad", nil, `the parameter error="invalid_token"`,
			"Say so, so that a client can tell a bad token from a missing one (RFC 6750 section 3.1).", (*visit).checkBadTokenError},
	}
}

// unauthorized sends a request without a token.
func (v *visit) unauthorized(method string) *answer {
	return v.once("unauthorized "+method, func() *answer {
		if method == http.MethodPost {
			return v.initializeAt(v.address, nil)
		}
		h := http.Header{"Accept": {"text/event-stream"}, "Mcp-Protocol-Version": {"2024-11-05"}}
		return v.send(request{method: method, url: v.address, header: h, bare: true})
	})
}

func v401(method string) func(*visit) finding {
	return func(v *visit) finding {
		a := v.unauthorized(method)
		return check(a.status == http.StatusUnauthorized, "%s", a)
	}
}

func (v *visit) checkBeforeBody() finding {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	a := v.send(request{method: http.MethodPost, url: v.address, header: h, body: []byte("{")})
	return check(a.status == http.StatusUnauthorized, "%s", a)
}

// challenge returns the parameters of an answer's Bearer challenge.
func challenge(a *answer) (map[string]string, bool) {
	for _, value := range a.header.Values("WWW-Authenticate") {
		if scheme, rest, _ := strings.Cut(value, " "); strings.EqualFold(scheme, "Bearer") {
			return parameters(rest), true
		}
	}
	return nil, false
}

// parameters reads auth-params (RFC 9110 section 11.2).
func parameters(s string) map[string]string {
	params := map[string]string{}
	for s != "" {
		name, rest, ok := strings.Cut(s, "=")
		if !ok {
			break
		}
		name = strings.ToLower(strings.Trim(name, " ,\t"))
		params[name], s = parameterValue(strings.TrimLeft(rest, " \t"))
	}
	return params
}

// parameterValue reads a token or a quoted string and returns what follows.
func parameterValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ",")
		return strings.TrimSpace(value), rest
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

func (v *visit) checkChallenge() finding { return namesMetadata(v.unauthorized(http.MethodPost)) }

func (v *visit) checkChallengeGet() finding { return namesMetadata(v.unauthorized(http.MethodGet)) }

func namesMetadata(a *answer) finding {
	params, ok := challenge(a)
	if !ok {
		return fail("%s without a Bearer challenge", a)
	}
	u, err := url.Parse(params["resource_metadata"])
	return check(err == nil && u.IsAbs() && u.Host != "", "resource_metadata is %q", params["resource_metadata"])
}

func (v *visit) checkChallengeScope() finding {
	params, ok := challenge(v.unauthorized(http.MethodPost))
	if !ok {
		return skip("there is no challenge")
	}
	if params["scope"] == "" && len(v.resource().list("scopes_supported")) == 0 {
		return pass("the resource has no scopes")
	}
	return check(params["scope"] != "", "scope is %q", params["scope"])
}

func (v *visit) checkChallengeError() finding {
	params, ok := challenge(v.unauthorized(http.MethodPost))
	if !ok {
		return skip("there is no challenge")
	}
	return check(params["error"] == "", "error is %q", params["error"])
}

// impostor sends a token of nobody.
func (v *visit) impostor() *answer {
	return v.once("bad token", func() *answer {
		return v.initializeAt(v.address, http.Header{"Authorization": {"Bearer no-token-of-anybody"}})
	})
}

func (v *visit) checkBadToken() finding {
	a := v.impostor()
	return check(a.status == http.StatusUnauthorized, "%s", a)
}

func (v *visit) checkBadTokenError() finding {
	params, ok := challenge(v.impostor())
	return check(ok && params["error"] == "invalid_token", "error is %q", params["error"])
}
