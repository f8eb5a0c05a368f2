package config

import (
	"errors"
	"fmt"
	"reflect"
)

// mayBeZero are the limits that 0 switches off.
var mayBeZero = map[string]bool{
	"rate_per_user":         true,
	"connections_per_agent": true,
	"stored_per_user":       true,
	"stored_per_agent":      true,
}

// checkLimits refuses limits that nothing fits.
func (c *Config) checkLimits() (faults error) {
	v := reflect.ValueOf(c.Limits)
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("koanf")
		n := v.Field(i).Int()
		least := int64(1)
		if mayBeZero[key] {
			least = 0
		}
		if n < least {
			faults = errors.Join(faults, fmt.Errorf(
				"limits.%s: %d is too small; leave the setting out for its default", key, n,
			))
		}
	}

	return faults
}
