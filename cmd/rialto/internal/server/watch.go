package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"rialto/cmd/rialto/internal/config"
)

// watchEvery is how often files are looked at. We do not use notifications of the system: they miss
// files behind links, as Kubernetes replaces them, and those of network file systems.
const watchEvery = time.Second / 2

// watchFiles calls changed soon after the start, because the files may have changed since they were
// read, and then whenever one of them has changed and has stayed the same for watchEvery. It ends with ctx.
func watchFiles(ctx context.Context, files func() []string, changed func()) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	known := ""
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := fileVersions(files())
		if now == last && now != known {
			known = now
			changed()
		}
		last = now
	}
}

// fileVersions returns a text that changes with the files.
func fileVersions(files []string) string {
	var b strings.Builder
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// watch reloads the configuration (config_watch) and the certificate when their files change, until ctx ends.
func watch(ctx context.Context, s *Server) {
	if s.certificate != nil {
		go watchFiles(ctx, s.certificate.names, func() { s.certificate.reload(ctx, s.log) })
	}
	if s.Source.Path == "" {
		return
	}

	go watchFiles(ctx, func() []string {
		if cfg := s.cfg.Load(); cfg.Serving.ConfigWatch {
			return append(cfg.Files(), s.Source.Path)
		}
		return nil
	}, func() { _, _ = s.Reload(ctx) }) // it logs what happens
}

// certificate is that of the listeners: new connections get the one that the files hold now.
type certificate struct {
	files config.TLS
	pair  atomic.Pointer[tls.Certificate]
}

// newCertificate reads the certificate; nil if none is configured.
func newCertificate(files config.TLS) (*certificate, error) {
	if !files.On() {
		return nil, nil
	}
	c := &certificate{files: files}
	pair, err := files.Load()
	c.pair.Store(pair)
	return c, err
}

func (c *certificate) names() []string { return []string{c.files.CertFile, c.files.KeyFile} }

// reload reads the files again. Certificate and key may be replaced one after the other: until they
// match, the server keeps the old ones.
func (c *certificate) reload(ctx context.Context, log *slog.Logger) {
	pair, err := c.files.Load()
	switch {
	case err != nil:
		log.ErrorContext(
			ctx, "the certificate was not replaced: the server keeps the one it has",
			"err", err,
		)
		return
	case pair.Leaf.Equal(c.pair.Load().Leaf):
		return
	}

	c.pair.Store(pair)
	log.InfoContext(
		ctx, "the certificate was replaced",
		"file", c.files.CertFile,
		"expires", pair.Leaf.NotAfter,
	)
}

// expires returns when the certificate expires; zero without one.
func (c *certificate) expires() time.Time {
	if c == nil {
		return time.Time{}
	}
	return c.pair.Load().Leaf.NotAfter
}

// config returns the settings of a listener for protocols. Without a certificate it is nil.
func (c *certificate) config(protocols ...string) *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     protocols,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
	}
}
