package doctor

import (
	"net/http"
	"net/url"
	"strings"
)

func detectStale(o *observation) (c Cause) {
	if o.staleMetadata != "" {
		return because("A cache before the server serves old metadata at {}.", o.staleMetadata)
	}
	return c
}

// named returns the address that the server gives itself, where it is another. A shorter path
// on the same host is none: clients take that.
func (o *observation) named() *url.URL {
	named := o.resource.text("resource")
	if named == "" && o.challenge() != nil {
		named = strings.Replace(o.challenge()["resource_metadata"], resourcePath, "", 1)
	}
	if !absolute(named) || o.staleMetadata != "" {
		return nil
	}

	u := parsed(named)
	if strings.EqualFold(originOf(u), originOf(o.url)) &&
		strings.HasPrefix(o.url.Path, strings.TrimSuffix(u.Path, "/")) {
		return nil
	}

	return u
}

func detectScheme(o *observation) (c Cause) {
	u := o.named()
	switch {
	case u == nil || !strings.EqualFold(u.Hostname(), o.url.Hostname()) || u.Scheme == o.url.Scheme:
		return c
	case u.Scheme == "http":
		c = because(
			"The server believes that its address is {}. It does not know that apps reach it over https.",
			u,
		)
	default:
		c = because("The server says that its address is {}. Apps must use https.", u)
	}

	o.setURL(&c, u)
	return c
}

func detectPublicURL(o *observation) (c Cause) {
	u := o.named()
	if u == nil {
		return c
	}
	if strings.EqualFold(u.Hostname(), o.url.Hostname()) && u.Scheme != o.url.Scheme {
		return c // see detectScheme
	}

	c = because(
		"The server believes that its address is {}, but apps reach it at {} and refuse the login.",
		u,
		o.url,
	)
	o.setURL(&c, u)
	return c
}

// setURL says how the server and the apps get the same address; u is the server's.
func (o *observation) setURL(c *Cause, u *url.URL) {
	if u.Scheme == "https" && o.url.Scheme == "http" {
		c.Do = say("Use {} in the app.", u)
		return
	}
	origin := originOf(o.url)
	c.Do = say("Set the public URL of the server to {}.", origin)
	c.Lines = []Snippet{{"rialto.yaml", "url: " + origin + "\n"}}
}

func detectForwarding(o *observation) (c Cause) {
	otherAddress := o.named() != nil && o.resource != nil
	if len(o.elsewhere) == 0 || otherAddress {
		return c
	}

	lost := strings.Join(o.elsewhere, ", ")
	if o.by == "" {
		c = because("Apps cannot find the login: {} answers {}.", lost, o.resourceAt)
		c.Do = say(
			"Serve the document there. If a proxy stands in front of the server, forward every path:",
		)
		return c
	}

	c = because(
		"The proxy ({}) forwards only {}; {} never reach the server.",
		o.by,
		o.url.Path,
		lost,
	)
	c.Do = say(
		"Forward every path of this host name. Replace the lines for {} with these:", o.url.Path,
	)
	return c
}

func detectNoChallenge(o *observation) (c Cause) {
	if o.open || o.challenge() != nil || o.bad || o.post.status != http.StatusUnauthorized ||
		!o.describes() {
		return c
	}
	if o.rialto() {
		return because(
			"A proxy removes WWW-Authenticate from the server's answers, so apps do not find the login.",
		)
	}

	return because(
		"The 401 has no WWW-Authenticate header, so apps do not find the login. The server does not send it, or a proxy removes it.",
	)
}

// detectNoAuthorization wants a token that must work, or the exact answers of a Rialto: other servers
// may answer a wrong token as they answer none.
func detectNoAuthorization(o *observation) (c Cause) {
	loginKnown := o.challenge() != nil || o.refused
	if o.open || o.bad || !loginKnown {
		return c
	}

	mustWork := o.refused && o.issued
	ignored := o.rialto() && o.wrong.status == http.StatusUnauthorized &&
		challenge(o.wrong)["error"] == ""
	if mustWork || ignored {
		return because(
			"A proxy removes Authorization from requests, so the server never sees a token.",
		)
	}

	return c
}

func detectBuffering(o *observation) (c Cause) {
	if !o.silent {
		return c
	}

	seconds := int(requestTimeout.Seconds())
	if name := o.proxy(); name != "" {
		return because(
			"The proxy ({}) buffers event streams: in {} seconds, not one byte arrived.",
			name,
			seconds,
		)
	}

	return because("Something buffers event streams: in {} seconds, not one byte arrived.", seconds)
}

func detectNoRegistration(o *observation) (c Cause) {
	d := o.server
	if o.open || d == nil || d.text("registration_endpoint") != "" || d.flag(cimdSupported) {
		return c
	}
	return because(
		"The login at {} accepts only apps that its operator registered.",
		parsed(d.text("issuer")).Host,
	)
}
