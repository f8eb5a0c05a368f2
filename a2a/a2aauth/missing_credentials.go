package a2aauth

import (
	"maps"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/internal/i18n"
)

// CredentialKinds are the credentials that are configured for an agent.
type CredentialKinds struct {
	Secret *Secret // or nil
	Header string  // a header that is sent as it was set; "" is none
	Tokens bool
	TLS    bool // a certificate
}

// Unmet returns what card requires and m lacks, one line for each alternative; nil if m
// meets one of them or the card requires nothing.
func Unmet(card *a2a.Card, m CredentialKinds) []*i18n.Message {
	var lines []*i18n.Message
	for _, need := range card.Security {
		var missing *i18n.Message
		for _, name := range slices.Sorted(maps.Keys(need)) {
			scheme := card.SecuritySchemes[name]
			switch way := describe(name, scheme); {
			case m.meets(scheme):
			case missing == nil:
				missing = way
			default:
				missing = i18n.New("%v and %v", missing, way)
			}
		}
		if missing == nil {
			return nil
		}
		lines = append(lines, missing)
	}

	return lines
}

// meets reports whether m satisfies s.
func (m CredentialKinds) meets(s a2a.SecurityScheme) bool {
	secret := m.Secret
	any := secret != nil && secret.Kind == AsTheCardSays
	switch {
	case s.Type == a2a.MutualTLS:
		return m.TLS
	case s.Type == a2a.APIKey:
		return any ||
			secret != nil && secret.Kind == APIKey && strings.EqualFold(secret.Name, s.Name) ||
			s.In == "header" && strings.EqualFold(m.Header, s.Name)
	case strings.EqualFold(m.Header, "Authorization"):
		return true // the operator set it, whatever the scheme
	case bearer(s):
		return any || m.Tokens || secret != nil && secret.Kind == Bearer
	case s.Type == a2a.HTTPAuth && s.Scheme == "basic":
		return secret != nil && secret.User != "" && (any || secret.Kind == Basic)
	default:
		return false
	}
}

// describe names a scheme, and says what it is and what to set.
func describe(name string, s a2a.SecurityScheme) *i18n.Message {
	switch s.Type {
	case a2a.APIKey:
		in := "request"
		if slices.Contains([]string{"header", "query", "cookie"}, s.In) {
			in = s.In
		}
		return i18n.New(
			"%.64q (an API key in the %s %.64q: set credentials.type to api_key)",
			name,
			in,
			s.Name,
		)
	case a2a.HTTPAuth:
		return i18n.New(
			"%.64q (HTTP authentication %.32q: set credentials.type to bearer or basic)",
			name,
			s.Scheme,
		)
	case a2a.OAuth2:
		for _, f := range s.Flows {
			if f.Grant == "clientCredentials" {
				return i18n.New(
					"%.64q (OAuth 2.0 client credentials at %.200q: set credentials.type to client_credentials, and token_url)",
					name,
					f.TokenURL,
				)
			}
		}
		return i18n.New(
			"%.64q (OAuth 2.0: set credentials.type to client_credentials or token_exchange)", name,
		)
	case a2a.OpenIDConnect:
		return i18n.New(
			"%.64q (OpenID Connect, %.200q: set credentials.type to client_credentials or token_exchange)",
			name,
			s.OpenIDConnectURL,
		)
	case a2a.MutualTLS:
		return i18n.New("%.64q (mutual TLS: set credentials.cert_file and key_file)", name)
	default:
		return i18n.New("%.64q (a scheme %.32q that is not one of A2A)", name, string(s.Type))
	}
}
