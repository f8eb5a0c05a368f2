package config

import "testing"

// TestAnAllowedOriginMayStandForAllHostsBelow checks the form of allowed_origins.
func TestAnAllowedOriginMayStandForAllHostsBelow(t *testing.T) {
	for origin, want := range map[string]bool{
		"https://app.example.com": true, "http://127.0.0.1:3000": true, "https://*.example.com": true,
		"https://*": false, "https://a*.example.com": false, "https://*.*.example.com": false, "*.example.com": false, "https://*example.com": false,
	} {
		if err := (&Config{AllowedOrigins: []string{origin}}).checkOrigins(); (err == nil) != want {
			t.Errorf("%s: got %v, want it accepted: %v", origin, err, want)
		}
	}
}
