package doctor

import (
	"net/http"
)

func challengeChecks() []check {
	return []check{
		{
			"post-401",
			"POST without a token is answered 401",
			Clients(),
			"status 401",
			"Check the token before anything else and answer 401; a tool's error or a 403 starts no login (RFC 6750 section 3.1).",
			nil,
			check401(http.MethodPost),
		},
		{
			"get-401",
			"GET without a token is answered 401",
			[]Client{Codex},
			"status 401, not 405",
			"Guard every method: Codex begins with a GET (RFC 9728 section 5).",
			nil,
			check401(http.MethodGet),
		},
		{"delete-401", "DELETE without a token is answered 401", nil, "status 401",
			"Guard every method (RFC 9728 section 5).", nil, check401(http.MethodDelete)},
		{
			"401-before-body",
			"The token is checked before the body is read",
			nil,
			"status 401 for a body that is not JSON",
			"Put the guard before the parser, so that strangers cannot reach it.",
			nil,
			checkBeforeBody,
		},
		{"challenge", "The 401 says where the metadata is", []Client{ChatGPT, Claude, Codex},
			`WWW-Authenticate: Bearer resource_metadata="<absolute URL>"`,
			"Send the challenge with each 401 (RFC 9728 section 5.1).", nil, checkChallenge},
		{
			"challenge-get",
			"The 401 to a GET says where the metadata is",
			[]Client{Codex},
			"the same challenge",
			"Send the challenge with each 401; Codex reads the one to its GET (RFC 9728 section 5.1).",
			nil,
			checkChallengeGet,
		},
		{
			"challenge-scope",
			"The challenge names the scopes to ask for",
			[]Client{Codex},
			"the parameter scope, where the resource has scopes",
			"Name every everyday scope in the challenge (RFC 6750 section 3, MCP authorization, \"Scope Selection Strategy\").",
			needChallenge,
			checkChallengeScope,
		},
		{
			"challenge-error",
			"The challenge names no error when no token was sent",
			nil,
			"no parameter error",
			"Leave the error out when there was no token (RFC 6750 section 3.1).",
			needChallenge,
			checkChallengeError,
		},
		{
			"bad-token",
			"A bad token is answered 401",
			[]Client{Claude, ClaudeCode},
			"status 401",
			"Answer 401, on which clients refresh; not 403, 400 or 500 (RFC 6750 section 3.1).",
			nil,
			checkBadToken,
		},
		{
			"bad-token-error",
			"The challenge says that the token is bad",
			nil,
			`the parameter error="invalid_token"`,
			"Send the error, so that a client can tell a bad token from a missing one (RFC 6750 section 3.1).",
			nil,
			checkBadTokenError,
		},
	}
}

func check401(method string) func(*examination) finding {
	return func(v *examination) finding { return expectStatus(v.unauthorized(method), http.StatusUnauthorized) }
}

func checkBeforeBody(v *examination) finding {
	h := http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json, text/event-stream"},
	}
	a := v.send(request{
		method: http.MethodPost,
		url:    v.address,
		header: h,
		body:   []byte("{"),
	})
	return expectStatus(a, http.StatusUnauthorized)
}

func checkChallenge(v *examination) finding {
	return namesMetadata(v.unauthorized(http.MethodPost))
}

func checkChallengeGet(v *examination) finding {
	return namesMetadata(v.unauthorized(http.MethodGet))
}

func namesMetadata(a *answer) finding {
	params := challenge(a)
	if params == nil {
		return fail("{} without a Bearer challenge", a)
	}

	return expect(
		absolute(params["resource_metadata"]),
		"{} is \"{}\"",
		"resource_metadata",
		params["resource_metadata"],
	)
}

func checkChallengeScope(v *examination) finding {
	scope := v.challenge()["scope"]
	if scope == "" && len(v.resource().list("scopes_supported")) == 0 {
		return pass("the resource has no scopes")
	}
	return expect(scope != "", "{} is \"{}\"", "scope", scope)
}

func checkChallengeError(v *examination) finding {
	code := v.challenge()["error"]
	return expect(code == "", "{} is \"{}\"", "error", code)
}

func checkBadToken(v *examination) finding {
	return expectStatus(v.badToken(), http.StatusUnauthorized)
}

func checkBadTokenError(v *examination) finding {
	code := challenge(v.badToken())["error"]
	return expect(code == "invalid_token", "{} is \"{}\"", "error", code)
}
