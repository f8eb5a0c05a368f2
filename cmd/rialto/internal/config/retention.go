package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Records sets how long records are kept.
type Records struct {
	Retention time.Duration `koanf:"retention"`
}

// Audit sets how long the audit log is kept and where else events go.
type Audit struct {
	Retention time.Duration `koanf:"retention"`
	Stream    string        `koanf:"stream"`
	AnchorURL string        `koanf:"anchor_url"`
}

// The values of audit.stream, in addition to "file:" with a path.
const (
	StreamStdout = "stdout"
	StreamOTLP   = "otlp"
)

// StreamFile returns the file of audit.stream; "" if it names none.
func (a Audit) StreamFile() string { return fileOf(a.Stream) }

// AnchorFile returns the file of audit.anchor_url; "" if it names none.
func (a Audit) AnchorFile() string { return fileOf(a.AnchorURL) }

func fileOf(place string) string {
	path, isFile := strings.CutPrefix(place, "file:")
	if !isFile {
		return ""
	}
	return path
}

// longestRetention limits how long records of people are kept.
const longestRetention = 10 * 365 * 24 * time.Hour

func (c *Config) checkRecords() error {
	for key, r := range map[string]Records{"usage": c.Usage, "audit": {c.Audit.Retention}} {
		if r.Retention < time.Hour || r.Retention > longestRetention {
			return fmt.Errorf(
				"%s.retention: %s is not from 1h to 10 years (3650d)", key, r.Retention,
			)
		}
	}

	known := slices.Contains([]string{"", StreamStdout, StreamOTLP}, c.Audit.Stream)
	if !known && c.Audit.StreamFile() == "" {
		return fmt.Errorf("audit.stream: %q is none of file:/path, stdout and otlp", c.Audit.Stream)
	}

	isURL := isAddress(c.Audit.AnchorURL, "http", "https")
	if c.Audit.AnchorURL != "" && c.Audit.AnchorFile() == "" && !isURL {
		return fmt.Errorf(
			"audit.anchor_url: %q is neither file:/path nor https://…", c.Audit.AnchorURL,
		)
	}

	return nil
}
