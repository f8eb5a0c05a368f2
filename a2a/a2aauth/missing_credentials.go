package a2aauth

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rialto/a2a"
)

// Means is what there is to prove to an agent who calls.
type Means struct {
	Secret *Secret // or nil
	Header string  // a header that is sent as it was set; "" is none
	Tokens bool
	TLS    bool // a certificate
}

// Unmet returns what card asks for that m cannot give, a line for each of the
// ways that it offers; nothing if one of them is open, or if it asks for nothing.
func Unmet(card *a2a.Card, m Means) []string {
	var lines []string
	for _, need := range card.Security {
		var missing []string
		for _, name := range slices.Sorted(maps.Keys(need)) {
			if scheme := card.SecuritySchemes[name]; !m.meets(scheme) {
				missing = append(missing, fmt.Sprintf("%.64q (%s)", name, describe(scheme)))
			}
		}
		if missing == nil {
			return nil
		}
		lines = append(lines, strings.Join(missing, " and "))
	}
	return lines
}

// meets reports whether m can give what s asks for.
func (m Means) meets(s a2a.SecurityScheme) bool {
	secret := m.Secret
	any := secret != nil && secret.Kind == AsTheCardSays
	switch {
	case s.Type == a2a.MutualTLS:
		return m.TLS
	case s.Type == a2a.APIKey:
		return any || secret != nil && secret.Kind == APIKey && strings.EqualFold(secret.Name, s.Name) ||
			s.In == "header" && strings.EqualFold(m.Header, s.Name)
	case strings.EqualFold(m.Header, "Authorization"):
		return true // whatever scheme it is, somebody wrote it down
	case bearer(s):
		return any || m.Tokens || secret != nil && secret.Kind == Bearer
	case s.Type == a2a.HTTPAuth && s.Scheme == "basic":
		return secret != nil && secret.User != "" && (any || secret.Kind == Basic)
	default:
		return false
	}
}

// describe says what a scheme is, and what to set.
func describe(s a2a.SecurityScheme) string {
	switch s.Type {
	case a2a.APIKey:
		return fmt.Sprintf("an API key in the %.16s %.64q: set credentials.type to api_key", s.In, s.Name)
	case a2a.HTTPAuth:
		return fmt.Sprintf("HTTP authentication %.32q: set credentials.type to bearer or basic", s.Scheme)
	case a2a.OAuth2:
		for _, f := range s.Flows {
			if f.Grant == "clientCredentials" {
				return fmt.Sprintf("OAuth 2.0 client credentials at %.200q: set credentials.type to client_credentials, and token_url", f.TokenURL)
			}
		}
		return "OAuth 2.0: set credentials.type to client_credentials or token_exchange"
	case a2a.OpenIDConnect:
		return fmt.Sprintf("OpenID Connect, %.200q: set credentials.type to client_credentials or token_exchange", s.OpenIDConnectURL)
	case a2a.MutualTLS:
		return "mutual TLS: set credentials.cert_file and key_file"
	default:
		return fmt.Sprintf("a scheme %.32q that is not one of A2A", string(s.Type))
	}
}
