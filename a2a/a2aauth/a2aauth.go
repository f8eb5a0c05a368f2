// Package a2aauth authenticates calls to agents: with a secret (a bearer token, a name and
// password, an API key), or with OAuth 2.0 tokens for the program (RFC 6749 section 4.4) or
// for each user (RFC 8693). It also reports which credentials an agent's card requires.
//
// It never passes on the token of a user, which is for this server only (RFC 8707 section
// 2). Certificates (mutual TLS) belong to the transport: see a2aclient.Dialer.TLS.
package a2aauth

import (
	"net/http"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
)

var (
	_ a2aclient.Credentials = Secret{}
	_ a2aclient.Credentials = (*Tokens)(nil)
)

// Kind is the scheme of a secret.
type Kind string

// The kinds of secrets. AsTheCardSays is the one that the card requires, or a bearer token.
const (
	AsTheCardSays Kind = ""
	Bearer        Kind = "bearer"  // RFC 6750 section 2.1
	Basic         Kind = "basic"   // RFC 7617
	APIKey        Kind = "api_key" // in a header, the query or a cookie
)

// Secret is a secret that does not change. The zero value of In is "header".
type Secret struct {
	Kind  Kind
	Value string
	User  string // of Basic
	In    string // of APIKey: "header", "query" or "cookie"
	Name  string // of APIKey: what it is called there
}

// Apply implements a2aclient.Credentials.
func (s Secret) Apply(req *http.Request, c a2aclient.Caller) error {
	s = s.as(c.Card)
	switch {
	case s.Kind == Basic:
		req.SetBasicAuth(s.User, s.Value)
	case s.Kind != APIKey:
		req.Header.Set("Authorization", "Bearer "+s.Value)
	case s.In == "query":
		query := req.URL.Query()
		query.Set(s.Name, s.Value)
		req.URL.RawQuery = query.Encode()
	case s.In == "cookie":
		req.AddCookie(&http.Cookie{Name: s.Name, Value: s.Value})
	default:
		req.Header.Set(s.Name, s.Value)
	}

	return nil
}

// Renew implements a2aclient.Credentials: there is only one secret.
func (Secret) Renew(*http.Request, a2aclient.Caller) bool { return false }

// as returns s with the kind that card requires, if s leaves it open: a bearer token if
// the card allows it, or else the first kind that fits.
func (s Secret) as(card *a2a.Card) Secret {
	if s.Kind != AsTheCardSays || card == nil {
		return s
	}

	fits := s
	for _, need := range card.Security {
		for name := range need {
			switch scheme := card.SecuritySchemes[name]; {
			case len(need) > 1: // one secret is not enough
			case bearer(scheme):
				return s
			case fits.Kind != AsTheCardSays:
			case scheme.Type == a2a.APIKey && scheme.Name != "":
				fits.Kind = APIKey
				fits.In = scheme.In
				fits.Name = scheme.Name
			case scheme.Type == a2a.HTTPAuth && scheme.Scheme == "basic" && s.User != "":
				fits.Kind = Basic
			}
		}
	}

	return fits
}

// bearer reports whether a bearer token is what scheme asks for in the end.
func bearer(s a2a.SecurityScheme) bool {
	return s.Type == a2a.OAuth2 || s.Type == a2a.OpenIDConnect ||
		s.Type == a2a.HTTPAuth && s.Scheme == "bearer"
}
