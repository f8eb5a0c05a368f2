package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"
)

// Serving says how the server listens, and how it starts, reloads and stops.
type Serving struct {
	TLS            TLS           `koanf:"tls"`
	GRPC           GRPC          `koanf:"grpc"`
	Metrics        Metrics       `koanf:"metrics"`
	StartupTimeout time.Duration `koanf:"startup_timeout"`
	ShutdownDelay  time.Duration `koanf:"shutdown_delay"`
	DrainTimeout   time.Duration `koanf:"drain_timeout"`
	ConfigWatch    bool          `koanf:"config_watch"`

	SecurityContact string `koanf:"security_contact"`
}

// checkContact returns why security.txt cannot name the contact: it must be a URI (RFC 9116 section
// 2.5.3).
func (s Serving) checkContact() error {
	if s.SecurityContact == "" {
		return nil
	}
	u, err := url.Parse(s.SecurityContact)
	if err != nil {
		return fmt.Errorf("security_contact: %w", err)
	}
	if !slices.Contains([]string{"https", "mailto", "tel"}, u.Scheme) {
		return errors.New("security_contact: write it as mailto:ADDRESS, https://… or tel:NUMBER")
	}
	return nil
}

// Grace is how long a server that stops waits for requests that still come, and for agents.
func (s Serving) Grace() time.Duration { return s.ShutdownDelay + s.DrainTimeout }

// Metrics says where Prometheus reads metrics.
type Metrics struct {
	Listen string `koanf:"listen"`
}

// TLS names the certificate of the listeners for HTTP and gRPC. Without one they are for a proxy
// or for loopback.
type TLS struct {
	CertFile string `koanf:"cert_file"`
	KeyFile  string `koanf:"key_file"`
}

// On tells whether the server has a certificate.
func (t TLS) On() bool { return t.CertFile != "" }

// Scheme is that of requests to the listener for HTTP.
func (t TLS) Scheme() string {
	if t.On() {
		return "https"
	}
	return "http"
}

// Load reads the certificate.
func (t TLS) Load() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls.cert_file, tls.key_file: %w", err)
	}
	return &pair, nil
}

// check also reads the files: a server without its certificate must not start.
func (t TLS) check() error {
	if t.CertFile == "" && t.KeyFile == "" {
		return nil
	}
	if t.CertFile == "" || t.KeyFile == "" {
		return errors.New("tls: set both cert_file and key_file")
	}
	_, err := t.Load()
	return err
}

// Files returns the files that a reload reads, except the configuration file, in the same order each time.
func (c *Config) Files() []string {
	all := slices.Sorted(maps.Values(c.files()))
	for _, a := range c.Agents {
		all = append(all, a.Credentials.File, a.Credentials.CAFile, a.Card.Keys)
	}
	return all
}
