package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"rialto/mcp"
	"rialto/oauth"
	"rialto/wellknown"
)

// connector is a chat app that connects to the server.
type connector struct {
	Key, Name string
	// Document is its client ID, where clients may identify themselves by the
	// address of a document.
	Document     string
	RedirectURIs []string
	Origins      []string // of its pages; "*." stands for all hosts below
}

// connectors lists the chat apps in the metadata. The first is the default, if the
// origin names none.
func connectors() []connector {
	return []connector{
		{
			Key: "chatgpt", Name: "ChatGPT",
			Document:     "https://chatgpt.com/oauth/client.json",
			RedirectURIs: []string{"https://chatgpt.com/connector_platform_oauth_redirect"},
			Origins:      []string{"https://chatgpt.com", "https://*.chatgpt.com", "https://*.openai.com"},
		},
		{
			Key: "claude_code", Name: "Claude Code",
			Document:     "https://claude.ai/oauth/claude-code-client-metadata",
			RedirectURIs: []string{"http://localhost/callback", "http://127.0.0.1/callback", "https://claude.ai/api/mcp/auth_callback"},
			Origins:      []string{"https://claude.ai", "https://claude.com"},
		},
	}
}

// connectorOrigins returns the web origins of the chat apps. They may call the MCP
// endpoint without configuration.
func connectorOrigins() (all []string) {
	for _, c := range connectors() {
		all = append(all, c.Origins...)
	}
	return all
}

// mcpMetadata describes the server to clients before they connect. It has no
// specification; the names are those that existing clients read.
type mcpMetadata struct {
	Name             string            `json:"name"`
	Title            string            `json:"title"`
	Version          string            `json:"version"`
	Endpoint         string            `json:"mcp_endpoint"`
	Transports       []string          `json:"transports"`
	ProtocolVersions []string          `json:"protocol_versions"`
	Endpoints        map[string]string `json:"endpoints"`
	OAuth            oauthEndpoints    `json:"oauth_config"`
	connectorMetadata
	ChatGPT    connectorMetadata `json:"chatgpt_connector"`
	ClaudeCode connectorMetadata `json:"claude_code_connector"`
	Connectors map[string]any    `json:"connectors"`
}

// connectorMetadata is what one connector needs to log in.
type connectorMetadata struct {
	Authentication authentication `json:"authentication"`
	AuthRequest    authRequest    `json:"auth_request"`
	ClientParams   clientParams   `json:"oauth_client_params"`
}

type authentication struct {
	Type             string `json:"type"`
	AuthorizationURL string `json:"authorization_url"`
	TokenURL         string `json:"token_url"`
	RegistrationURL  string `json:"registration_url"`
	Resource         string `json:"resource"`
	Scope            string `json:"scope"`
}

// authRequest has the constant parameters of an authorization request.
type authRequest struct {
	ResponseType    string `json:"response_type"`
	ClientID        string `json:"client_id,omitempty"`
	RedirectURI     string `json:"redirect_uri"`
	Scope           string `json:"scope"`
	Resource        string `json:"resource"`
	ChallengeMethod string `json:"code_challenge_method"`
}

// clientParams is the client metadata of a connector (RFC 7591 section 2), or the
// address of its document.
type clientParams struct {
	ClientID      string   `json:"client_id,omitempty"`
	ClientName    string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	TokenAuth     string   `json:"token_endpoint_auth_method"`
	Scope         string   `json:"scope"`
}

// oauthEndpoints are the members of the authorization server's metadata that clients
// need (RFC 8414 section 2).
type oauthEndpoints struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	GrantTypes    []string `json:"grant_types_supported"`
	ResponseTypes []string `json:"response_types_supported"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
}

// mcpDocument returns the metadata, with that of a connector for each of its origins.
func (s *Server) mcpDocument() (wellknown.ByOrigin, error) {
	var as oauthEndpoints
	b, err := json.Marshal(s.oauth.Documents()["/.well-known/oauth-authorization-server"])
	if err == nil {
		err = json.Unmarshal(b, &as)
	}
	if err != nil {
		return wellknown.ByOrigin{}, fmt.Errorf("the metadata of connectors: %w", err)
	}
	doc := wellknown.ByOrigin{Origins: map[string]any{}}
	for i, c := range connectors() {
		m := s.mcpMetadata(as, c)
		if i == 0 {
			doc.Default = m
		}
		for _, origin := range c.Origins {
			doc.Origins[origin] = m
		}
	}
	return doc, nil
}

func (s *Server) mcpMetadata(as oauthEndpoints, def connector) mcpMetadata {
	m := mcpMetadata{
		Name: s.mcp.Name, Title: s.mcp.Title, Version: s.mcp.Version,
		Endpoint: s.oauth.Resource, Transports: []string{"streamable-http", "sse"}, ProtocolVersions: mcp.Revisions(),
		Endpoints: map[string]string{}, OAuth: as,
		connectorMetadata: s.connectorMetadata(as, def),
		Connectors:        map[string]any{"default_connector": def.Key},
	}
	for _, e := range []string{"initialize", "tools/list", "tools/call", "resources/list", "validate", "health", "sse"} {
		m.Endpoints[strings.ReplaceAll(e, "/", "_")] = s.oauth.Resource + "/" + e
	}
	for _, c := range connectors() {
		one := s.connectorMetadata(as, c)
		m.Connectors[c.Key] = one
		switch c.Key {
		case "chatgpt":
			m.ChatGPT = one
		case "claude_code":
			m.ClaudeCode = one
		}
	}
	return m
}

func (s *Server) connectorMetadata(as oauthEndpoints, c connector) connectorMetadata {
	id := ""
	if as.Documents {
		id = c.Document
	}
	return connectorMetadata{
		Authentication: authentication{
			Type: "oauth", AuthorizationURL: as.Authorization, TokenURL: as.Token, RegistrationURL: as.Registration,
			Resource: s.oauth.Resource, Scope: oauth.ScopeTools,
		},
		AuthRequest: authRequest{
			ResponseType: "code", ClientID: id, RedirectURI: c.RedirectURIs[0],
			Scope: oauth.ScopeTools, Resource: s.oauth.Resource, ChallengeMethod: "S256",
		},
		ClientParams: clientParams{
			ClientID: id, ClientName: c.Name, RedirectURIs: c.RedirectURIs,
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
			TokenAuth: "none", Scope: oauth.ScopeTools,
		},
	}
}

// wantsDescription tells whether a GET asks for the description of the MCP endpoint.
// Clients also probe it with GET and must get the login challenge: they accept event
// streams or anything, or name a revision.
func wantsDescription(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || len(r.Header.Values("MCP-Protocol-Version")) > 0 {
		return false
	}
	var ranges []string
	for one := range strings.SplitSeq(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")), ",") {
		mediaType, _, _ := strings.Cut(one, ";")
		ranges = append(ranges, strings.TrimSpace(mediaType))
	}
	return slices.Contains(ranges, "application/json") &&
		!slices.Contains(ranges, "text/event-stream") && !slices.Contains(ranges, "*/*")
}
