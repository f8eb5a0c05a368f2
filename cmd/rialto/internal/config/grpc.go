package config

import (
	"fmt"
	"net"
	"net/url"
)

// GRPC sets where the agents are served over gRPC. Off loopback it needs a certificate (TLS) or
// a proxy.
type GRPC struct {
	Listen  string `koanf:"listen"`  // HOST:PORT; "" does not serve gRPC
	Address string `koanf:"address"` // HOST:PORT that cards name

	chosen bool // Address is what ListensOn found
}

func (c GRPC) Check() error {
	for name, addr := range map[string]string{"listen": c.Listen, "address": c.Address} {
		if addr == "" {
			continue
		}
		if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
			return fmt.Errorf("grpc.%s: %q is not HOST:PORT", name, addr)
		}
	}

	if c.Address != "" && c.Listen == "" {
		return fmt.Errorf("grpc.address: nothing is served there without grpc.listen")
	}

	return nil
}

// ListensOn sets the address in cards if it is not configured: the host of origin, the
// port of addr.
func (c *GRPC) ListensOn(addr net.Addr, origin string) {
	if c.Address != "" {
		return
	}
	_, port, _ := net.SplitHostPort(addr.String())
	u, _ := url.Parse(origin) // checked with the configuration
	c.Address = net.JoinHostPort(u.Hostname(), port)
	c.chosen = true
}
