package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Check returns all errors, a line for each. They say what to do.
func (c *Config) Check() (faults error) {
	for _, check := range []func() error{
		c.Serving.TLS.check,
		c.checkURL,
		c.checkDatabase,
		c.checkSecret,
		c.checkAgents,
		c.checkConnectors,
		c.checkOAuth,
		c.checkScope,
		c.checkAutoApprove,
		c.checkProxies,
		c.checkOrigins,
		c.checkPush,
		c.checkRecords,
		c.Brand.check,
		c.Serving.checkContact,
		c.checkLog,
		c.Serving.checkStartup,
		c.Serving.checkShutdown,
		c.checkLimits,
		c.Serving.GRPC.Check,
		c.MCP.check,
		c.Links.Uploads.check,
	} {
		faults = errors.Join(faults, check())
	}
	return faults
}

// maxShutdownDelay is far above what load balancers need, and maxDrainTimeout above what an
// orchestrator waits before it kills a process.
const (
	maxShutdownDelay = 5 * time.Minute
	maxDrainTimeout  = time.Hour
)

func (s Serving) checkStartup() error {
	if s.StartupTimeout < time.Second {
		return fmt.Errorf("startup_timeout: set it to at least 1s, and not to %s", s.StartupTimeout)
	}
	return nil
}

func (s Serving) checkShutdown() error {
	if s.ShutdownDelay < 0 || s.ShutdownDelay > maxShutdownDelay {
		return fmt.Errorf("shutdown_delay: %s is not between 0s and 5m", s.ShutdownDelay)
	}
	if s.DrainTimeout < 0 || s.DrainTimeout > maxDrainTimeout {
		return fmt.Errorf("drain_timeout: %s is not between 0s and 1h", s.DrainTimeout)
	}
	return nil
}

func (c *Config) checkURL() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil || !isPort(port) {
		return fmt.Errorf("listen: %q is not HOST:PORT, for example 127.0.0.1:8080", c.Listen)
	}
	if c.URL == "" {
		if !Loopback(host) {
			return fmt.Errorf(
				"listen: %s can be reached from other machines, so \"url\" must say under which address: tokens are made for it, and clients refuse them under another. Set url: https://… (or --url), or listen on this machine only: %s",
				c.Listen, net.JoinHostPort("127.0.0.1", port),
			)
		}
		c.URL = c.Serving.TLS.Scheme() + "://" + c.Listen
	}

	u, err := url.Parse(c.URL)
	switch {
	case err != nil || !hasHost(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url: %q is not an address such as https://rialto.example.com", c.URL)
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf(
			"url: %q has a path; the metadata documents live at the root of a host (RFC 8414 section 3), so give Rialto a host of its own",
			c.URL,
		)
	case !isConfidential(c.URL):
		return fmt.Errorf(
			"url: %q must be https: passwords and tokens pass through it. Plain http is for loopback only",
			c.URL,
		)
	}

	c.URL = u.Scheme + "://" + strings.ToLower(u.Host)
	return nil
}

// isAddress tells whether an address has one of the schemes, a host and a valid port.
func isAddress(address string, schemes ...string) bool {
	u, err := url.Parse(address)
	return err == nil && hasHost(u) && slices.Contains(schemes, u.Scheme)
}

// isConfidential tells whether a secret may be sent to an address: it is https, or on loopback.
func isConfidential(address string) bool {
	u, err := url.Parse(address)
	loopback := err == nil && Loopback(u.Hostname())
	return isAddress(address, "https") || loopback && isAddress(address, "http")
}

// hasHost tells whether u has a host and a valid port.
func hasHost(u *url.URL) bool {
	return u.Hostname() != "" && (u.Port() == "" || isPort(u.Port()))
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// ListensOn sets the port of the URL if the system chose it.
func (c *Config) ListensOn(addr net.Addr) {
	if host, ok := strings.CutSuffix(c.URL, ":0"); ok {
		_, port, _ := net.SplitHostPort(addr.String())
		c.URL = host + ":" + port
	}
}

// ListensAs sets what ListensOn has set in the configuration in force, whose listeners stay open.
func (c *Config) ListensAs(inForce *Config) {
	if strings.HasSuffix(c.URL, ":0") && c.Listen == inForce.Listen {
		c.URL = inForce.URL
	}
	own := &c.Serving.GRPC
	open := inForce.Serving.GRPC
	if own.Address == "" && own.Listen == open.Listen && open.chosen {
		own.Address = open.Address
		own.chosen = true
	}
}

func Loopback(host string) bool {
	ip, _ := netip.ParseAddr(host)
	return host == "localhost" || ip.IsLoopback()
}

func (c *Config) checkProxies() (faults error) {
	for _, p := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(p); err != nil {
			faults = errors.Join(
				faults, fmt.Errorf("trusted_proxies: %q is not a network such as 10.0.0.0/8", p),
			)
		}
	}
	return faults
}

// checkOrigins requires origins as browsers send them (RFC 6454 section 6.2), or "*." before a host.
func (c *Config) checkOrigins() (faults error) {
	for _, origin := range c.AllowedOrigins {
		u, err := url.Parse(origin)
		starred := strings.Contains(strings.Replace(origin, "://*.", "://", 1), "*")
		if err != nil || starred || !isAddress(origin, "http", "https") ||
			origin != u.Scheme+"://"+strings.ToLower(u.Host) {
			faults = errors.Join(faults, fmt.Errorf(
				"allowed_origins: %q is not an origin such as https://app.example.com: scheme and host in small letters, nothing after it",
				origin,
			))
		}
	}
	return faults
}

func (c *Config) checkLog() error {
	if _, err := c.Log.level(); err != nil {
		return fmt.Errorf("log.level: %q is not one of debug, info, warn, error", c.Log.Level)
	}
	if !slices.Contains([]string{"", "text", "json"}, c.Log.Format) {
		return fmt.Errorf("log.format: %q is not one of text, json", c.Log.Format)
	}
	return nil
}
