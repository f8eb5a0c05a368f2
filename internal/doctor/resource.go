package doctor

import (
	"slices"
	"strings"
)

func resourceChecks() []check {
	return []check{
		{
			"prm-challenge",
			"The challenge leads to the resource's metadata",
			[]Client{ChatGPT, Claude},
			"status 200 with a JSON object",
			"Serve the document at the address that the challenge names (RFC 9728 section 5.1).",
			nil,
			checkNamed,
		},
		{
			"prm-path",
			"The resource's metadata are at the address with the path",
			[]Client{Claude, ClaudeCode, Codex},
			"status 200 with a JSON object",
			"Serve " + resourcePath + " with the path of the endpoint added; Claude Code begins there (RFC 9728 section 3.1).",
			nil,
			checkResourcePath,
		},
		{
			"prm-root",
			"The resource's metadata are at the root too",
			nil,
			"the same resource as at the path",
			"Serve " + resourcePath + " too; clients look there when they fall back, Claude Code when it logs in again (MCP authorization, \"Protected Resource Metadata Discovery\").",
			nil,
			checkResourceRoot,
		},
		{
			"prm-resource",
			"The resource is the URL",
			[]Client{Claude, ClaudeCode},
			"the member resource equal to the URL, as it was typed",
			"Set the public address of the server; clients refuse metadata of another resource (RFC 9728 section 3.3).",
			nil,
			checkResource,
		},
		{
			"prm-servers",
			"The resource names its authorization server",
			[]Client{ChatGPT, Claude},
			"authorization_servers with an absolute URL first",
			"Name the issuer in authorization_servers; Claude takes only the first (RFC 9728 section 2).",
			nil,
			checkServers,
		},
		{
			"prm-offline",
			"The resource does not offer offline_access",
			nil,
			"no offline_access in challenge and scopes_supported",
			"Offer offline_access in the authorization server's metadata only (MCP 2026-07-28, authorization).",
			nil,
			checkOffline,
		},
		{
			"prm-scopes",
			"The lists of scopes agree",
			[]Client{Claude},
			"scopes of the challenge in the resource's metadata, and those in the server's",
			"Keep the three lists consistent: Claude takes scopes from each of them (RFC 9728 section 2, RFC 8414 section 2).",
			nil,
			checkScopes,
		},
		{
			"prm-redirect",
			"The metadata do not redirect",
			[]Client{Claude},
			"answers that are no redirects",
			"Serve the documents where clients look for them (RFC 9728 section 3.1).",
			nil,
			checkMetadataRedirects,
		},
	}
}

const offline = "offline_access"

func checkNamed(v *examination) finding {
	address := v.metadataURL()
	if address == "" {
		return skip("the challenge names no metadata")
	}
	_, err := v.get(address).document()
	return expect(err == nil, "{} at {}", v.get(address), address)
}

func checkResourcePath(v *examination) finding {
	a := v.get(v.resourcePathURL())
	if _, err := a.document(); err != nil {
		return fail("{} at {}", err, v.resourcePathURL())
	}
	return pass("{}", a)
}

func checkResourceRoot(v *examination) finding {
	d, err := v.get(v.origin() + resourcePath).document()
	if err != nil {
		return fail("{}", err)
	}

	return expect(
		d.text("resource") == v.resource().text("resource"),
		"{} is \"{}\"",
		"resource",
		d.text("resource"),
	)
}

func checkResource(v *examination) finding {
	d := v.resource()
	if d == nil {
		return skip("there are no metadata of the resource")
	}
	return expect(d.text("resource") == v.address, "{} is \"{}\"", "resource", d.text("resource"))
}

func checkServers(v *examination) finding {
	d := v.resource()
	if d == nil {
		return fail("there are no metadata of the resource")
	}

	servers := d.list("authorization_servers")
	return expect(
		len(servers) > 0 && absolute(servers[0]),
		"{} is {}",
		"authorization_servers",
		servers,
	)
}

func checkOffline(v *examination) finding {
	if slices.Contains(strings.Fields(v.challenge()["scope"]), offline) {
		return fail("the challenge names it")
	}
	scopes := v.resource().list("scopes_supported")
	return expect(!slices.Contains(scopes, offline), "{} is {}", "scopes_supported", scopes)
}

func checkScopes(v *examination) finding {
	resource := v.resource().list("scopes_supported")
	server := v.server().list("scopes_supported")
	if s, ok := missing(strings.Fields(v.challenge()["scope"]), resource); ok {
		return fail("the challenge asks for \"{}\", which the resource does not list", s)
	}
	if s, ok := missing(resource, server); ok {
		return fail("the resource lists \"{}\", which the authorization server does not", s)
	}
	return pass("they agree")
}

// missing returns the first value that is not in a list; an empty list says nothing.
func missing(values, list []string) (string, bool) {
	for _, s := range values {
		if len(list) > 0 && !slices.Contains(list, s) {
			return s, true
		}
	}
	return "", false
}

func checkMetadataRedirects(v *examination) finding {
	for _, address := range append(v.serverURLs(), v.resourcePathURL(), v.origin()+resourcePath) {
		if a := v.get(address); a.redirect() {
			return fail("{} at {}", a, address)
		}
	}
	return pass("no redirects")
}
