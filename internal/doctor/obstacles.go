package doctor

import (
	"net/http"
	"net/url"
	"strings"
)

// misconfigurations are the causes that keep an existing MCP server from working.
func misconfigurations() []cause {
	return []cause{
		{
			id:       "stale-cache",
			explains: []string{"prm-*", "as-*", "cors-metadata"},
			detect:   detectStale,
			do:       say("Empty the cache, and exclude /.well-known from it."),
			nginx: "location /.well-known/ {\n" +
				"    proxy_pass http://127.0.0.1:8080;  # the MCP server\n" +
				"    proxy_set_header Host $host;\n" +
				"    proxy_cache off;\n" +
				"}\n",
			caddy: "# Remove the cache directive for /.well-known/*\n",
		},
		{id: "http-behind-https", explains: elsewhere, detect: detectScheme},
		{id: "public-url", explains: elsewhere, detect: detectPublicURL},
		{
			id:     "forwarding",
			detect: detectForwarding,
			nginx:  nginxForward,
			caddy:  caddyForward,
			explains: []string{
				"prm-*",
				"as-*",
				"cors-*",
				"dcr*",
				"authorize-*",
				"token-*",
				"redirect-slash",
			},
		},
		{
			id:       "no-challenge",
			detect:   detectNoChallenge,
			do:       say("Let the proxy pass the header on."),
			explains: []string{"challenge*", "bad-token-error", "cors-challenge", "prm-challenge"},
			nginx: "# instead of proxy_hide_header WWW-Authenticate;\n" +
				"proxy_pass_header WWW-Authenticate;\n",
			caddy: "# remove from the site:\n" +
				"#   header -WWW-Authenticate\n" +
				"# remove from reverse_proxy:\n" +
				"#   header_down -WWW-Authenticate\n",
		},
		{
			id:     "no-authorization",
			detect: detectNoAuthorization,
			do:     say("Let the proxy pass the header on."),
			explains: []string{
				"bad-token-error",
				"mcp-*",
				"tools-*",
				"call*",
				"hybrid-*",
				"accept-any",
				"refresh*",
				"revoke*",
			},
			nginx: "# instead of proxy_set_header Authorization \"\";\n" +
				"proxy_set_header Authorization $http_authorization;\n",
			caddy: "# remove from reverse_proxy:\n#   header_up -Authorization\n",
		},
		{
			id:       "buffering",
			explains: []string{"mcp-get"},
			detect:   detectBuffering,
			do:       say("Turn buffering off for the MCP server."),
			nginx: "# and remove proxy_ignore_headers X-Accel-Buffering;\n" +
				"proxy_buffering off;\n" +
				"proxy_http_version 1.1;\n" +
				"proxy_read_timeout 1h;\n",
			caddy: "reverse_proxy 127.0.0.1:8080 {  # the MCP server\n\tflush_interval -1\n}\n",
		},
		{
			id:       "no-registration",
			explains: []string{"as-registration", "dcr*"},
			detect:   detectNoRegistration,
			do:       say("Ask the operator of that login for a client ID, and enter it in the app."),
		},
	}
}

// elsewhere are the checks that fail where the server takes itself for another address.
var elsewhere = []string{"prm-*", "as-*", "challenge*", "cors-*", "dcr*", "authorize-*", "token-*"}

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
