package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/registry"
	"rialto/oauth"
)

// check returns the first thing that is wrong, in words that say what to do.
func (c *config) check() error {
	for _, check := range []func() error{c.checkURL, c.checkDatabase, c.checkSecret, c.checkAgents, c.checkClients, c.checkTokens, c.checkUpstreams, c.checkSignIn, c.checkProxies, c.checkOrigins, c.checkPush, c.checkRecords, c.Brand.check, c.checkLog, c.GRPC.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) checkURL() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil || !isPort(port) {
		return fmt.Errorf("listen: %q is not HOST:PORT, for example 127.0.0.1:8080", c.Listen)
	}
	if c.URL == "" {
		if !loopback(host) {
			return fmt.Errorf("listen: %s can be reached from other machines, so \"url\" must say under which address: tokens are made for it, and clients refuse them under another. Set url: https://… (or --url), or listen on this machine only: %s", c.Listen, net.JoinHostPort("127.0.0.1", port))
		}
		c.URL = "http://" + c.Listen
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || !reachable(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url: %q is not an address such as https://rialto.example.com", c.URL)
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("url: %q has a path; the metadata documents live at the root of a host (RFC 8414 section 3), so give Rialto a host of its own", c.URL)
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return fmt.Errorf("url: %q must be https: passwords and tokens pass through it. Plain http is for loopback only", c.URL)
	}
	c.URL = u.Scheme + "://" + strings.ToLower(u.Host)
	return nil
}

// reachable tells whether u names a host, and a port that can exist.
func reachable(u *url.URL) bool {
	return u.Hostname() != "" && (u.Port() == "" || isPort(u.Port()))
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// listensOn completes the address of a server whose port the system chose.
func (c *config) listensOn(addr net.Addr) {
	if host, ok := strings.CutSuffix(c.URL, ":0"); ok {
		_, port, _ := net.SplitHostPort(addr.String())
		c.URL = host + ":" + port
	}
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func (c *config) checkAgents() error {
	seen := map[string]bool{}
	for i, a := range c.Agents {
		err := a.check()
		if err == nil && seen[a.Name] {
			err = fmt.Errorf("name: %q is there twice", a.Name)
		}
		if err != nil && a.flag != "" {
			return fmt.Errorf("%s: %w", a.flag, err)
		}
		if err != nil {
			return fmt.Errorf("agents[%d].%w", i, err)
		}
		seen[a.Name] = true
	}
	if c.DefaultAgent != "" && !seen[c.DefaultAgent] {
		return fmt.Errorf("default_agent: there is no agent named %q", c.DefaultAgent)
	}
	return nil
}

// check returns the first thing that is wrong, beginning with its key.
func (a agentConfig) check() error {
	if !agentName.MatchString(a.Name) {
		return fmt.Errorf("name: %q must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit", a.Name)
	}
	if slices.Contains(notAgents, a.Name) {
		return fmt.Errorf("name: %q is taken: %s%s is an address of the API; choose another name", a.Name, facePath, a.Name)
	}
	if err := a.checkUseCases(); err != nil {
		return err
	}
	if u, err := url.Parse(a.URL); err != nil || !reachable(u) || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("url: %q is not an http or https address", a.URL)
	}
	if a.Protocol != "" && !slices.Contains([]a2a.Generation{a2a.V01, a2a.V02, a2a.V03, a2a.V10}, a.Protocol) {
		return fmt.Errorf("protocol: %q is not one of 0.1, 0.2, 0.3, 1.0; leave it out to find it from the agent's card", a.Protocol)
	}
	if a.Binding != "" && !slices.Contains([]a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC}, a.Binding) {
		return fmt.Errorf("binding: %q is not one of JSONRPC, HTTP+JSON, GRPC; leave it out to find it from the agent's card", a.Binding)
	}
	if err := a.Credentials.check(); err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	if _, err := a.Card.keys(); err != nil {
		return fmt.Errorf("card.keys: %w", err)
	}
	return nil
}

func (a agentConfig) checkUseCases() error {
	if err := checkUseCases(a.UseCases); err != nil {
		return err
	}
	if len(a.Skills) > 100 {
		return errors.New("skills: there are more than 100")
	}
	for i, s := range a.Skills {
		if s.ID == "" || slices.ContainsFunc(a.Skills[:i], func(o registry.Skill) bool { return o.ID == s.ID }) {
			return fmt.Errorf("skills[%d].id: %q is empty, or there twice", i, s.ID)
		}
		if err := checkUseCases(s.UseCases); err != nil {
			return fmt.Errorf("skills[%d].%w", i, err)
		}
	}
	return nil
}

func checkUseCases(all []string) error {
	for _, useCase := range all {
		if oauth.UseCase(oauth.ScopeTools+":"+useCase) != useCase || useCase == "*" {
			return fmt.Errorf("use_cases: %q must be 1 to 64 letters, digits, dots, dashes and underscores", useCase)
		}
	}
	return nil
}

func (c *config) checkProxies() error {
	for _, p := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(p); err != nil {
			return fmt.Errorf("trusted_proxies: %q is not a network such as 10.0.0.0/8", p)
		}
	}
	return nil
}

// checkOrigins wants origins as browsers write them (RFC 6454 section 6.2):
// another spelling would never match.
func (c *config) checkOrigins() error {
	for _, origin := range c.AllowedOrigins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || !reachable(u) || origin != u.Scheme+"://"+strings.ToLower(u.Host) {
			return fmt.Errorf("allowed_origins: %q is not an origin such as https://app.example.com: scheme and host in small letters, nothing after it", origin)
		}
	}
	return nil
}

func (c *config) checkLog() error {
	if _, err := c.Log.level(); err != nil {
		return fmt.Errorf("log.level: %q is not one of debug, info, warn, error", c.Log.Level)
	}
	if c.Log.Format != "text" && c.Log.Format != "json" {
		return fmt.Errorf("log.format: %q is not one of text, json", c.Log.Format)
	}
	return nil
}
