package doctor

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

func reachSteps() []step {
	return []step{
		{"url", "The URL is one that clients accept", Clients(),
			"an absolute http or https URL without user information and fragment",
			"Use the canonical address of the server, such as https://host/mcp (RFC 8707 section 2, MCP authorization, \"Canonical Server URI\").", (*visit).checkURL},
		{"https", "The URL is https", []Client{ChatGPT, Claude},
			"https, unless the server is on this computer",
			"Put TLS in front of the server: tokens travel in each request (RFC 6750 section 5.3).", (*visit).checkHTTPS},
		{"dns", "The name resolves", Clients(), "at least one address",
			"Publish an A record for the name.", (*visit).checkDNS},
		{"public", "The addresses are public", []Client{ChatGPT, Claude}, "no private address",
			"Hosted clients call from their own networks: publish a public address, or lead a tunnel to the server.", (*visit).checkPublic},
		{"ipv4", "There is an IPv4 address", []Client{Claude}, "at least one IPv4 address",
			"Publish an A record: Claude calls over IPv4 only.", (*visit).checkIPv4},
		{"tls", "The certificate is good", Clients(), "a certificate that verifies",
			"Serve the whole chain for this name, from a public authority (RFC 9110 section 4.3.4).", (*visit).checkTLS},
		{"reach", "The server answers", Clients(), "an HTTP answer",
			"Start the server, and open the way to it.", (*visit).checkReach},
		{"redirect-mcp", "The endpoint does not redirect", []Client{Claude, Inspector}, "an answer that is no redirect",
			"Give clients the address that answers; a redirect loses the body or the token (SDKs follow it to the same origin only, Claude to no other host).", (*visit).checkRedirect},
		{"redirect-slash", "The endpoint with a slash does not redirect", []Client{Claude, Inspector}, "an answer that is no redirect",
			"Serve the path with and without a slash at its end alike.", (*visit).checkSlash},
	}
}

// origin returns scheme and host of the URL.
func (v *visit) origin() string { return originOf(v.url) }

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

func (v *visit) checkURL() finding {
	u := v.url
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fail("%q is not an absolute http or https URL", v.address)
	case u.User != nil:
		return fail("the URL holds user information")
	case strings.Contains(v.address, "#"):
		return fail("the URL has a fragment")
	}
	return pass("%s", v.address)
}

// local tells whether the server is on this computer, where hosted clients
// never come.
func (v *visit) local() bool {
	host := v.url.Hostname()
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (v *visit) checkHTTPS() finding {
	if v.local() {
		return skip("the server is on this computer, where hosted clients do not come")
	}
	return check(v.url.Scheme == "https", "the scheme is %q", v.url.Scheme)
}

func (v *visit) addresses() ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(v.url.Hostname()); err == nil {
		return []netip.Addr{ip}, nil
	}
	return v.d.lookup(v.ctx, v.url.Hostname())
}

func (v *visit) checkDNS() finding {
	addrs, err := v.addresses()
	if err != nil {
		return fail("%v", err)
	}
	return check(len(addrs) > 0, "%d addresses", len(addrs))
}

func (v *visit) checkPublic() finding {
	addrs, err := v.addresses()
	if v.local() || err != nil {
		return skip("the server is on this computer, or its name does not resolve")
	}
	for _, a := range addrs {
		if a = a.Unmap(); a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() {
			return fail("%s is private", a)
		}
	}
	return pass("%d public addresses", len(addrs))
}

func (v *visit) checkIPv4() finding {
	addrs, err := v.addresses()
	if v.local() || err != nil {
		return skip("the server is on this computer, or its name does not resolve")
	}
	has := slices.ContainsFunc(addrs, func(a netip.Addr) bool { return a.Unmap().Is4() })
	return check(has, "the addresses are %v", addrs)
}

func (v *visit) checkTLS() finding {
	if v.url.Scheme != "https" {
		return skip("the URL is not https")
	}
	err := v.unauthorized(http.MethodPost).err
	if bad := (*tls.CertificateVerificationError)(nil); errors.As(err, &bad) {
		return fail("%v", bad.Err)
	}
	if err != nil {
		return skip("there was no answer: %v", err)
	}
	return pass("verified")
}

func (v *visit) checkReach() finding {
	v.reached = true
	a := v.unauthorized(http.MethodPost)
	return check(a.err == nil, "%s", a)
}

func (v *visit) checkRedirect() finding {
	a := v.unauthorized(http.MethodPost)
	return check(!a.redirect(), "%s", a)
}

func (v *visit) checkSlash() finding {
	if strings.Trim(v.url.Path, "/") == "" || strings.HasSuffix(v.url.Path, "/") {
		return skip("the URL has no path to which a slash could be added")
	}
	u := *v.url
	u.Path += "/"
	a := v.initializeAt(u.String(), nil)
	return check(a.err == nil && !a.redirect(), "%s", a)
}
