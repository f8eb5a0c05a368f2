package login

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"rialto/bridge/sanitize"
)

// The places of metadata (RFC 9728 section 3, RFC 8414 section 3, OpenID Connect Discovery 1.0
// section 4).
const (
	resourcePlace = "/.well-known/oauth-protected-resource"
	serverPlace   = "/.well-known/oauth-authorization-server"
	openidPlace   = "/.well-known/openid-configuration"
)

// resourceMetadata is what we read of RFC 9728 section 2.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Proofs   []string `json:"dpop_signing_alg_values_supported"`
}

// serverMetadata is what we read of RFC 8414 section 2.
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Proofs        []string `json:"dpop_signing_alg_values_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
	Iss           bool     `json:"authorization_response_iss_parameter_supported"`
}

// found is where and for what to log in.
type found struct {
	resource resourceMetadata
	server   serverMetadata
	scopes   []string
}

// provable tells whether tokens can be bound to a key: both servers have to know of it.
func (f *found) provable() bool {
	return slices.Contains(f.resource.Proofs, proofAlgorithm) &&
		slices.Contains(f.server.Proofs, proofAlgorithm)
}

// discover follows the challenge of the server to the metadata of its authorization server.
// Unlike the SDK's, it takes servers in private networks: they are what many run this for.
func (l *Login) discover(ctx context.Context, challenged http.Header) (*found, error) {
	challenges, err := oauthex.ParseWWWAuthenticate(challenged.Values("WWW-Authenticate"))
	if err != nil {
		return nil, err
	}

	params := map[string]string{}
	for _, c := range challenges {
		for name, value := range c.Params {
			params[name] = cmp.Or(params[name], value)
		}
	}

	f := &found{}
	if err := l.readResource(ctx, params["resource_metadata"], &f.resource); err != nil {
		return nil, err
	}
	if err := l.readServer(ctx, f.resource.Servers[0], &f.server); err != nil {
		return nil, err
	}

	f.scopes = strings.Fields(params["scope"])
	if len(f.scopes) == 0 {
		f.scopes = f.resource.Scopes
	}

	const offline = "offline_access" // asks for a refresh token
	if slices.Contains(f.server.Scopes, offline) {
		f.add(offline)
	}

	return f, nil
}

// add adds scopes that are to be asked for, too.
func (f *found) add(scopes ...string) {
	f.scopes = slices.Concat(scopes, f.scopes)
	slices.Sort(f.scopes)
	f.scopes = slices.Compact(f.scopes)
}

// readResource reads the metadata of the MCP server. A server of before 2025-06-18 has none, and is
// its own authorization server.
func (l *Login) readResource(ctx context.Context, named string, m *resourceMetadata) error {
	u, err := url.Parse(l.URL)
	if err != nil {
		return err
	}

	root := origin(u)
	for _, place := range []string{named, root + resourcePlace + u.EscapedPath(), root + resourcePlace} {
		if place == "" {
			continue
		}
		*m = resourceMetadata{}
		ok, err := l.getJSON(ctx, place, m)
		switch {
		case err != nil:
			return err
		case !ok:
			continue
		case !covers(m.Resource, l.URL):
			return fmt.Errorf("%s is about %q", place, sanitize.Label(m.Resource))
		case len(m.Servers) == 0:
			return fmt.Errorf("%s names no authorization server", place)
		}
		return nil
	}

	*m = resourceMetadata{Resource: l.URL, Servers: []string{root}}
	return nil
}

// covers tells whether a resource is the server at an address (RFC 9728 section 3.3), or all of its
// origin, as several servers have it. Another path is another resource, also if it is a prefix.
func covers(resource, address string) bool {
	resource = strings.TrimSuffix(resource, "/")
	u, err := url.Parse(address)
	whole := err == nil && resource == origin(u)
	return whole || resource == strings.TrimSuffix(address, "/")
}

// readServer reads the metadata of an authorization server.
func (l *Login) readServer(ctx context.Context, issuer string, m *serverMetadata) error {
	u, err := url.Parse(issuer)
	if err != nil {
		return err
	}

	path := strings.TrimSuffix(u.EscapedPath(), "/")
	root := origin(u)
	for _, place := range []string{
		root + serverPlace + path, root + openidPlace + path, root + path + openidPlace,
	} {
		*m = serverMetadata{}
		ok, err := l.getJSON(ctx, place, m)
		if err != nil {
			return err
		}
		if ok {
			return l.checkServer(issuer, m)
		}
	}

	*m = serverMetadata{ // as it was before there was metadata, in 2025-03-26
		Issuer:        issuer,
		Authorization: issuer + "/authorize",
		Token:         issuer + "/token",
		Registration:  issuer + "/register",
		Challenges:    []string{"S256"},
	}
	return l.checkServer(issuer, m)
}

func (l *Login) checkServer(issuer string, m *serverMetadata) error {
	switch {
	case strings.TrimSuffix(m.Issuer, "/") != strings.TrimSuffix(issuer, "/"):
		return fmt.Errorf("the metadata of %s is that of %q", issuer, sanitize.Label(m.Issuer))
	case !slices.Contains(m.Challenges, "S256"):
		return fmt.Errorf("%s does not support PKCE", issuer)
	case sanitize.WebPage(m.Authorization) == "": // it may be a file, or start a program
		return errors.New("the server's authorization_endpoint is no web page")
	}
	return l.checkAddress(m.Token)
}

// checkAddress refuses plain HTTP, unless it stays on this computer or the MCP server has it too.
func (l *Login) checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}

	ip, _ := netip.ParseAddr(u.Hostname())
	local := ip.IsLoopback() || u.Hostname() == "localhost"
	server, err := url.Parse(l.URL)
	same := err == nil && server.Scheme == "http" && server.Hostname() == u.Hostname()
	plain := u.Scheme == "http" && (local || same)
	if u.Scheme != "https" && !plain {
		return fmt.Errorf("%s is not encrypted", sanitize.Label(address))
	}

	return nil
}

// getJSON reads a document. It returns false if there is none.
func (l *Login) getJSON(ctx context.Context, address string, into any) (bool, error) {
	if err := l.checkAddress(address); err != nil {
		return false, err
	}

	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}

	r.Header.Set("Accept", "application/json")
	status, err := l.exchange(r, into)
	if status >= 400 && status < 500 {
		return false, nil
	}

	return err == nil, err
}

// exchange sends a request to an authorization server and reads its answer, if it is a success.
func (l *Login) exchange(r *http.Request, into any) (status int, err error) {
	client := http.Client{Transport: l.base(), CheckRedirect: sameOrigin, Timeout: renewTimeout}
	resp, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return resp.StatusCode, fmt.Errorf(
			"%s answers %s %s", r.URL.Redacted(), resp.Status, sanitize.Label(string(body)),
		)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return 0, fmt.Errorf("%s answers no JSON document", r.URL.Redacted())
	}

	return resp.StatusCode, nil
}

// register returns a login of a client that the authorization server knows, without a token.
func (l *Login) register(ctx context.Context, f *found, redirect string) (*stored, error) {
	s := &stored{
		Issuer:   f.server.Issuer,
		Resource: f.resource.Resource,
		ClientID: l.ClientID,
		TokenURL: f.server.Token,
		Style:    oauth2.AuthStyleInParams,
	}
	document := strings.HasPrefix(l.ClientID, "https://")
	if l.ClientID != "" && (!document || f.server.Documents) {
		return s, nil
	}
	if f.server.Registration == "" {
		return nil, fmt.Errorf(
			"%s does not register clients: name one that it knows with --client-id", f.server.Issuer,
		)
	}
	if err := l.checkAddress(f.server.Registration); err != nil {
		return nil, err
	}

	metadata, err := json.Marshal(&oauthex.ClientRegistrationMetadata{
		ClientName:              "Rialto command line",
		ApplicationType:         "native",
		RedirectURIs:            []string{redirect},
		TokenEndpointAuthMethod: "none",
		GrantTypes:              []string{"authorization_code", "refresh_token"},
		ResponseTypes:           []string{"code"},
	})
	if err != nil {
		return nil, err
	}

	r, err := http.NewRequestWithContext(
		ctx, http.MethodPost, f.server.Registration, bytes.NewReader(metadata),
	)
	if err != nil {
		return nil, err
	}

	r.Header.Set("Content-Type", "application/json")
	client := &oauthex.ClientRegistrationResponse{}
	if _, err := l.exchange(r, client); err != nil {
		return nil, fmt.Errorf("registering: %w", err)
	}

	s.ClientID = client.ClientID
	s.Secret = client.ClientSecret
	if client.TokenEndpointAuthMethod == "client_secret_basic" {
		s.Style = oauth2.AuthStyleInHeader
	}

	return s, nil
}
