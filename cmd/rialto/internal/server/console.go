package server

import (
	"context"
	"errors"
	"net/url"
	"time"

	"rialto/bridge/console"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/doctor"
	"rialto/internal/safehttp"
)

// newConsole returns the pages below /account and /admin.
func (s *Server) newConsole() *console.Console {
	return &console.Console{
		Product: s.cfg.Load().Name,
		OAuth:   s.oauth,
		Bridge:  s.bridge,
		Admin:   s.operator,
		Events:  s.webhooks.events,
		Now:     time.Now,
		Log:     s.log,
	}
}

// ownDoctor examines servers for the operator of this one.
type ownDoctor struct{ *Server }

// Examine examines an MCP server for an administrator. It may reach this server at any address,
// and no other server in a private network; an administrator of a server on loopback is on this
// computer, and may reach what else is there.
func (s ownDoctor) Examine(ctx context.Context, address, token string) *doctor.Report {
	guard := &safehttp.Client{MaxBytes: 1 << 20, Timeout: 10 * time.Second}
	if own, err := url.Parse(s.cfg.Load().URL); err == nil {
		guard.Loopback = config.Loopback(own.Hostname())
		guard.Allowed = func() []string { return []string{own.Host} }
	}
	forbids := func(err error) bool { return errors.Is(err, safehttp.ErrBlocked) || errors.Is(err, safehttp.ErrURL) }
	d := &doctor.Doctor{Token: token, Transport: guard.HTTP().Transport, Forbids: forbids}
	return d.Examine(ctx, address)
}
