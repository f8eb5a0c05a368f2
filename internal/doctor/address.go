package doctor

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Complete adds the scheme to an address that was typed without one.
func Complete(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || strings.Contains(address, "://") {
		return address
	}

	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}

	ip, _ := netip.ParseAddr(host)
	if host == "localhost" || ip.IsLoopback() {
		return "http://" + address
	}

	return "https://" + address
}

func checkURL(v *examination) finding {
	u := v.url
	switch {
	case !absolute(v.address) || u.Hostname() == "":
		return fail("\"{}\" is not an absolute http or https URL", v.address)
	case u.User != nil:
		return fail("the URL holds user information")
	case strings.Contains(v.address, "#"):
		return fail("the URL has a fragment")
	}

	return pass("{}", v.address)
}

func checkHTTPS(v *examination) finding {
	if v.local() {
		return skip("the server is on this computer, which hosted clients cannot reach")
	}
	return expect(v.url.Scheme == "https", "the scheme is \"{}\"", v.url.Scheme)
}

func checkDNS(v *examination) finding {
	addrs, err := v.addresses()
	if err != nil {
		return fail("{}", err)
	}
	return expect(len(addrs) > 0, "{} addresses", len(addrs))
}

func needPublicName(v *examination) string {
	if _, err := v.addresses(); v.local() || err != nil {
		return "the server is on this computer, or its name does not resolve"
	}
	return ""
}

func checkPublic(v *examination) finding {
	addrs, _ := v.addresses()
	for _, a := range addrs {
		a = a.Unmap()
		if a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() {
			return fail("{} is private", a)
		}
	}
	return pass("{} public addresses", len(addrs))
}

func checkIPv4(v *examination) finding {
	addrs, _ := v.addresses()
	has := slices.ContainsFunc(addrs, func(a netip.Addr) bool { return a.Unmap().Is4() })
	return expect(has, "the addresses are {}", addrs)
}

func checkTLS(v *examination) finding {
	if v.url.Scheme != "https" {
		return skip("the URL is not https")
	}

	err := v.unauthorized(http.MethodPost).err
	if bad := (*tls.CertificateVerificationError)(nil); errors.As(err, &bad) {
		return fail("{}", bad.Err)
	}
	if err != nil {
		return skip("there was no answer: {}", err)
	}

	return pass("verified")
}

func checkReach(v *examination) finding {
	a := v.unauthorized(http.MethodPost)
	return expect(a.err == nil, "{}", a)
}

func checkRedirect(v *examination) finding {
	a := v.unauthorized(http.MethodPost)
	return expect(!a.redirect(), "{}", a)
}

func checkSlash(v *examination) finding {
	if strings.Trim(v.url.Path, "/") == "" || strings.HasSuffix(v.url.Path, "/") {
		return skip("the URL has no path to which a slash could be added")
	}
	u := *v.url
	u.Path += "/"
	a := v.initialize(u.String(), nil)
	return expect(a.err == nil && !a.redirect(), "{}", a)
}
