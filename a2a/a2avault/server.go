package a2avault

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/internal/safehttp"
)

// App is the operator's settings of an agent's authorization server. Agent and Fetch are required.
// The rest comes from the agent's card, and a client is registered if none is set.
type App struct {
	Agent string
	Fetch *safehttp.Client

	Issuer           string // whose metadata says where the endpoints are
	AuthorizationURL string // instead of the metadata, with TokenURL
	TokenURL         string

	ClientID     string
	ClientSecret string // sent to a server that the operator has named, and to no other
	InBody       bool   // the secret goes into the body
	Scopes       []string
	Resource     string // RFC 8707
}

// server is the metadata of an authorization server.
type server struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`           // RFC 7009
	Device        string   `json:"device_authorization_endpoint"` // RFC 8628
	Iss           bool     `json:"authorization_response_iss_parameter_supported"`
	Auth          []string `json:"token_endpoint_auth_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
}

// SignInMethod is one method to connect an agent.
type SignInMethod struct {
	Kind        Kind
	Scheme      string // its name in the card; "" is of the operator's settings
	Description string
	In, Name    string // of APIKey
	Host        string // of OAuth and Device: where the user signs in; "" is not known yet

	scheme a2a.SecurityScheme
	scopes []string
}

// SignInMethods returns the methods to connect an agent: those that its card requires, or a token if
// it requires nothing. There is none for a requirement that a user cannot meet here.
func (a App) SignInMethods(card *a2a.Card) []SignInMethod {
	var methods []SignInMethod
	add := func(w SignInMethod) {
		if !slices.ContainsFunc(
			methods,
			func(known SignInMethod) bool { return known.Kind == w.Kind && known.Scheme == w.Scheme },
		) {
			methods = append(methods, w)
		}
	}
	set := a.Issuer != "" || a.AuthorizationURL != ""
	if set && !a.onlyDevices(card) {
		add(SignInMethod{Kind: OAuth, Host: hostOf(cmp.Or(a.AuthorizationURL, a.Issuer))})
	}

	asks := false
	for _, need := range needs(card) {
		for name, scopes := range need {
			w, ok := methodOf(name, card.SecuritySchemes[name])
			asks = true
			configured := w.Kind == OAuth && len(methods) > 0 && methods[0].Scheme == ""
			if ok && needsOneCredential(card, need) && !configured {
				w.scopes = scopes
				add(w)
			}
		}
	}

	if len(methods) == 0 && !asks {
		add(SignInMethod{Kind: Bearer})
	}

	return methods
}

// onlyDevices reports whether a card has only the device grant: then the operator's settings
// of the server are for it.
func (a App) onlyDevices(card *a2a.Card) bool {
	any := false
	for _, need := range needs(card) {
		for name := range need {
			w, _ := methodOf(name, card.SecuritySchemes[name])
			if w.Kind == OAuth {
				return false
			}
			any = any || w.Kind == Device
		}
	}

	return any && a.AuthorizationURL == ""
}

// needsOneCredential reports whether the user needs one credential only: a certificate is the operator's.
func needsOneCredential(card *a2a.Card, need a2a.SecurityRequirement) bool {
	n := 0
	for name := range need {
		if card.SecuritySchemes[name].Type != a2a.MutualTLS {
			n++
		}
	}
	return n == 1
}

// needs returns the requirements of a card: any of its schemes if it lists none.
func needs(card *a2a.Card) []a2a.SecurityRequirement {
	if card == nil {
		return nil
	}
	if len(card.Security) > 0 {
		return card.Security
	}

	var all []a2a.SecurityRequirement
	for _, name := range slices.Sorted(maps.Keys(card.SecuritySchemes)) {
		all = append(all, a2a.SecurityRequirement{name: nil})
	}

	return all
}

func methodOf(name string, s a2a.SecurityScheme) (SignInMethod, bool) {
	w := SignInMethod{Scheme: name, Description: s.Description, scheme: s}
	switch {
	case s.Type == a2a.APIKey && s.Name != "":
		w.Kind = APIKey
		w.In = s.In
		w.Name = s.Name
	case s.Type == a2a.HTTPAuth && s.Scheme == "bearer":
		w.Kind = Bearer
	case s.Type == a2a.HTTPAuth && s.Scheme == "basic":
		w.Kind = Basic
	case s.Type == a2a.OpenIDConnect:
		w.Kind, w.Host = OAuth, hostOf(s.OpenIDConnectURL)
	case s.Type == a2a.OAuth2 && deviceFlow(s) != nil:
		w.Kind, w.Host = Device, hostOf(deviceFlow(s).DeviceAuthorizationURL)
	case s.Type == a2a.OAuth2 && (s.OAuth2MetadataURL != "" || codeFlow(s) != nil):
		w.Kind, w.Host = OAuth, hostOf(s.OAuth2MetadataURL)
		if f := codeFlow(s); f != nil {
			w.Host = hostOf(f.AuthorizationURL)
		}
	case s.Type == a2a.OAuth2: // no flow is for people, but one may have a token
		w.Kind = Bearer
	default:
		return SignInMethod{}, false
	}

	return w, true
}

func codeFlow(s a2a.SecurityScheme) *a2a.OAuthFlow { return flowOf(s, "authorizationCode") }

func flowOf(s a2a.SecurityScheme, grant string) *a2a.OAuthFlow {
	i := slices.IndexFunc(s.Flows, func(f a2a.OAuthFlow) bool { return f.Grant == grant })
	if i < 0 {
		return nil
	}
	return &s.Flows[i]
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// errServer is the error for an authorization server that cannot be used.
type errServer struct{ words string }

// Error says what is wrong with it.
func (e *errServer) Error() string { return "the agent's authorization server: " + e.words }

// server returns the authorization server of a sign-in method. Settings of the operator take
// precedence over the card, and each address is checked before use.
func (a App) server(ctx context.Context, w SignInMethod) (*server, error) {
	s, err := a.find(ctx, w)
	if err != nil {
		return nil, err
	}

	where := s.Authorization
	if w.Kind == Device {
		if f := deviceFlow(w.scheme); s.Device == "" && f != nil {
			s.Device = f.DeviceAuthorizationURL
		}
		where = s.Device
	}

	for _, address := range []string{where, s.Token} {
		if err := a.Fetch.Check(address); err != nil {
			return nil, &errServer{fmt.Sprintf("%.200q: %v", address, err)}
		}
	}

	return s, nil
}

func (a App) find(ctx context.Context, w SignInMethod) (*server, error) {
	flow := codeFlow(w.scheme)
	device := deviceFlow(w.scheme)
	switch {
	case a.AuthorizationURL != "":
		return &server{Issuer: a.Issuer, Authorization: a.AuthorizationURL, Token: a.TokenURL}, nil
	case a.Issuer != "":
		return a.ofIssuer(ctx, a.Issuer)
	case w.scheme.OpenIDConnectURL != "":
		return a.metadata(ctx, w.scheme.OpenIDConnectURL)
	case w.scheme.OAuth2MetadataURL != "":
		return a.metadata(ctx, w.scheme.OAuth2MetadataURL)
	case device != nil:
		return &server{Device: device.DeviceAuthorizationURL, Token: device.TokenURL}, nil
	case flow != nil:
		return &server{Authorization: flow.AuthorizationURL, Token: flow.TokenURL}, nil
	}

	return nil, &errServer{"the card does not say where it is"}
}

// ofIssuer reads the metadata of an issuer, of OAuth (RFC 8414) or else of OpenID Connect.
func (a App) ofIssuer(ctx context.Context, issuer string) (s *server, err error) {
	for _, address := range wellKnown(issuer) {
		s, err = a.metadata(ctx, address)
		if err == nil && s.Issuer != issuer {
			return nil, &errServer{
				fmt.Sprintf("its metadata is that of another issuer, %.200q", s.Issuer),
			}
		}
		if err == nil || !errors.Is(err, safehttp.ErrStatus) || Unavailable(err) {
			return s, err
		}
	}
	return nil, err
}

// wellKnown returns where the metadata of an issuer may be (RFC 8414 sections 3.1 and 5).
func wellKnown(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}

	root := u.Scheme + "://" + u.Host
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	return []string{
		root + "/.well-known/oauth-authorization-server" + path,
		root + path + "/.well-known/openid-configuration",
		root + "/.well-known/openid-configuration" + path,
	}
}

// permanentErrors are the errors for an address that cannot be used.
var permanentErrors = []error{
	safehttp.ErrURL,
	safehttp.ErrBlocked,
	safehttp.ErrRedirect,
	safehttp.ErrStatus,
	safehttp.ErrTooLarge,
}

// metadata reads a document. Its issuer must belong to the address: otherwise
// any server could claim to be any issuer (RFC 8414 section 3.3).
func (a App) metadata(ctx context.Context, address string) (*server, error) {
	doc, err := a.Fetch.Get(ctx, address)
	if err != nil {
		err = fmt.Errorf("reading the metadata at %.200s: %w", address, err)
		permanent := slices.ContainsFunc(
			permanentErrors, func(why error) bool { return errors.Is(err, why) },
		)
		if !permanent || errors.Is(err, safehttp.ErrTemporary) {
			return nil, &errUnavailable{err}
		}
		return nil, err
	}

	var s server
	if err := json.Unmarshal(doc.Body, &s); err != nil {
		return nil, &errServer{"its metadata is not JSON"}
	}
	if !slices.Contains(wellKnown(s.Issuer), address) {
		return nil, &errServer{
			fmt.Sprintf(
				"the metadata at %.200q is of the issuer %.200q, whose metadata is elsewhere",
				address, s.Issuer,
			),
		}
	}

	for _, optional := range []*string{&s.Registration, &s.Revocation} {
		if *optional != "" && a.Fetch.Check(*optional) != nil {
			*optional = ""
		}
	}

	return &s, nil
}
