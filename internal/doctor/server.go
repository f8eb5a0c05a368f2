package doctor

func serverChecks() []check {
	all := Clients()
	return []check{
		{
			"as-metadata",
			"The authorization server describes itself",
			all,
			"status 200 with a JSON object at one of the well-known addresses",
			"Serve /.well-known/oauth-authorization-server, the issuer's path behind it (RFC 8414 section 3.1).",
			nil,
			checkMetadata,
		},
		{
			"as-variants",
			"Every well-known address says the same",
			[]Client{ChatGPT, Claude},
			"the same issuer and token endpoint, or 404",
			"Serve one document at all of them, and 404 where there is none: some clients ask for OpenID Connect's first (RFC 8414 section 5).",
			nil,
			checkVariants,
		},
		{
			"as-root",
			"Clients without RFC 9728 find it at the root",
			nil,
			"the document at the root of the endpoint's origin",
			"Serve the document, or a copy, at the root of the MCP server (MCP 2025-03-26, authorization, \"Server Metadata Discovery\").",
			nil,
			checkServerRoot,
		},
		{
			"as-issuer",
			"The issuer is the one that was asked for",
			[]Client{Codex},
			"the member issuer equal to the entry of authorization_servers",
			"Write the issuer the same everywhere, to the last slash (RFC 8414 section 3.3).",
			needMetadata,
			checkIssuer,
		},
		{
			"as-absolute",
			"The endpoints are absolute",
			[]Client{Claude},
			"authorization_endpoint and token_endpoint as absolute URLs",
			"Write whole URLs (RFC 8414 section 2).",
			needMetadata,
			checkAbsolute,
		},
		{
			"as-origin",
			"The endpoints are on the issuer's origin",
			nil,
			"the scheme and the host of the issuer",
			"Serve the endpoints on the issuer's origin: clients that check the issuer trust only that origin (RFC 9700 section 4.4).",
			needMetadata,
			checkOrigin,
		},
		{
			"as-paths",
			"The endpoints have the default paths",
			[]Client{Claude},
			"/authorize, /token and /register at the root, if only as a second address",
			"Serve the endpoints at the default paths as well; some versions of Claude use these whatever the metadata say (MCP 2025-03-26, authorization, \"Fallbacks\").",
			needMetadata,
			checkPaths,
		},
		{
			"as-s256",
			"PKCE with S256 is advertised",
			[]Client{ChatGPT, Claude},
			"S256 in code_challenge_methods_supported",
			"List S256; without it clients must refuse to go on (RFC 8414 section 2, MCP authorization, \"Authorization Code Protection\").",
			needMetadata,
			checkList("code_challenge_methods_supported", "S256"),
		},
		{"as-plain", "PKCE with plain is not", nil, "no plain in code_challenge_methods_supported",
			"Remove plain (RFC 9700 section 2.1.1).", needMetadata, checkPlain},
		{
			"as-iss",
			"The authorization response will name its issuer",
			nil,
			"authorization_response_iss_parameter_supported: true",
			"Send iss in every authorization response and advertise it; ChatGPT and Codex then keep one stable callback (RFC 9207 section 3).",
			needMetadata,
			checkIss,
		},
		{
			"as-code",
			"The code flow is offered",
			nil,
			"code in response_types_supported",
			"List code (RFC 8414 section 2).",
			needMetadata,
			checkList("response_types_supported", "code"),
		},
		{
			"as-refresh",
			"Refresh tokens are offered",
			[]Client{ChatGPT, Claude, ClaudeCode},
			"refresh_token in grant_types_supported",
			"List and issue refresh tokens, else people sign in again each hour (RFC 8414 section 2).",
			needMetadata,
			checkList("grant_types_supported", "refresh_token"),
		},
		{
			"as-none",
			"Public clients may use the token endpoint",
			[]Client{ClaudeCode, Codex},
			"none in token_endpoint_auth_methods_supported",
			"List none: clients on a desktop keep no secret, and an absent list means client_secret_basic (RFC 8414 section 2).",
			needMetadata,
			checkList("token_endpoint_auth_methods_supported", "none"),
		},
		{
			"as-registration",
			"There is a way to become a client",
			[]Client{ChatGPT, Claude, ClaudeCode, Codex},
			"registration_endpoint or client_id_metadata_document_supported",
			"Offer dynamic registration (RFC 7591) or client metadata documents.",
			needMetadata,
			checkRegistration,
		},
		{
			"as-cimd",
			"Client metadata documents come with none",
			[]Client{Claude, ClaudeCode},
			"none, where client_id_metadata_document_supported is true",
			"List none beside the flag, else Claude registers dynamically (OAuth Client ID Metadata Document, \"Authorization Server Metadata\").",
			needMetadata,
			checkCIMD,
		},
		{
			"as-revocation",
			"Tokens can be revoked",
			nil,
			"revocation_endpoint",
			"Offer revocation, for clients that log in again or log out (RFC 7009, RFC 8414 section 2).",
			needMetadata,
			checkRevocation,
		},
	}
}

const (
	issSupported  = "authorization_response_iss_parameter_supported"
	cimdSupported = "client_id_metadata_document_supported"
)

func checkMetadata(v *examination) finding {
	return expect(v.server() != nil, "{}", v.get(v.serverURLs()[0]))
}

func checkVariants(v *examination) finding {
	first := v.server()
	for _, address := range v.serverURLs() {
		a := v.get(address)
		if a.status != 200 {
			continue
		}
		d, err := a.document()
		if err != nil {
			return fail("{} at {}", err, address)
		}
		if d.text("issuer") != first.text("issuer") ||
			d.text("token_endpoint") != first.text("token_endpoint") {
			return fail("{} says something else", address)
		}
	}

	return pass("they agree")
}

func checkServerRoot(v *examination) finding {
	address := v.origin() + serverPath
	d, err := v.get(address).document()
	if err != nil {
		return fail("{} at {}", err, address)
	}

	return expect(
		d.text("token_endpoint") == v.server().text("token_endpoint"),
		"{} is \"{}\"",
		"token_endpoint",
		d.text("token_endpoint"),
	)
}

func checkIssuer(v *examination) finding {
	got := v.server().text("issuer")
	return expect(got == v.issuer(), "issuer is \"{}\", asked for was \"{}\"", got, v.issuer())
}

func checkAbsolute(v *examination) finding {
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
		if raw := v.server().text(name); !absolute(raw) &&
			(raw != "" || name != "registration_endpoint") {
			return fail("{} is \"{}\"", name, raw)
		}
	}
	return pass("they are")
}

func checkOrigin(v *examination) finding {
	for _, name := range []string{
		"authorization_endpoint",
		"token_endpoint",
		"registration_endpoint",
		"revocation_endpoint",
	} {
		if raw := v.endpoint(name); raw != "" && !sameOrigin(raw, v.issuer()) {
			return fail("{} is \"{}\"", name, raw)
		}
	}
	return pass("they are")
}

// checkPaths tries default paths that are not in the metadata, because some clients use
// them in any case.
func checkPaths(v *examination) finding {
	for _, e := range [][2]string{
		{"authorization_endpoint", "/authorize"},
		{"token_endpoint", "/token"},
		{"registration_endpoint", "/register"},
	} {
		raw := v.endpoint(e[0])
		want := originOf(parsed(v.issuer())) + e[1]
		if raw == "" || raw == want {
			continue
		}
		if a := v.get(want); a.err != nil || a.status == 404 {
			return fail("{} is \"{}\", and {} is not there", e[0], raw, e[1])
		}
	}
	return pass("they have")
}

func checkList(name, value string) func(*examination) finding {
	return func(v *examination) finding {
		d := v.server()
		return expect(d.has(name, value), "{} is {}", name, d.list(name))
	}
}

func checkPlain(v *examination) finding {
	const name = "code_challenge_methods_supported"
	d := v.server()
	return expect(!d.has(name, "plain"), "{} is {}", name, d.list(name))
}

func checkIss(v *examination) finding {
	return expect(v.server().flag(issSupported), "it is not advertised")
}

func checkRegistration(v *examination) finding {
	d := v.server()
	return expect(
		d.text("registration_endpoint") != "" || d.flag(cimdSupported),
		"{} is \"{}\"",
		"registration_endpoint",
		d.text("registration_endpoint"),
	)
}

func checkCIMD(v *examination) finding {
	if !v.server().flag(cimdSupported) {
		return skip("client metadata documents are not offered")
	}
	return checkList("token_endpoint_auth_methods_supported", "none")(v)
}

func checkRevocation(v *examination) finding {
	return expect(
		v.endpoint("revocation_endpoint") != "",
		"{} is \"{}\"",
		"revocation_endpoint",
		v.server().text("revocation_endpoint"),
	)
}
