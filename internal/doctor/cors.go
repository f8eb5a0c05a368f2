package doctor

import (
	"net/http"
	"strings"
)

// foreign is the origin of a page of another site.
const foreign = "http://localhost:6274"

func mcpHeaders() []string {
	return []string{
		"Authorization",
		"Content-Type",
		"MCP-Protocol-Version",
		"Mcp-Method",
		"Mcp-Name",
		"Mcp-Session-Id",
	}
}

func allows(a *answer, origin string) bool {
	got := a.header.Get("Access-Control-Allow-Origin")
	return a.err == nil && (got == "*" || got == origin)
}

func checkCORSMetadata(v *examination) finding {
	for _, address := range []string{v.resourcePathURL(), v.serverURLs()[0]} {
		a := v.send(http.MethodGet, address, http.Header{"Origin": {foreign}}, "")
		if !allows(a, foreign) {
			return fail("{} without it at {}", a, address)
		}
	}
	return pass("they may")
}

// preflight asks as a browser does before it sends a page's POST.
func (s *target) preflight(address, origin string, headers ...string) finding {
	h := http.Header{
		"Origin":                         {origin},
		"Access-Control-Request-Method":  {http.MethodPost},
		"Access-Control-Request-Headers": {strings.ToLower(strings.Join(headers, ","))},
	}
	a := s.send(http.MethodOptions, address, h, "")
	if a.status/100 != 2 || !allows(a, origin) {
		return fail(
			"{}, Access-Control-Allow-Origin \"{}\"",
			a,
			a.header.Get("Access-Control-Allow-Origin"),
		)
	}

	allowed := strings.ToLower(a.header.Get("Access-Control-Allow-Headers"))
	for _, name := range headers {
		// The wildcard does not cover Authorization (Fetch, "CORS protocol").
		if !strings.Contains(allowed, strings.ToLower(name)) &&
			(name == "Authorization" || !strings.Contains(allowed, "*")) {
			return fail("the header {} is not allowed", name)
		}
	}

	return pass("they may")
}

func checkPreflight(endpoint string) func(*examination) finding {
	return func(v *examination) finding {
		if address := v.endpoint(endpoint + "_endpoint"); address != "" {
			return v.preflight(address, foreign, "Content-Type")
		}
		return skip("the server names no {}", endpoint+"_endpoint")
	}
}

func checkCORSMCP(v *examination) finding {
	return v.preflight(v.address, v.origin(), mcpHeaders()...)
}

func checkCORSChallenge(v *examination) finding {
	a := v.initialize(v.address, http.Header{"Origin": {v.origin()}})
	exposed := strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
	return expect(
		allows(a, v.origin()) && strings.Contains(exposed, "www-authenticate"),
		"{}, exposed are \"{}\"",
		a,
		exposed,
	)
}
