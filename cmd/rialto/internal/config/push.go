package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Push sets which webhooks may get push notifications, and whether agents may send some.
type Push struct {
	Send         bool     `koanf:"send"`
	AllowedHosts []string `koanf:"allowed_hosts"`
	Verify       bool     `koanf:"verify"`
	Receive      bool     `koanf:"receive"`
}

func (c *Config) checkPush() (faults error) {
	for _, host := range c.Push.AllowedHosts {
		u, err := url.Parse("https://" + host)
		if err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, "*/@ ") {
			faults = errors.Join(faults, fmt.Errorf(
				"push.allowed_hosts: %q is not a host such as hooks.example.com, or one with a port: %s",
				host,
				net.JoinHostPort("hooks.example.com", "8443"),
			))
		}
	}
	return faults
}
