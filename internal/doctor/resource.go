package doctor

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	offline      = "offline_access"
)

func resourceSteps() []step {
	return []step{
		{"prm-challenge", "The challenge leads to the resource's metadata", []Client{ChatGPT, Claude}, "status 200 with a JSON object",
			"Serve the document at the address that the challenge names (RFC 9728 section 5.1).", (*visit).checkNamed},
		{"prm-path", "The resource's metadata stand where the path is put in", []Client{Claude, ClaudeCode, Codex}, "status 200 with a JSON object",
			"Serve " + resourcePath + " with the path of the endpoint added; Claude Code begins there (RFC 9728 section 3.1).", (*visit).checkResourcePath},
		{"prm-root", "The resource's metadata stand at the root too", nil, "the same resource as at the path",
			"Serve " + resourcePath + " too; clients look there when they fall back, Claude Code when it logs in again (MCP authorization, \"Protected Resource Metadata Discovery\").", (*visit).checkResourceRoot},
		{"prm-resource", "The resource is the URL", []Client{Claude, ClaudeCode}, "the member resource equal to the URL, as it was typed",
			"Set the public address of the server; clients refuse metadata of another resource (RFC 9728 section 3.3).", (*visit).checkResource},
		{"prm-servers", "The resource names its authorization server", []Client{ChatGPT, Claude}, "authorization_servers with an absolute URL first",
			"Name the issuer in authorization_servers; Claude takes only the first (RFC 9728 section 2).", (*visit).checkServers},
		{"prm-offline", "The resource does not offer offline_access", nil, "no offline_access in challenge and scopes_supported",
			"Offer offline_access in the authorization server's metadata only (MCP 2026-07-28, authorization).", (*visit).checkOffline},
		{"prm-scopes", "The lists of scopes agree", []Client{Claude}, "scopes of the challenge in the resource's metadata, and those in the server's",
			"Keep the three lists consistent: Claude takes scopes from each of them (RFC 9728 section 2, RFC 8414 section 2).", (*visit).checkScopes},
		{"prm-redirect", "The metadata do not redirect", []Client{Claude}, "answers that are no redirects",
			"Serve the documents where clients look for them (RFC 9728 section 3.1).", (*visit).checkMetadataRedirects},
	}
}

func (v *visit) resourcePathURL() string {
	return v.origin() + resourcePath + strings.TrimSuffix(v.url.EscapedPath(), "/")
}

// named returns the address that the challenge names.
func (v *visit) named() string {
	params, _ := challenge(v.unauthorized(http.MethodPost))
	u, err := url.Parse(params["resource_metadata"])
	if err != nil || !u.IsAbs() || u.Host == "" {
		return ""
	}
	return u.String()
}

// resource returns the resource's metadata, from where a client finds them
// first: the challenge, the path, the root. It may be empty.
func (v *visit) resource() document {
	for _, address := range []string{v.named(), v.resourcePathURL(), v.origin() + resourcePath} {
		if address == "" {
			continue
		}
		if d, err := v.get(address).document(); err == nil {
			return d
		}
	}
	return nil
}

func (v *visit) checkNamed() finding {
	address := v.named()
	if address == "" {
		return skip("the challenge names no metadata")
	}
	_, err := v.get(address).document()
	return check(err == nil, "%s at %s", v.get(address), address)
}

func (v *visit) checkResourcePath() finding {
	a := v.get(v.resourcePathURL())
	if _, err := a.document(); err != nil {
		return fail("%v at %s", err, v.resourcePathURL())
	}
	return pass("%s", a)
}

func (v *visit) checkResourceRoot() finding {
	d, err := v.get(v.origin() + resourcePath).document()
	if err != nil {
		return fail("%v", err)
	}
	return check(d.text("resource") == v.resource().text("resource"), "resource is %q", d.text("resource"))
}

func (v *visit) checkResource() finding {
	d := v.resource()
	if d == nil {
		return skip("there are no metadata of the resource")
	}
	return check(d.text("resource") == v.address, "resource is %q", d.text("resource"))
}

func (v *visit) checkServers() finding {
	d := v.resource()
	if d == nil {
		return fail("there are no metadata of the resource")
	}
	servers := d.list("authorization_servers")
	return check(len(servers) > 0 && absolute(servers[0]), "authorization_servers is %q", servers)
}

func absolute(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

func (v *visit) checkOffline() finding {
	params, _ := challenge(v.unauthorized(http.MethodPost))
	if slices.Contains(strings.Fields(params["scope"]), offline) {
		return fail("the challenge names it")
	}
	return check(!v.resource().has("scopes_supported", offline), "scopes_supported is %q", v.resource().list("scopes_supported"))
}

func (v *visit) checkScopes() finding {
	params, _ := challenge(v.unauthorized(http.MethodPost))
	mine, theirs := v.resource().list("scopes_supported"), v.server().list("scopes_supported")
	if s, ok := missing(strings.Fields(params["scope"]), mine); ok {
		return fail("the challenge asks for %q, which the resource does not list", s)
	}
	if s, ok := missing(mine, theirs); ok {
		return fail("the resource lists %q, which the authorization server does not", s)
	}
	return pass("they agree")
}

// missing returns the first that is not in a list; an empty list says nothing.
func missing(all, list []string) (string, bool) {
	for _, s := range all {
		if len(list) > 0 && !slices.Contains(list, s) {
			return s, true
		}
	}
	return "", false
}

func (v *visit) checkMetadataRedirects() finding {
	for _, address := range append(v.serverURLs(), v.resourcePathURL(), v.origin()+resourcePath) {
		if a := v.get(address); a.redirect() {
			return fail("%s at %s", a, address)
		}
	}
	return pass("none does")
}
