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

func TestTheSecurityContactIsAURI(t *testing.T) {
	for contact, want := range map[string]bool{
		"": true, "mailto:security@rialto.example": true, "https://rialto.example/report": true, "tel:+1-201-555-0123": true,
		"security@rialto.example": false, "http://rialto.example/report": false, "mailto:a@rialto.example\nExpires: never": false,
	} {
		if err := (Serving{SecurityContact: contact}).checkContact(); (err == nil) != want {
			t.Errorf("%q: got %v, want it accepted: %v", contact, err, want)
		}
	}
}
