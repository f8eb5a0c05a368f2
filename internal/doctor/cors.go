package doctor

import (
	"net/http"
	"strings"
)

// foreign is the origin of a page that is not the server's.
const foreign = "http://localhost:6274"

func corsSteps() []step {
	web := []Client{Inspector}
	return []step{
		{"cors-metadata", "Pages may read the metadata", web, "Access-Control-Allow-Origin on both documents",
			"Allow every origin: the documents are public (RFC 9728 section 3.2; Fetch, \"CORS protocol\").", (*visit).checkCORSMetadata},
		{"cors-token", "Pages may use the token endpoint", web, "a preflight that is allowed",
			"Answer OPTIONS with Access-Control-Allow-Origin and the headers that clients send (Fetch, \"CORS protocol\").", (*visit).checkCORSToken},
		{"cors-register", "Pages may register", web, "a preflight that allows Content-Type",
			"Answer OPTIONS with Access-Control-Allow-Origin and Content-Type among the headers (Fetch, \"CORS protocol\").", (*visit).checkCORSRegister},
		{"cors-mcp", "Pages of the server's own origin may call it", web, "a preflight without a token that allows " + strings.Join(mcpHeaders(), ", "),
			"Answer OPTIONS before the token is asked for; a preflight carries none (Fetch, \"CORS protocol\").", (*visit).checkCORSMCP},
		{"cors-challenge", "Pages may read the challenge", web, "Access-Control-Expose-Headers with WWW-Authenticate on the 401",
			"Expose WWW-Authenticate and Mcp-Session-Id (Fetch, \"CORS protocol\").", (*visit).checkCORSChallenge},
	}
}

func mcpHeaders() []string {
	return []string{"Authorization", "Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"}
}

func allows(a *answer, origin string) bool {
	got := a.header.Get("Access-Control-Allow-Origin")
	return a.err == nil && (got == "*" || got == origin)
}

func (v *visit) checkCORSMetadata() finding {
	for _, address := range []string{v.resourcePathURL(), v.serverURLs()[0]} {
		a := v.send(request{method: http.MethodGet, url: address, header: http.Header{"Origin": {foreign}}})
		if !allows(a, foreign) {
			return fail("%s without it at %s", a, address)
		}
	}
	return pass("they may")
}

// preflight asks as a browser does before it sends a page's POST.
func (v *visit) preflight(address, origin string, headers ...string) finding {
	a := v.send(request{method: http.MethodOptions, url: address, header: http.Header{
		"Origin":                         {origin},
		"Access-Control-Request-Method":  {http.MethodPost},
		"Access-Control-Request-Headers": {strings.ToLower(strings.Join(headers, ","))},
	}})
	if a.status/100 != 2 || !allows(a, origin) {
		return fail("%s, Access-Control-Allow-Origin %q", a, a.header.Get("Access-Control-Allow-Origin"))
	}
	allowed := strings.ToLower(a.header.Get("Access-Control-Allow-Headers"))
	for _, name := range headers {
		// The wildcard does not cover Authorization (Fetch, "CORS protocol").
		if !strings.Contains(allowed, strings.ToLower(name)) && (name == "Authorization" || !strings.Contains(allowed, "*")) {
			return fail("the header %s is not allowed", name)
		}
	}
	return pass("they may")
}

func (v *visit) checkCORSToken() finding {
	if address := v.endpoint("token_endpoint"); address != "" {
		return v.preflight(address, foreign, "Content-Type")
	}
	return skip("there is no token endpoint")
}

func (v *visit) checkCORSRegister() finding {
	if address := v.endpoint("registration_endpoint"); address != "" {
		return v.preflight(address, foreign, "Content-Type")
	}
	return skip("there is no registration endpoint")
}

func (v *visit) checkCORSMCP() finding { return v.preflight(v.address, v.origin(), mcpHeaders()...) }

func (v *visit) checkCORSChallenge() finding {
	a := v.initializeAt(v.address, http.Header{"Origin": {v.origin()}})
	exposed := strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
	return check(allows(a, v.origin()) && strings.Contains(exposed, "www-authenticate"), "%s, exposed are %q", a, exposed)
}
