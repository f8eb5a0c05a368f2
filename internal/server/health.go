package server

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// health answers GET /healthz: 200 if the database answers.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !s.healthy(r.Context()) {
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (s *Server) healthy(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.store.Ping(ctx)
	if err != nil {
		s.log.Error("health", "err", err)
	}
	return err == nil
}

// mcpHealth answers GET /mcp/health: the same in JSON.
func (s *Server) mcpHealth(w http.ResponseWriter, r *http.Request) {
	if !s.healthy(r.Context()) {
		writeStatus(w, http.StatusServiceUnavailable, map[string]string{"status": "unavailable"})
		return
	}
	writeStatus(w, http.StatusOK, map[string]string{"status": "ok"})
}
