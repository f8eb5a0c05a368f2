package doctor

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
