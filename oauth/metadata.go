package oauth

import "net/url"

// Where the documents are (RFC 9728 section 3, RFC 8414 section 3).
const (
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
)

// resourceMetadata describes the resource (RFC 9728 section 2).
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   ScopeSet `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// serverMetadata describes the authorization server (RFC 8414 section 2). It
// names what is served and nothing else: clients believe it.
type serverMetadata struct {
	Issuer         string   `json:"issuer"`
	Authorization  string   `json:"authorization_endpoint"`
	Token          string   `json:"token_endpoint"`
	Registration   string   `json:"registration_endpoint"`
	Revocation     string   `json:"revocation_endpoint"`
	JWKS           string   `json:"jwks_uri"`
	Scopes         ScopeSet `json:"scopes_supported"`
	ResponseTypes  []string `json:"response_types_supported"`
	ResponseModes  []string `json:"response_modes_supported"`
	GrantTypes     []string `json:"grant_types_supported"`
	TokenAuth      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges     []string `json:"code_challenge_methods_supported"`
	Iss            bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207 section 3
	Resources      []string `json:"protected_resources"`                            // RFC 9728 section 4
}

// Documents returns the metadata documents by path. Each stands at the place
// that its specification names and at those where clients look besides: the
// resource's at the root, the server's with the resource's path put in or put
// in front.
func (s *Server) Documents() map[string]any {
	resource, server := s.resourceMetadata(), s.serverMetadata()
	path := func(raw string) string {
		u, err := url.Parse(raw)
		if err != nil {
			return ""
		}
		return u.Path
	}
	return map[string]any{
		resourceMetadataPath:                    resource,
		resourceMetadataPath + path(s.Resource): resource,
		serverMetadataPath:                      server,
		serverMetadataPath + path(s.Issuer):     server,
		serverMetadataPath + path(s.Resource):   server,
		path(s.Resource) + serverMetadataPath:   server,
	}
}

func (s *Server) resourceMetadata() resourceMetadata {
	return resourceMetadata{
		Resource: s.Resource,
		Servers:  []string{s.Issuer},
		Scopes:   s.ordinary(),
		Methods:  []string{"header"},
		Name:     s.Name,
	}
}

func (s *Server) serverMetadata() serverMetadata {
	auth := []string{authNone, authBasic, authPost}
	return serverMetadata{
		Issuer:         s.Issuer,
		Authorization:  s.Issuer + "/authorize",
		Token:          s.Issuer + "/token",
		Registration:   s.Issuer + "/register",
		Revocation:     s.Issuer + "/revoke",
		JWKS:           s.Issuer + "/jwks.json",
		Scopes:         s.known(),
		ResponseTypes:  []string{"code"},
		ResponseModes:  []string{"query"},
		GrantTypes:     []string{grantCode, grantRefresh},
		TokenAuth:      auth,
		RevocationAuth: auth,
		Challenges:     []string{"S256"},
		Iss:            true,
		Resources:      []string{s.Resource},
	}
}
