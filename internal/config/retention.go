package config

import (
	"fmt"
	"time"
)

// Records sets how long records are kept.
type Records struct {
	Retention time.Duration `koanf:"retention"`
}

// longestRetention limits how long records of people are kept.
const longestRetention = 10 * 365 * 24 * time.Hour

func (c *Config) checkRecords() error {
	for key, r := range map[string]Records{"usage": c.Usage, "audit": c.Audit} {
		if r.Retention < time.Hour || r.Retention > longestRetention {
			return fmt.Errorf("%s.retention: %s is not from 1h to 10 years (3650d)", key, r.Retention)
		}
	}
	return nil
}
