package doctor

import (
	"net/http"
	"net/url"
	"strings"
)

// obstacles are the causes that keep an existing MCP server from working.
func obstacles() []cause {
	return []cause{
		{id: "stale-cache", explains: []string{"prm-*", "as-*", "cors-metadata"}, see: seeStale, do: func(*observation) Sentence {
			return say("Empty the cache, and exclude /.well-known from it.")
		}, lines: func(o *observation) []Snippet {
			return o.snippets("location /.well-known/ {\n    proxy_pass http://127.0.0.1:8080;  # the MCP server\n    proxy_set_header Host $host;\n    proxy_cache off;\n}\n", "# Remove the cache directive for /.well-known/*\n")
		}},
		{id: "http-behind-https", explains: elsewhere, see: seeScheme, do: setURL, lines: urlLines},
		{id: "public-url", explains: elsewhere, see: seePublicURL, do: setURL, lines: urlLines},
		{id: "forwarding", explains: []string{"prm-*", "as-*", "cors-*", "dcr*", "authorize-*", "token-*", "redirect-slash"}, see: seeForwarding, do: doForwarding, lines: func(o *observation) []Snippet {
			return o.snippets(nginxForward, caddyForward)
		}},
		{id: "no-challenge", explains: []string{"challenge*", "bad-token-error", "cors-challenge", "prm-challenge"}, see: seeNoChallenge, do: func(o *observation) Sentence {
			return say("Let the proxy pass the header on.")
		}, lines: func(o *observation) []Snippet {
			return o.snippets("# instead of proxy_hide_header WWW-Authenticate;\nproxy_pass_header WWW-Authenticate;\n", "# remove from the site:\n#   header -WWW-Authenticate\n# remove from reverse_proxy:\n#   header_down -WWW-Authenticate\n")
		}},
		{id: "no-authorization", explains: []string{"bad-token-error", "mcp-*", "tools-*", "call*", "hybrid-*", "accept-any", "refresh*", "revoke*"}, see: seeNoAuthorization, do: func(*observation) Sentence {
			return say("Let the proxy pass the header on.")
		}, lines: func(o *observation) []Snippet {
			return o.snippets("# instead of proxy_set_header Authorization \"\";\nproxy_set_header Authorization $http_authorization;\n", "# remove from reverse_proxy:\n#   header_up -Authorization\n")
		}},
		{id: "buffering", explains: []string{"mcp-get"}, see: seeBuffering, do: func(*observation) Sentence {
			return say("Turn buffering off for the MCP server.")
		}, lines: func(o *observation) []Snippet {
			return o.snippets("# and remove proxy_ignore_headers X-Accel-Buffering;\nproxy_buffering off;\nproxy_http_version 1.1;\nproxy_read_timeout 1h;\n", "reverse_proxy 127.0.0.1:8080 {  # the MCP server\n\tflush_interval -1\n}\n")
		}},
		{id: "no-registration", explains: []string{"as-registration", "dcr*"}, see: seeNoRegistration, do: func(*observation) Sentence {
			return say("Ask the operator of that login for a client ID, and enter it in the app.")
		}},
	}
}

// elsewhere are the checks that fail where the server takes itself for another address.
var elsewhere = []string{"prm-*", "as-*", "challenge*", "cors-*", "dcr*", "authorize-*", "token-*"}

func seeStale(o *observation) (s Sentence) {
	if o.stale != "" {
		return say("A cache before the server serves old metadata at {}.", o.stale)
	}
	return s
}

// named returns the address that the server gives itself, where it is another. A shorter path
// on the same host is none: clients take that.
func (o *observation) named() *url.URL {
	named := o.resource.text("resource")
	if named == "" && o.challenge() != nil {
		named = strings.Replace(o.challenge()["resource_metadata"], resourcePath, "", 1)
	}
	if !absolute(named) || o.stale != "" {
		return nil
	}
	u := parsed(named)
	if strings.EqualFold(originOf(u), originOf(o.url)) && strings.HasPrefix(o.url.Path, strings.TrimSuffix(u.Path, "/")) {
		return nil
	}
	return u
}

func seeScheme(o *observation) (s Sentence) {
	u := o.named()
	switch {
	case u == nil || !strings.EqualFold(u.Hostname(), o.url.Hostname()) || u.Scheme == o.url.Scheme:
		return s
	case u.Scheme == "http":
		return say("The server believes that its address is {}. It does not know that apps reach it over https.", u)
	}
	return say("The server says that its address is {}. Apps must use https.", u)
}

func seePublicURL(o *observation) (s Sentence) {
	u := o.named()
	if u == nil || strings.EqualFold(u.Hostname(), o.url.Hostname()) && u.Scheme != o.url.Scheme {
		return s
	}
	return say("The server believes that its address is {}, but apps reach it at {} and refuse the login.", u, o.url)
}

func setURL(o *observation) Sentence {
	if u := o.named(); u.Scheme == "https" && o.url.Scheme == "http" {
		return say("Use {} in the app.", u)
	}
	return say("Set the public URL of the server to {}.", o.url.Scheme+"://"+o.url.Host)
}

func urlLines(o *observation) []Snippet {
	if u := o.named(); u.Scheme == "https" && o.url.Scheme == "http" {
		return nil
	}
	return []Snippet{{"rialto.yaml", "url: " + o.url.Scheme + "://" + o.url.Host + "\n"}}
}

func seeForwarding(o *observation) (s Sentence) {
	if len(o.elsewhere) == 0 || o.named() != nil && o.resource != nil {
		return s
	}
	lost := strings.Join(o.elsewhere, ", ")
	if o.by != "" {
		return say("The proxy ({}) forwards only {}; {} never reach the server.", o.by, o.url.Path, lost)
	}
	return say("Apps cannot find the login: {} answers {}.", lost, o.resourceAt)
}

func doForwarding(o *observation) Sentence {
	if o.by != "" {
		return say("Forward every path of this host name. Replace the lines for {} with these:", o.url.Path)
	}
	return say("Serve the document there. If a proxy stands in front of the server, forward every path:")
}

func seeNoChallenge(o *observation) (s Sentence) {
	if o.open || o.challenge() != nil || o.bad || o.post.status != http.StatusUnauthorized || !o.describes() {
		return s
	}
	if o.rialto() {
		return say("A proxy removes WWW-Authenticate from the server's answers, so apps do not find the login.")
	}
	return say("The 401 has no WWW-Authenticate header, so apps do not find the login. The server does not send it, or a proxy removes it.")
}

// seeNoAuthorization wants a token that must work, or the exact answers of a Rialto: other servers
// may answer a wrong token as they answer none.
func seeNoAuthorization(o *observation) (s Sentence) {
	if o.open || o.bad || o.challenge() == nil && !o.refused {
		return s
	}
	if o.refused && o.issued || o.rialto() && o.wrong.status == http.StatusUnauthorized && challenge(o.wrong)["error"] == "" {
		return say("A proxy removes Authorization from requests, so the server never sees a token.")
	}
	return s
}

func seeBuffering(o *observation) (s Sentence) {
	if !o.silent {
		return s
	}
	if name := o.proxy(); name != "" {
		return say("The proxy ({}) buffers event streams: in {} seconds, not one byte arrived.", name, int(requestTimeout.Seconds()))
	}
	return say("Something buffers event streams: in {} seconds, not one byte arrived.", int(requestTimeout.Seconds()))
}

func seeNoRegistration(o *observation) (s Sentence) {
	d := o.server
	if o.open || d == nil || d.text("registration_endpoint") != "" || d.flag(cimdSupported) {
		return s
	}
	return say("The login at {} accepts only apps that its operator registered.", parsed(d.text("issuer")).Host)
}
