package authserver

import (
	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/token"
)

const serverMetadataPath = "/.well-known/oauth-authorization-server"

// resourceMetadata describes the resource (RFC 9728 section 2).
type resourceMetadata struct {
	Resource string         `json:"resource"`
	Servers  []string       `json:"authorization_servers"`
	Scopes   oauth.ScopeSet `json:"scopes_supported"`
	Methods  []string       `json:"bearer_methods_supported"`
	Name     string         `json:"resource_name"`
	Proofs   []string       `json:"dpop_signing_alg_values_supported"`
}

// serverMetadata describes the authorization server (RFC 8414 section 2). It
// names only what is served: clients rely on it.
type serverMetadata struct {
	Issuer            string         `json:"issuer"`
	Authorization     string         `json:"authorization_endpoint"`
	Token             string         `json:"token_endpoint"`
	Registration      string         `json:"registration_endpoint,omitzero"`
	Revocation        string         `json:"revocation_endpoint"`
	Introspection     string         `json:"introspection_endpoint"`
	Pushed            string         `json:"pushed_authorization_request_endpoint"`
	UserInfo          string         `json:"userinfo_endpoint"`
	JWKS              string         `json:"jwks_uri,omitzero"`
	Scopes            oauth.ScopeSet `json:"scopes_supported"`
	ResponseTypes     []string       `json:"response_types_supported"`
	ResponseModes     []string       `json:"response_modes_supported"`
	GrantTypes        []string       `json:"grant_types_supported"`
	TokenAuth         []string       `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth    []string       `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuth []string       `json:"introspection_endpoint_auth_methods_supported"`
	TokenAlgs         []string       `json:"token_endpoint_auth_signing_alg_values_supported"`
	RevocationAlgs    []string       `json:"revocation_endpoint_auth_signing_alg_values_supported"`
	IntrospectionAlgs []string       `json:"introspection_endpoint_auth_signing_alg_values_supported"`
	Challenges        []string       `json:"code_challenge_methods_supported"`
	Proofs            []string       `json:"dpop_signing_alg_values_supported"` // RFC 9449 section 5.1
	Documents         bool           `json:"client_id_metadata_document_supported,omitzero"`
	Iss               bool           `json:"authorization_response_iss_parameter_supported"` // RFC 9207 section 3
	Resources         []string       `json:"protected_resources"`                            // RFC 9728 section 4
}

// openidMetadata is the server's metadata as readers of OpenID Connect
// Discovery 1.0 accept it: section 3 demands two members that say how ID
// tokens would be. None is issued, and no scope "openid" is offered.
type openidMetadata struct {
	serverMetadata
	SubjectTypes []string `json:"subject_types_supported"`
	IDTokenAlgs  []string `json:"id_token_signing_alg_values_supported"`
}

// Documents returns the metadata documents by path. Each has the address that its specification
// names, and those where some clients look: the resource's at the root, the server's with the
// resource's path put in or put in front, and under the names that OpenID Connect gave to it.
func (s *Server) Documents() map[string]any {
	byDefault := s.Resources.Default()
	server, openid := s.serverMetadata()
	docs := s.DocumentsOf(byDefault)
	docs[oauth.ResourceMetadataPath] = s.resourceMetadata(byDefault)
	docs[s.alias("/metadata")] = server
	docs["/.well-known/openid_configuration"] = openid // misspelled by some clients
	for path, doc := range map[string]any{serverMetadataPath: server, oauth.OpenidMetadataPath: openid} {
		docs[path] = doc
		docs[path+oauth.PathOf(s.Issuer)] = doc
	}

	return docs
}

// DocumentsOf returns the documents at addresses that are made from that of a resource, by path. Its own
// metadata is at no other: clients would take the document of a shorter path for that of a longer one.
func (s *Server) DocumentsOf(resource *oauth.Resource) map[string]any {
	server, openid := s.serverMetadata()
	at := oauth.PathOf(resource.URL)
	docs := map[string]any{oauth.ResourceMetadataPath + at: s.resourceMetadata(resource)}
	for path, doc := range map[string]any{serverMetadataPath: server, oauth.OpenidMetadataPath: openid} {
		docs[path+at] = doc
		docs[at+path] = doc
	}
	return docs
}

// alias returns the second address of an endpoint, under the resource: clients
// of older servers have it in their settings.
func (s *Server) alias(endpoint string) string {
	return oauth.PathOf(s.Resource) + "/oauth" + endpoint
}

func (s *Server) resourceMetadata(resource *oauth.Resource) resourceMetadata {
	return resourceMetadata{
		Resource: resource.URL,
		Servers:  []string{s.Issuer},
		Scopes:   resource.Within(s.Scopes.Ordinary()),
		Methods:  []string{"header"},
		Name:     resource.Title,
		Proofs:   jwt.Algorithms(),
	}
}

func (s *Server) serverMetadata() (serverMetadata, openidMetadata) {
	auth := []string{oauth.AuthNone, oauth.AuthBasic, oauth.AuthPost, oauth.AuthPrivateKeyJWT}
	algs := jwt.Algorithms()
	meta := serverMetadata{
		Issuer:            s.Issuer,
		Authorization:     s.Issuer + "/authorize",
		Token:             s.Issuer + "/token",
		Revocation:        s.Issuer + "/revoke",
		Introspection:     s.Issuer + "/introspect",
		Pushed:            s.Issuer + "/par",
		UserInfo:          s.Issuer + "/userinfo",
		Scopes:            s.Scopes.Supported(),
		ResponseTypes:     []string{"code"},
		ResponseModes:     []string{"query"},
		GrantTypes:        s.Clients.GrantTypes(),
		TokenAuth:         auth,
		RevocationAuth:    auth,
		IntrospectionAuth: auth[1:], // any caller can claim to be a client without a secret
		TokenAlgs:         algs,
		RevocationAlgs:    algs,
		IntrospectionAlgs: algs,
		Proofs:            algs,
		Challenges:        []string{"S256"},
		Documents:         s.Fetcher.HTTP != nil,
		Iss:               true,
		Resources:         []string{s.Resource},
	}
	if s.Registration.Mode != client.ModeClosed {
		meta.Registration = s.Issuer + "/register"
	}
	if s.Keys.Algorithm != token.HS256 {
		meta.JWKS = s.Issuer + "/jwks.json"
	}

	return meta, openidMetadata{meta, []string{"public"}, []string{s.Keys.Algorithm}}
}
