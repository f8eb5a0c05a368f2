package server

import (
	"context"
	"net/url"
	"time"

	"rialto/bridge/console"
	"rialto/internal/doctor"
	"rialto/internal/guardhttp"
)

// newConsole returns the pages below /account and /admin.
func (s *Server) newConsole() *console.Console {
	return &console.Console{
		Product: s.cfg.Name, OAuth: s.oauth, Bridge: s.bridge, Admin: s.operator, Now: time.Now, Log: s.log,
	}
}

// runDoctor examines an MCP server for an administrator. It may reach this server at
// any address, and no other server in a private network.
func (s *Server) runDoctor(ctx context.Context, address string) *doctor.Report {
	guard := &guardhttp.Client{MaxBytes: 1 << 20, Timeout: 10 * time.Second}
	if own, err := url.Parse(s.cfg.URL); err == nil {
		guard.Allowed = []string{own.Host}
	}
	d := &doctor.Doctor{Transport: guard.HTTP().Transport}
	return d.Examine(ctx, address)
}
