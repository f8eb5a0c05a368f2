package server

import (
	"net"
	"net/netip"

	"rialto/internal/quota"
)

// The limits of open gRPC connections. Addresses of trusted proxies have only that in all.
const (
	maxGRPCConns        = 1000
	maxGRPCConnsAddress = 32
)

// limitedListener closes connections that are too many, in all or from one address.
type limitedListener struct {
	net.Listener
	trusted []netip.Prefix
	open    quota.Count
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer, _ := netip.ParseAddrPort(c.RemoteAddr().String())
		addr := l.network(peer.Addr().Unmap())
		most := maxGRPCConnsAddress
		if !addr.IsValid() {
			most = maxGRPCConns
		}
		release, refused := l.open.Acquire(addr.String(), most, maxGRPCConns)
		if refused == nil {
			return &quota.Conn{Conn: c, Release: release}, nil
		}
		_ = c.Close() // the peer is gone
	}
}

// network returns under what an address is counted: itself, for IPv6 its /64, and nothing for a trusted proxy.
func (l *limitedListener) network(addr netip.Addr) netip.Addr {
	for _, p := range l.trusted {
		if p.Contains(addr) {
			return netip.Addr{}
		}
	}
	if p, err := addr.WithZone("").Prefix(64); err == nil && addr.Is6() {
		return p.Addr()
	}
	return addr
}
