package config

import (
	"fmt"
	"net"
	"net/url"
)

// GRPC says where the agents are served over gRPC. Like the rest, it is
// not encrypted here: off loopback a proxy before it does that.
type GRPC struct {
	Listen  string `koanf:"listen"`  // HOST:PORT; "" does not serve gRPC
	Address string `koanf:"address"` // HOST:PORT that cards name
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

// ListensOn completes the address that cards name: the port of addr, on the host
// of the server's own address.
func (c *GRPC) ListensOn(addr net.Addr, origin string) {
	if c.Address != "" {
		return
	}
	_, port, _ := net.SplitHostPort(addr.String())
	u, _ := url.Parse(origin) // checked with the configuration
	c.Address = net.JoinHostPort(u.Hostname(), port)
}
