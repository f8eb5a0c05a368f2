package client

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"rialto/oauth"
)

// Policy decides what clients may register.
type Policy struct {
	// Schemes lists the private-use URI schemes that a client may register
	// for its redirect URI (RFC 8252 section 7.1). nil is "cursor" alone.
	Schemes []string

	// RedirectPrefixes, if any, are where https redirect URIs of clients that
	// register or bring a document must lead: to the same host, and to the path
	// or below it. Addresses on people's own computers are not limited.
	RedirectPrefixes []string

	Fetcher *Fetcher
}

// Check says what is wrong with the configuration.
func (po *Policy) Check() error {
	for _, prefix := range po.RedirectPrefixes {
		if p, err := ParseRedirect(prefix); err != nil || p.URL.Scheme != "https" {
			return fmt.Errorf("redirect prefix %q is not an address such as https://chatgpt.com/", prefix)
		}
	}
	return nil
}

// schemes returns the private-use schemes that clients may register.
func (po *Policy) schemes() []string {
	if po.Schemes == nil {
		return []string{"cursor"}
	}
	return slices.DeleteFunc(slices.Clone(po.Schemes), func(scheme string) bool {
		return slices.Contains([]string{"http", "https", "javascript", "data", "file", "vbscript", "blob", "about"}, scheme)
	})
}

// parseRegistration checks a registration. The decoder is strict where parsers
// differ: "Redirect_URIs" is not "redirect_uris", and a duplicate name is an
// error.
func (po *Policy) parseRegistration(body []byte) (*oauth.Client, error) {
	var m registration
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, oauth.Refuse("invalid_client_metadata", "The body is not a JSON object of client metadata.")
	}
	if err := m.checkRedirects(po.schemes(), po.RedirectPrefixes); err != nil {
		return nil, err
	}
	if err := m.checkKeys(po.Fetcher.HTTP != nil); err != nil {
		return nil, err
	}
	method, err := m.authMethod()
	if err != nil {
		return nil, err
	}
	grants, err := m.grantTypes()
	if err != nil {
		return nil, err
	}
	return &oauth.Client{
		Name:         m.name(),
		URI:          m.uri(),
		RedirectURIs: m.RedirectURIs,
		AuthMethod:   method,
		Keys:         string(m.JWKS),
		KeysURI:      m.JWKSURI,
		GrantTypes:   grants,
		Bound:        m.Bound,

		ApplicationType: m.applicationType(),
	}, nil
}
