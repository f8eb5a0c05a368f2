package doctor

import (
	"crypto/tls"
	_ "embed" // for causes.yaml
	"errors"
	"slices"
	"strings"

	"rialto/internal/embedded"
	"rialto/internal/neterr"
)

// cause is a reason why apps fail, as causes.yaml describes it.
type cause struct {
	ID           string
	Final        bool
	Explains     []string
	Do           string
	Nginx, Caddy string
}

//go:embed causes.yaml
var causesFile []byte

// causes returns all causes, the one that explains most first.
var causes = embedded.YAML[[]cause](causesFile)

// detectors recognize a cause, by its ID. They return a Cause without a text if it is not this one.
var detectors = map[string]func(*observation) Cause{
	"url":           detectURL,
	"forbidden":     detectForbidden,
	"unreachable":   detectUnreachable,
	"https-only":    detectHTTPSOnly,
	"wrong-path":    detectPath,
	"login-wall":    detectWall,
	"sse-only":      detectOld,
	"a2a-agent":     detectAgent,
	"upstream-down": detectUpstream,
	"moved":         detectMoved,
	"not-mcp":       detectOther,

	"stale-cache":       detectStale,
	"http-behind-https": detectScheme,
	"public-url":        detectPublicURL,
	"forwarding":        detectForwarding,
	"no-challenge":      detectNoChallenge,
	"no-authorization":  detectNoAuthorization,
	"buffering":         detectBuffering,
	"no-registration":   detectNoRegistration,
}

func detectURL(o *observation) (c Cause) {
	if o.bad {
		c = because(
			"Apps cannot call this address. It must be an http or https URL, without a username and without a fragment.",
		)
	}
	return c
}

func detectForbidden(o *observation) (c Cause) {
	if o.forbidden {
		c = because("{} has no public address, so this page may not examine it.", o.url.Host)
		c.Lines = o.command("rialto doctor", "")
	}
	return c
}

func detectUnreachable(o *observation) (c Cause) {
	if o.bad || o.post.err == nil {
		return c
	}

	var certificate *tls.CertificateVerificationError
	if errors.As(o.post.err, &certificate) {
		return because(
			"The certificate of {} is not valid, so apps do not connect: {}.",
			o.url.Host,
			certificate.Err,
		)
	}

	why := neterr.Explain(o.post.err)
	switch why {
	case neterr.Unresolved:
		return because(
			"The name {} does not resolve. Is it spelled right, and is its DNS record published?",
			o.url.Hostname(),
		)
	case neterr.Refused:
		return because(
			"Nothing listens at {}. Is the server running, and is the port right?", o.url.Host,
		)
	case neterr.TakesPlain:
		return because(
			"{} speaks HTTP without TLS, though the address begins with https.", o.url.Host,
		)
	case neterr.Late:
		return because(
			"{} did not answer in time. Does a firewall stop the connection?", o.url.Host,
		)
	}

	return because("{} cannot be reached: {}.", o.url.Host, why)
}

func detectAgent(o *observation) (c Cause) {
	if o.agent && !o.open {
		c = because("This is an A2A agent, not an MCP server.")
		c.Lines = o.command("rialto agents preview", "")
	}
	return c
}

// detectHTTPSOnly recognizes a port of TLS that was called without it, and a redirect to https.
func detectHTTPSOnly(o *observation) (c Cause) {
	if o.bad || o.post.err != nil || o.url.Scheme != "http" {
		return c
	}

	secure := *o.url
	secure.Scheme = "https"
	body := string(o.post.body)
	wantsTLS := strings.Contains(body, "HTTP request to an HTTPS server") ||
		strings.Contains(body, "sent to HTTPS port")
	to := parsed(o.post.header.Get("Location"))
	switch {
	case o.post.redirect() && to.Scheme == "https" && to.Hostname() == secure.Hostname() && to.Path == secure.Path:
		return because("{} is reached over https only: use {}.", o.url.Host, to)
	case o.post.status == 400 && wantsTLS:
		return because("{} is reached over https only: use {}.", o.url.Host, &secure)
	}

	return c
}

func detectWall(o *observation) (c Cause) {
	if o.absentOrMCP() {
		return c
	}
	return o.loginWall()
}

func detectOld(o *observation) (c Cause) {
	if o.old {
		return because(
			"This server speaks only the old HTTP+SSE transport (2024-11-05). Codex and other current apps cannot use it.",
		)
	}
	return c
}

// detectPath recognizes a server whose metadata, or whose answer, are at another path of the host.
func detectPath(o *observation) (c Cause) {
	if o.bad || o.post.err != nil {
		return c
	}

	named := o.nearbyServer
	if u := o.named(); u != nil && sameOrigin(u.String(), o.url.String()) {
		named = u.String()
	}
	if named == "" {
		return c
	}

	return because(
		"There is no MCP server at {}, but there is one at {}. Is the path right?", o.url, named,
	)
}

func detectUpstream(o *observation) (c Cause) {
	if o.absentOrMCP() || !slices.Contains([]int{502, 503, 504}, o.post.status) {
		return c
	}
	if name := o.post.program(); name != "" {
		return because(
			"{} answers {}: the server behind it is not running, or listens elsewhere.",
			name,
			o.post.status,
		)
	}

	return because(
		"A proxy answers {}: the server behind it is not running, or listens elsewhere.",
		o.post.status,
	)
}

func detectMoved(o *observation) (c Cause) {
	if o.absentOrMCP() || !o.post.redirect() {
		return c
	}
	to, _, _ := strings.Cut(o.post.header.Get("Location"), "?")
	return because("{} redirects to {}.", o.url, to)
}

func detectOther(o *observation) (c Cause) {
	if o.absentOrMCP() {
		return c
	}
	if name := o.post.program(); name != "" {
		return because(
			"This is not an MCP server: {} answered {}. Is the path right?", name, o.post.status,
		)
	}
	return because("This is not an MCP server: it answered {}. Is the path right?", o.post.status)
}

// absentOrMCP reports whether there was no answer, or one of an MCP server.
func (o *observation) absentOrMCP() bool { return o.bad || o.post.err != nil || o.isMCP() }
