package doctor

import (
	"slices"
	"strings"
)

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

	root := d.text("resource")
	if v.address != root && strings.HasPrefix(v.address, root+"/") {
		return skip("the root has the metadata of another endpoint, {}", root)
	}
	return expect(
		root == v.resource().text("resource"),
		"{} is \"{}\"",
		"resource",
		root,
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
