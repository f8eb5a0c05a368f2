package doctor

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// program names the software that an answer names, or "".
func (a *answer) program() string {
	name, _, _ := strings.Cut(a.header.Get("Server"), "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// proxied returns the name of the proxy that made an answer instead of passing one on, or "".
// Both programs name themselves on answers of others too, so their own pages count.
func proxied(a *answer) string {
	name := a.program()
	body := string(a.body)
	bare := body == "" && a.header.Get("Content-Type") == "" && a.header.Get("Via") == ""
	switch {
	case a.err != nil:
		return ""
	case strings.Contains(body, "<hr><center>nginx"),
		strings.Contains(body, "<hr><center>openresty"):
		return "nginx"
	case name == "Caddy" && bare && !a.redirect():
		return "Caddy"
	case strings.Contains(body, "<address>Apache"):
		return "Apache"
	}

	return ""
}

// proxy returns the program that stands before the server, as far as it names itself, or "".
func (o *observation) proxy() string {
	for _, a := range []*answer{o.post, o.wrong, o.resourceAt, o.get, o.rootPage} {
		if a == nil {
			continue
		}
		switch name := strings.ToLower(a.program()); {
		case name == "nginx", name == "openresty":
			return "nginx"
		case name == "caddy", strings.Contains(a.header.Get("Via"), "Caddy"):
			return "Caddy"
		}
	}
	return ""
}

// loginWall returns the login, or the check for browsers, that answers instead of the server, if there is one.
func (o *observation) loginWall() (c Cause) {
	is := func(loginWall func(*answer) bool) bool {
		if loginWall(o.post) {
			return true
		}
		return o.rootPage != nil && o.post.status/100 != 2 && loginWall(o.rootPage)
	}
	switch {
	case is(ofCloudflareAccess):
		c = because(
			"{} asks for a login before requests reach the MCP server. Apps cannot pass it.",
			"Cloudflare Access",
		)
		c.Do = say(
			"In Cloudflare, under Zero Trust, Access, Applications, remove the application for this host, or give it a policy with the action Bypass for Everyone. An MCP server with a login of its own needs no second one.",
		)
	case is(ofBotCheck):
		c = because("Cloudflare's bot check stops apps before they reach the MCP server.")
		c.Do = say(
			"In Cloudflare, under Security, turn Bot Fight Mode off for this host, or add a rule that skips it. Apps call from data centers.",
		)
	case is(ofOAuth2Proxy):
		c = because(
			"{} asks for a login before requests reach the MCP server. Apps cannot pass it.",
			"oauth2-proxy",
		)
		c.Do = say(
			"Let the whole host name through. An MCP server with a login of its own needs no second one.",
		)
		c.Lines = []Snippet{{"oauth2-proxy.cfg", "skip_auth_routes = [ \"^/\" ]\n"}}
	case is(ofPassword):
		c = because("A password (HTTP Basic) stops apps before they reach the MCP server.")
		c.Do = say(
			"Remove the password from this host name: apps send a token in Authorization, and can't send a password beside it.",
		)
	case is(ofLoginPage):
		c = because("A login page answers instead of the MCP server. Apps cannot pass it.")
		c.Do = say(
			"Let the host name of the MCP server through without that login: apps cannot open pages before they know the server.",
		)
	}

	return c
}

func ofCloudflareAccess(a *answer) bool {
	return strings.HasSuffix(parsed(a.header.Get("Location")).Host, ".cloudflareaccess.com") ||
		a.header.Get("Cf-Access-Domain") != "" ||
		strings.HasPrefix(a.header.Get("Www-Authenticate"), "Cloudflare-Access")
}

func ofBotCheck(a *answer) bool { return a.header.Get("Cf-Mitigated") == "challenge" }

func ofOAuth2Proxy(a *answer) bool {
	back := parsed(a.header.Get("Location")).Query().Get("redirect_uri")
	return strings.Contains(string(a.body), "/oauth2/start") ||
		strings.HasSuffix(parsed(back).Path, "/oauth2/callback") ||
		slices.ContainsFunc(a.header.Values("Set-Cookie"), func(cookie string) bool {
			return strings.HasPrefix(cookie, "_oauth2_proxy")
		})
}

func ofPassword(a *answer) bool {
	challenge := strings.ToLower(a.header.Get("Www-Authenticate"))
	return a.status == http.StatusUnauthorized && strings.HasPrefix(challenge, "basic")
}

// loginPaths are in the addresses of login pages.
var loginPaths = []string{"/login", "/signin", "/sign_in", "/oauth2/", "/authorize?", "/auth?"}

func ofLoginPage(a *answer) bool {
	to := strings.ToLower(a.header.Get("Location"))
	return a.redirect() &&
		slices.ContainsFunc(
			loginPaths, func(path string) bool { return strings.Contains(to, path) },
		)
}

// snippets are the lines for the proxy before the server, or for both if it is not known.
func (o *observation) snippets(nginx, caddy string) (list []Snippet) {
	name := cmp.Or(o.by, o.proxy())
	caddy = strings.ReplaceAll(caddy, "HOST", o.url.Host)
	if name != "Caddy" {
		list = append(list, Snippet{"nginx", nginx})
	}
	if name != "nginx" {
		list = append(list, Snippet{"Caddy", caddy})
	}
	return list
}
