package doctor

import "net/http"

// finding is what a check found.
type finding struct {
	status Status
	text   Sentence
	breaks []Client // instead of the check's, where this case differs
}

func pass(key string, values ...any) finding {
	return finding{status: Passed, text: say(key, values...)}
}

func fail(key string, values ...any) finding {
	return finding{status: Failed, text: say(key, values...)}
}

func skip(key string, values ...any) finding {
	return finding{status: Skipped, text: say(key, values...)}
}

// expect passes or fails with the same words.
func expect(ok bool, key string, values ...any) finding {
	if ok {
		return pass(key, values...)
	}
	return fail(key, values...)
}

func expectStatus(a *answer, status int) finding { return expect(a.status == status, "{}", a) }

// breaking names the clients that break in this case.
func (f finding) breaking(clients ...Client) finding {
	f.breaks = clients
	return f
}

// try runs a check, unless it cannot be examined. A failure because the doctor had to
// stop is no fault of the server.
func (v *examination) try(c check) finding {
	switch {
	case v.cutShort != "":
		return skip(v.cutShort)
	case v.badURL && c.ID != "url":
		return skip("the URL is not one to call")
	case v.absent && c.Of != "address":
		return skip("there is no MCP server to examine")
	case c.Of == "login" && v.open():
		return skip("the server asks for no login")
	}
	for _, name := range c.Needs {
		if why := needs[name](v); why != "" {
			return skip(why)
		}
	}

	f := examiners[c.ID](v)
	if v.cutShort != "" && f.status == Failed {
		return skip(v.cutShort)
	}

	return f
}

// result runs a check and returns its result.
func (v *examination) result(c check) Result {
	f := v.try(c)
	cleanValues(f.text, v.clean)
	r := Result{
		ID:       c.ID,
		Title:    c.Title,
		Status:   f.status,
		Sentence: f.text,
		Got:      v.clean(f.text.Error()),
	}
	if f.status == Failed {
		r.Expected = c.Expect
		r.Breaks = c.Breaks
		r.Fix = c.Fix
		r.Minor = c.Minor
		if f.breaks != nil {
			r.Breaks = f.breaks
		}
	}

	return r
}

// The needs of checks.

func need(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func needMetadata(v *examination) string {
	return need(v.server() != nil, "there are no metadata of the authorization server")
}

func needChallenge(v *examination) string {
	return need(v.challenge() != nil, "there is no challenge")
}

func needRegistration(v *examination) string {
	return need(v.endpoint("registration_endpoint") != "", "there is no registration endpoint")
}

func needApp(v *examination) string { return v.needAppAnd("authorization_endpoint") }

func needTokenEndpoint(v *examination) string { return v.needAppAnd("token_endpoint") }

func (v *examination) needAppAnd(endpoint string) string {
	if v.endpoint(endpoint) == "" || v.app.registered().id == "" {
		return "there is no client to ask for"
	}
	return ""
}

// needPage needs the page of a good authorization request.
func needPage(v *examination) string {
	return need(
		v.app.authorize(nil).status == http.StatusOK, "there is no page at the endpoint itself",
	)
}

func needLogin(v *examination) string {
	if !v.app.login {
		return "there was no login"
	}
	v.grant.login()
	return ""
}

func needTokens(v *examination) string {
	return need(v.grant.tokens.text("access_token") != "", "there was no token")
}

func needRefreshToken(v *examination) string {
	return need(v.grant.tokens.text("refresh_token") != "", "there is no refresh token")
}

// needToken needs an access token, of a login or given, where the server wants one.
func needToken(v *examination) string {
	return need(v.open() || v.mcp.token() != "", "there is no token")
}

func needSession(v *examination) string {
	v.mcp.session()
	return need(v.mcp.began.err == nil, "there is no session")
}

func needSessionID(v *examination) string {
	return need(v.mcp.id != "", "the server has no sessions")
}

func needTools(v *examination) string {
	return need(len(v.mcp.tools().tools) != 0, "there are no tools")
}
