package doctor

import (
	"net/url"
	"strings"
)

func serverSteps() []step {
	all := Clients()
	return []step{
		{"as-metadata", "The authorization server describes itself", all, "status 200 with a JSON object at one of the well-known addresses",
			"Serve /.well-known/oauth-authorization-server, the issuer's path behind it (RFC 8414 section 3.1).", (*visit).checkMetadata},
		{"as-variants", "Every well-known address says the same", []Client{ChatGPT, Claude}, "the same issuer and token endpoint, or 404",
			"Serve one document at all of them, and 404 where there is none: some clients ask for OpenID Connect's first (RFC 8414 section 5).", (*visit).checkVariants},
		{"as-root", "Clients without RFC 9728 find it at the root", nil, "the document at the root of the endpoint's origin",
			"Serve the document, or a copy, at the root of the MCP server (MCP 2025-03-26, authorization, \"Server Metadata Discovery\").", (*visit).checkServerRoot},
		{"as-issuer", "The issuer is the one that was asked for", []Client{Codex}, "the member issuer equal to the entry of authorization_servers",
			"Write the issuer the same everywhere, to the last slash (RFC 8414 section 3.3).", (*visit).checkIssuer},
		{"as-absolute", "The endpoints are absolute", []Client{Claude}, "authorization_endpoint and token_endpoint as absolute URLs",
			"Write whole URLs (RFC 8414 section 2).", (*visit).checkAbsolute},
		{"as-origin", "The endpoints are on the issuer's origin", nil, "the scheme and the host of the issuer",
			"Serve the endpoints where the issuer is: whoever checks the issuer trusts its origin only (RFC 9700 section 4.4).", (*visit).checkOrigin},
		{"as-paths", "The endpoints have the default paths", []Client{Claude}, "/authorize, /token and /register at the root, if only as a second address",
			"Serve the endpoints at the default paths as well; some versions of Claude use these whatever the metadata say (MCP 2025-03-26, authorization, \"Fallbacks\").", (*visit).checkPaths},
		{"as-s256", "PKCE with S256 is advertised", []Client{ChatGPT, Claude}, "S256 in code_challenge_methods_supported",
			"List S256; without it clients must refuse to go on (RFC 8414 section 2, MCP authorization, \"Authorization Code Protection\").", (*visit).checkS256},
		{"as-plain", "PKCE with plain is not", nil, "no plain in code_challenge_methods_supported",
			"Take plain out (RFC 9700 section 2.1.1).", (*visit).checkPlain},
		{"as-iss", "The answer will say who answers", nil, "authorization_response_iss_parameter_supported: true",
			"Send iss in every authorization response and advertise it; ChatGPT and Codex then keep one stable callback (RFC 9207 section 3).", (*visit).checkIss},
		{"as-code", "The code flow is offered", nil, "code in response_types_supported",
			"List code (RFC 8414 section 2).", (*visit).checkCode},
		{"as-refresh", "Refresh tokens are offered", []Client{ChatGPT, Claude, ClaudeCode}, "refresh_token in grant_types_supported",
			"List and issue refresh tokens, else people sign in again each hour (RFC 8414 section 2).", (*visit).checkRefreshOffered},
		{"as-none", "Public clients may use the token endpoint", []Client{ClaudeCode, Codex}, "none in token_endpoint_auth_methods_supported",
			"List none: clients on a desktop keep no secret, and an absent list means client_secret_basic (RFC 8414 section 2).", (*visit).checkNone},
		{"as-registration", "There is a way to become a client", []Client{ChatGPT, Claude, ClaudeCode, Codex}, "registration_endpoint or client_id_metadata_document_supported",
			"Offer dynamic registration (RFC 7591) or client metadata documents.", (*visit).checkRegistration},
		{"as-cimd", "Client metadata documents come with none", []Client{Claude, ClaudeCode}, "none, where client_id_metadata_document_supported is true",
			"List none beside the flag, else Claude registers dynamically (OAuth Client ID Metadata Document, \"Authorization Server Metadata\").", (*visit).checkCIMD},
		{"as-revocation", "Tokens can be given back", nil, "revocation_endpoint",
			"Offer revocation, for when somebody logs in again or out (RFC 7009, RFC 8414 section 2).", (*visit).checkRevocation},
	}
}

// issuer returns the issuer that the resource names. Without one it is the
// endpoint's origin, as before RFC 9728.
func (v *visit) issuer() string {
	if servers := v.resource().list("authorization_servers"); len(servers) > 0 && absolute(servers[0]) {
		return servers[0]
	}
	return v.origin()
}

// serverURLs returns where clients look for the authorization server's
// metadata, in their order (MCP authorization, "Authorization Server Metadata
// Discovery").
func (v *visit) serverURLs() []string {
	u, err := url.Parse(v.issuer())
	if err != nil {
		return nil
	}
	at, path := originOf(u), strings.TrimSuffix(u.EscapedPath(), "/")
	urls := []string{at + "/.well-known/oauth-authorization-server" + path, at + "/.well-known/openid-configuration" + path}
	if path != "" {
		urls = append(urls, at+path+"/.well-known/openid-configuration")
	}
	return urls
}

// server returns the authorization server's metadata. It may be empty.
func (v *visit) server() document {
	for _, address := range v.serverURLs() {
		if d, err := v.get(address).document(); err == nil {
			return d
		}
	}
	return nil
}

// endpoint returns an endpoint of the authorization server, or "".
func (v *visit) endpoint(name string) string {
	if raw := v.server().text(name); absolute(raw) {
		return raw
	}
	return ""
}

// described runs a check that needs the server's metadata.
func (v *visit) described(f func(document) finding) finding {
	if d := v.server(); d != nil {
		return f(d)
	}
	return skip("there are no metadata of the authorization server")
}

func (v *visit) checkMetadata() finding {
	return check(v.server() != nil, "%s", v.get(v.serverURLs()[0]))
}

func (v *visit) checkVariants() finding {
	first := v.server()
	for _, address := range v.serverURLs() {
		a := v.get(address)
		if a.status != 200 {
			continue
		}
		d, err := a.document()
		if err != nil {
			return fail("%v at %s", err, address)
		}
		if d.text("issuer") != first.text("issuer") || d.text("token_endpoint") != first.text("token_endpoint") {
			return fail("%s says something else", address)
		}
	}
	return pass("they agree")
}

func (v *visit) checkServerRoot() finding {
	address := v.origin() + "/.well-known/oauth-authorization-server"
	d, err := v.get(address).document()
	if err != nil {
		return fail("%v at %s", err, address)
	}
	return check(d.text("token_endpoint") == v.server().text("token_endpoint"), "token_endpoint is %q", d.text("token_endpoint"))
}

func (v *visit) checkIssuer() finding {
	return v.described(func(d document) finding {
		return check(d.text("issuer") == v.issuer(), "issuer is %q, asked for was %q", d.text("issuer"), v.issuer())
	})
}

func (v *visit) checkAbsolute() finding {
	return v.described(func(d document) finding {
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
			if raw := d.text(name); !absolute(raw) && (raw != "" || name != "registration_endpoint") {
				return fail("%s is %q", name, raw)
			}
		}
		return pass("they are")
	})
}

func (v *visit) checkOrigin() finding {
	return v.described(func(d document) finding {
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"} {
			if raw := v.endpoint(name); raw != "" && !sameOrigin(raw, v.issuer()) {
				return fail("%s is %q", name, raw)
			}
		}
		return pass("they are")
	})
}

func sameOrigin(a, b string) bool {
	x, err1 := url.Parse(a)
	y, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && x.Scheme == y.Scheme && x.Host == y.Host
}

// checkPaths asks an address that is not in the metadata whether it is there
// all the same: for some clients that is what counts.
func (v *visit) checkPaths() finding {
	return v.described(func(document) finding {
		for _, e := range [][2]string{{"authorization_endpoint", "/authorize"}, {"token_endpoint", "/token"}, {"registration_endpoint", "/register"}} {
			raw, want := v.endpoint(e[0]), originOf(parsed(v.issuer()))+e[1]
			if raw == "" || raw == want {
				continue
			}
			if a := v.get(want); a.err != nil || a.status == 404 {
				return fail("%s is %q, and %s is not there", e[0], raw, e[1])
			}
		}
		return pass("they have")
	})
}

// parsed parses what is known to be a URL.
func parsed(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// lists runs a check of one list of the metadata.
func (v *visit) lists(name, value string) finding {
	return v.described(func(d document) finding {
		return check(d.has(name, value), "%s is %q", name, d.list(name))
	})
}

func (v *visit) checkS256() finding { return v.lists("code_challenge_methods_supported", "S256") }
func (v *visit) checkCode() finding { return v.lists("response_types_supported", "code") }
func (v *visit) checkNone() finding { return v.lists("token_endpoint_auth_methods_supported", "none") }
func (v *visit) checkRefreshOffered() finding {
	return v.lists("grant_types_supported", "refresh_token")
}

func (v *visit) checkPlain() finding {
	return v.described(func(d document) finding {
		return check(!d.has("code_challenge_methods_supported", "plain"), "code_challenge_methods_supported is %q", d.list("code_challenge_methods_supported"))
	})
}

func (v *visit) checkIss() finding {
	return v.described(func(d document) finding { return check(d.flag(issSupported), "it is not advertised") })
}

const (
	issSupported  = "authorization_response_iss_parameter_supported"
	cimdSupported = "client_id_metadata_document_supported"
)

func (v *visit) checkRegistration() finding {
	return v.described(func(d document) finding {
		return check(d.text("registration_endpoint") != "" || d.flag(cimdSupported), "registration_endpoint is %q", d.text("registration_endpoint"))
	})
}

func (v *visit) checkCIMD() finding {
	return v.described(func(d document) finding {
		if !d.flag(cimdSupported) {
			return skip("client metadata documents are not offered")
		}
		return check(d.has("token_endpoint_auth_methods_supported", "none"), "token_endpoint_auth_methods_supported is %q", d.list("token_endpoint_auth_methods_supported"))
	})
}

func (v *visit) checkRevocation() finding {
	return v.described(func(d document) finding {
		return check(v.endpoint("revocation_endpoint") != "", "revocation_endpoint is %q", d.text("revocation_endpoint"))
	})
}
