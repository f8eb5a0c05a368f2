package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// credentials are what a request says of the client that sends it. The secret
// of a client with a key is its assertion.
type credentials struct{ method, id, secret string }

// readCredentials finds the client's credentials in a request: in the header
// or in the body, never in both (RFC 6749 section 2.3).
func readCredentials(header []string, f form) (credentials, error) {
	id, secret, assertion := f.get("client_id"), f.get("client_secret"), f.get("client_assertion")
	switch {
	case len(header) > 1:
		return credentials{}, refuse("invalid_request", "There is more than one Authorization header.")
	case len(header) == 1 && secret+assertion != "" || secret != "" && assertion != "":
		return credentials{}, refuse("invalid_request", "The client authenticates in two ways at once.")
	case assertion != "":
		return assertionCredentials(f.get("client_assertion_type"), assertion, id)
	case len(header) == 1:
		return basicCredentials(header[0], id)
	case secret != "":
		return credentials{authPost, id, secret}, nil
	}
	return credentials{authNone, id, ""}, nil
}

// basicCredentials reads the Basic scheme. Both halves are form-encoded before
// they are joined (RFC 6749 section 2.3.1), which plain HTTP Basic is not.
func basicCredentials(header, inBody string) (credentials, error) {
	bad := refuse("invalid_client", "The Authorization header is not a well-formed Basic header.")
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return credentials{}, bad
	}
	pair, err := base64.StdEncoding.Strict().DecodeString(strings.TrimLeft(encoded, " "))
	if err != nil {
		return credentials{}, bad
	}
	id, secret, ok := strings.Cut(string(pair), ":")
	if !ok {
		return credentials{}, bad
	}
	id, errID := url.QueryUnescape(id)
	secret, errSecret := url.QueryUnescape(secret)
	if errID != nil || errSecret != nil || !isText(id) || !isText(secret) {
		return credentials{}, bad
	}
	if inBody != "" && inBody != id {
		return credentials{}, refuse("invalid_request", "The client names itself in two ways.")
	}
	return credentials{authBasic, id, secret}, nil
}

// assertionCredentials reads a signed assertion (RFC 7521 section 4.2), which
// names the client if the request does not.
func assertionCredentials(kind, assertion, inBody string) (credentials, error) {
	if kind != assertionType {
		return credentials{}, refuse("invalid_client", "client_assertion_type must be %s.", assertionType)
	}
	id := assertedClient(assertion)
	if inBody != "" && inBody != id {
		return credentials{}, refuse("invalid_client", "The client_assertion is about another client.")
	}
	return credentials{authKey, id, assertion}, nil
}

// authenticate returns the client that sent the request. Whatever is wrong,
// the answer is the same 401: it makes clients whose registration is gone
// register anew.
func (s *Server) authenticate(ctx context.Context, r *http.Request, f form) (*Client, error) {
	cred, err := readCredentials(r.Header.Values("Authorization"), f)
	if err != nil {
		return nil, err
	}
	c, err := s.client(ctx, cred.id)
	if errors.Is(err, ErrNotFound) {
		c, err = &Client{SecretHash: hash("nobody")}, nil // compared all the same, for equal timing
	}
	if err != nil {
		return nil, err
	}
	if !proves(c, cred) {
		return nil, refuse("invalid_client", "The client is unknown or did not authenticate as it registered.")
	}
	if cred.method == authKey {
		if err := s.assertionHolds(ctx, r, c, cred.secret); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// proves tells whether the credentials are the client's, given in the way that
// it registered. Whether an assertion holds is still to be seen.
func proves(c *Client, cred credentials) bool {
	right := same(hash(cred.secret), c.SecretHash)
	if cred.method != c.AuthMethod && !slices.Contains(c.otherMethods, cred.method) {
		return false
	}
	return right || cred.method == authNone || cred.method == authKey
}
