package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"rialto/mcp"
	"rialto/oauth"
	"rialto/wellknown"
)

// chatApp is a chat app that connects to the server.
type chatApp struct {
	Key, Name string
	// Document is its client ID, where clients may identify themselves by the
	// address of a document.
	Document     string
	RedirectURIs []string
	Origins      []string // of its pages; "*." stands for all hosts below
}

// chatApps lists the chat apps in the metadata. The first is the default, if the
// origin names none.
func chatApps() []chatApp {
	return []chatApp{
		{
			Key:          "chatgpt",
			Name:         "ChatGPT",
			Document:     "https://chatgpt.com/oauth/client.json",
			RedirectURIs: []string{"https://chatgpt.com/connector_platform_oauth_redirect"},
			Origins: []string{
				"https://chatgpt.com",
				"https://*.chatgpt.com",
				"https://*.openai.com",
			},
		},
		{
			Key:      "claude_code",
			Name:     "Claude Code",
			Document: "https://claude.ai/oauth/claude-code-client-metadata",
			RedirectURIs: []string{
				"http://localhost/callback",
				"http://127.0.0.1/callback",
				"https://claude.ai/api/mcp/auth_callback",
			},
			Origins: []string{"https://claude.ai", "https://claude.com"},
		},
	}
}

// chatAppOrigins returns the web origins of the chat apps. They may call the MCP
// endpoint without configuration.
func chatAppOrigins() (all []string) {
	for _, c := range chatApps() {
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
	Authentication struct {
		Type             string `json:"type"`
		AuthorizationURL string `json:"authorization_url"`
		TokenURL         string `json:"token_url"`
		RegistrationURL  string `json:"registration_url"`
		Resource         string `json:"resource"`
		Scope            string `json:"scope"`
	} `json:"authentication"`
	// The constant parameters of an authorization request.
	AuthRequest struct {
		ResponseType    string `json:"response_type"`
		ClientID        string `json:"client_id,omitempty"`
		RedirectURI     string `json:"redirect_uri"`
		Scope           string `json:"scope"`
		Resource        string `json:"resource"`
		ChallengeMethod string `json:"code_challenge_method"`
	} `json:"auth_request"`
	// The client metadata (RFC 7591 section 2), or the address of its document.
	ClientParams struct {
		ClientID      string   `json:"client_id,omitempty"`
		ClientName    string   `json:"client_name"`
		RedirectURIs  []string `json:"redirect_uris"`
		GrantTypes    []string `json:"grant_types"`
		ResponseTypes []string `json:"response_types"`
		TokenAuth     string   `json:"token_endpoint_auth_method"`
		Scope         string   `json:"scope"`
	} `json:"oauth_client_params"`
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
func mcpDocument(s *mcp.Server, resource string, metadata any) (wellknown.ByOrigin, error) {
	var as oauthEndpoints
	b, err := json.Marshal(metadata)
	if err == nil {
		err = json.Unmarshal(b, &as)
	}
	if err != nil {
		return wellknown.ByOrigin{}, fmt.Errorf("the metadata of connectors: %w", err)
	}

	endpoints := map[string]string{}
	for e := range strings.FieldsSeq(
		"initialize tools/list tools/call resources/list validate health sse",
	) {
		endpoints[strings.ReplaceAll(e, "/", "_")] = resource + "/" + e
	}

	all := chatApps()
	chatGPT := all[0]
	claudeCode := all[1]
	doc := wellknown.ByOrigin{Origins: map[string]any{}}
	for _, c := range all {
		m := mcpMetadata{
			Name:              s.Info.Name,
			Title:             s.Info.Title,
			Version:           s.Info.Version,
			Endpoint:          resource,
			Transports:        []string{"streamable-http", "sse"},
			ProtocolVersions:  mcp.Revisions(),
			Endpoints:         endpoints,
			OAuth:             as,
			connectorMetadata: c.metadata(as, resource),
			ChatGPT:           chatGPT.metadata(as, resource),
			ClaudeCode:        claudeCode.metadata(as, resource),
			Connectors:        map[string]any{"default_connector": c.Key},
		}
		m.Connectors[chatGPT.Key], m.Connectors[claudeCode.Key] = m.ChatGPT, m.ClaudeCode
		for _, origin := range c.Origins {
			doc.Origins[origin] = m
		}
		if doc.Default == nil {
			doc.Default = m
		}
	}

	return doc, nil
}

func (c chatApp) metadata(as oauthEndpoints, resource string) (m connectorMetadata) {
	id := ""
	if as.Documents {
		id = c.Document
	}

	a := &m.Authentication
	a.Type = "oauth"
	a.Resource = resource
	a.Scope = oauth.ScopeTools
	a.AuthorizationURL = as.Authorization
	a.TokenURL = as.Token
	a.RegistrationURL = as.Registration
	r := &m.AuthRequest
	r.ResponseType = "code"
	r.ClientID = id
	r.RedirectURI = c.RedirectURIs[0]
	r.Scope = oauth.ScopeTools
	r.Resource = resource
	r.ChallengeMethod = "S256"
	p := &m.ClientParams
	p.ClientID = id
	p.ClientName = c.Name
	p.RedirectURIs = c.RedirectURIs
	p.GrantTypes = []string{"authorization_code", "refresh_token"}
	p.ResponseTypes = []string{"code"}
	p.TokenAuth = "none"
	p.Scope = oauth.ScopeTools
	return m
}

// wantsDescription tells whether a GET asks for the description of the MCP endpoint.
// Clients also probe it with GET and must get the login challenge: they accept event
// streams or anything, or name a revision.
func wantsDescription(r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads || len(r.Header.Values("MCP-Protocol-Version")) > 0 {
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

// wantsMetadata matches requests for the description of the endpoint.
func wantsMetadata(r *http.Request, _ *mux.RouteMatch) bool { return wantsDescription(r) }

// varyByAccept sets Vary for the two answers to GET.
func varyByAccept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept, MCP-Protocol-Version")
		next.ServeHTTP(w, r)
	})
}

// validation is the answer of GET /mcp/validate, for clients that are being set up.
type validation struct {
	Valid            bool     `json:"valid"` // the tools that chat apps require exist
	Name             string   `json:"name"`
	Version          string   `json:"version"`
	ProtocolVersions []string `json:"protocol_versions"`
	Authentication   struct {
		Type string `json:"type"`
	} `json:"authentication"`
	Tools []string `json:"tools,omitempty"`
}

// validate answers GET /mcp/validate.
func (s *Server) validate(w http.ResponseWriter, r *http.Request) {
	v := validation{
		Name:             s.mcp.Info.Name,
		Version:          s.mcp.Info.Version,
		ProtocolVersions: mcp.Revisions(),
	}
	v.Authentication.Type = "oauth"
	names := s.mcp.ToolNames(r.Context(), "")
	v.Valid = slices.Contains(names, "search") && slices.Contains(names, "fetch")
	if s.cfg.Load().MCP.PublicListing {
		v.Tools = names
	}

	writeStatus(w, http.StatusOK, v)
}

// writeStatus writes JSON that must not be cached.
func writeStatus(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone, and knows
}

// writeError writes an error in the form of OAuth (RFC 6749 section 5.2).
func writeError(w http.ResponseWriter, status int, code, description string) {
	writeStatus(w, status, struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
}
