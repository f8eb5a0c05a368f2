package doctor

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// causes returns all causes, the one that explains most first.
func causes() []cause {
	return append(absences(), obstacles()...)
}

// absences are the causes that leave no MCP server to examine.
func absences() []cause {
	return []cause{
		{id: "url", final: true, see: seeURL, do: func(*observation) Sentence { return say("Write it as https://host/mcp.") }},
		{id: "forbidden", final: true, see: seeForbidden, do: func(*observation) Sentence { return say("On a computer that reaches it, run:") },
			lines: func(o *observation) []Snippet { return command("rialto doctor", o, "") }},
		{id: "unreachable", final: true, see: seeUnreachable},
		{id: "https-only", final: true, see: seeHTTPSOnly, do: func(*observation) Sentence { return say("Use that address in the app.") }},
		{id: "wrong-path", final: true, see: seePath, do: func(*observation) Sentence { return say("Use that address in the app.") }},
		{id: "login-wall", final: true, see: seeWall, do: func(o *observation) Sentence { return o.wall().do }, lines: func(o *observation) []Snippet { return o.wall().lines }},
		{id: "sse-only", final: true, see: seeOld, do: func(*observation) Sentence {
			return say("Update the server to a version with Streamable HTTP, which replaced it in 2025-03-26.")
		}},
		{id: "a2a-agent", final: true, see: seeAgent, do: func(*observation) Sentence { return say("Add it to Rialto as an agent. To look at it first, run:") }, lines: func(o *observation) []Snippet { return command("rialto agents preview", o, "") }},
		{id: "upstream-down", final: true, see: seeUpstream, do: func(*observation) Sentence {
			return say("Start the server, and compare its port with the one in the configuration of the proxy.")
		}},
		{id: "moved", final: true, see: seeMoved, do: func(*observation) Sentence { return say("Use that address in the app.") }},
		{id: "not-mcp", final: true, see: seeOther, do: func(*observation) Sentence {
			return say("The address of a Rialto server ends with /mcp. Its start page shows it.")
		}},
	}
}

func seeURL(o *observation) (s Sentence) {
	if o.bad {
		return say("Apps cannot call this address. It must be an http or https URL, without a username and without a fragment.")
	}
	return s
}

func seeForbidden(o *observation) (s Sentence) {
	if o.forbidden {
		return say("{} has no public address, so this page may not examine it.", o.url.Host)
	}
	return s
}

func seeUnreachable(o *observation) (s Sentence) {
	if o.bad || o.post.err == nil {
		return s
	}
	var (
		name    *net.DNSError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		timeout net.Error
	)
	switch err := o.post.err; {
	case errors.As(err, &name):
		return say("The name {} does not resolve. Is it spelled right, and is its DNS record published?", o.url.Hostname())
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("Nothing listens at {}. Is the server running, and is the port right?", o.url.Host)
	case errors.As(err, &cert):
		return say("The certificate of {} is not valid, so apps do not connect: {}.", o.url.Host, cert.Err)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return say("{} speaks HTTP without TLS, though the address begins with https.", o.url.Host)
	case errors.As(err, &timeout) && timeout.Timeout():
		return say("{} did not answer in time. Does a firewall stop the connection?", o.url.Host)
	}
	return say("{} cannot be reached: {}.", o.url.Host, o.post.err)
}

func seeAgent(o *observation) (s Sentence) {
	if o.agent && !o.open {
		return say("This is an A2A agent, not an MCP server.")
	}
	return s
}

// seeHTTPSOnly recognizes a port of TLS that was called without it, and a redirect to https.
func seeHTTPSOnly(o *observation) (s Sentence) {
	if o.bad || o.post.err != nil || o.url.Scheme != "http" {
		return s
	}
	secure := *o.url
	secure.Scheme = "https"
	body := string(o.post.body)
	to := parsed(o.post.header.Get("Location"))
	switch {
	case o.post.redirect() && to.Scheme == "https" && to.Hostname() == secure.Hostname() && to.Path == secure.Path:
		return say("{} is reached over https only: use {}.", o.url.Host, to)
	case o.post.status == 400 && (strings.Contains(body, "HTTP request to an HTTPS server") || strings.Contains(body, "sent to HTTPS port")):
		return say("{} is reached over https only: use {}.", o.url.Host, &secure)
	}
	return s
}

func seeWall(o *observation) (s Sentence) {
	if o.silentOrFine() {
		return s
	}
	if w := o.wall(); w != nil {
		return w.text
	}
	return s
}

func seeOld(o *observation) (s Sentence) {
	if o.old {
		return say("This server speaks only the old HTTP+SSE transport (2024-11-05). Codex and other current apps cannot use it.")
	}
	return s
}

// seePath recognizes a server whose metadata, or whose answer, are at another path of the host.
func seePath(o *observation) (s Sentence) {
	if o.bad || o.post.err != nil {
		return s
	}
	named := o.near
	if u := o.named(); u != nil && sameOrigin(u.String(), o.url.String()) {
		named = u.String()
	}
	if named == "" {
		return s
	}
	return say("There is no MCP server at {}, but there is one at {}. Is the path right?", o.url, named)
}

func seeUpstream(o *observation) (s Sentence) {
	if o.silentOrFine() || o.post.status != 502 && o.post.status != 503 && o.post.status != 504 {
		return s
	}
	if name := o.post.program(); name != "" {
		return say("{} answers {}: the server behind it is not running, or listens elsewhere.", name, o.post.status)
	}
	return say("A proxy answers {}: the server behind it is not running, or listens elsewhere.", o.post.status)
}

func seeMoved(o *observation) (s Sentence) {
	if o.silentOrFine() || !o.post.redirect() {
		return s
	}
	to, _, _ := strings.Cut(o.post.header.Get("Location"), "?")
	return say("{} redirects to {}.", o.url, to)
}

func seeOther(o *observation) (s Sentence) {
	if o.silentOrFine() {
		return s
	}
	if name := o.post.program(); name != "" {
		return say("This is not an MCP server: {} answered {}. Is the path right?", name, o.post.status)
	}
	return say("This is not an MCP server: it answered {}. Is the path right?", o.post.status)
}

// silentOrFine reports whether there was no answer, or one of an MCP server.
func (o *observation) silentOrFine() bool { return o.bad || o.post.err != nil || o.speaks() }
