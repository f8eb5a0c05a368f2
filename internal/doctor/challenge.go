package doctor

import (
	"net/http"
)

func check401(method string) func(*examination) finding {
	return func(v *examination) finding { return expectStatus(v.unauthorized(method), http.StatusUnauthorized) }
}

func checkBeforeBody(v *examination) finding {
	return expectStatus(v.post(v.address, nil, "{"), http.StatusUnauthorized)
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
