package server

import (
	_ "embed" // for chat_apps.yaml
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"rialto/internal/embedded"
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
	RedirectURIs []string `yaml:"redirect_uris"`
	Origins      []string // of its pages; "*." stands for all hosts below
}

//go:embed chat_apps.yaml
var chatAppFile []byte

// chatApps lists the chat apps in the metadata. The first is the default, if the
// origin names none.
var chatApps = embedded.YAML[[]chatApp](chatAppFile)

// chatAppOrigins returns the web origins of the chat apps. They may call the MCP
// endpoint without configuration.
func chatAppOrigins() (all []string) {
	for _, c := range chatApps() {
		all = append(all, c.Origins...)
	}
	return all
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

// mcpDocument describes the server to clients before they connect, to a connector on each of its
// origins. It has no specification; the names are those that existing clients read.
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

	connectors := map[string]any{}
	for _, c := range chatApps() {
		connectors[c.Key] = c.metadata(as, resource)
	}

	doc := wellknown.ByOrigin{Origins: map[string]any{}}
	for _, c := range chatApps() {
		m := c.metadata(as, resource)
		maps.Copy(m, map[string]any{
			"name":                  s.Info.Name,
			"title":                 s.Info.Title,
			"version":               s.Info.Version,
			"mcp_endpoint":          resource,
			"transports":            []string{"streamable-http", "sse"},
			"protocol_versions":     mcp.Revisions(),
			"endpoints":             endpoints,
			"oauth_config":          as,
			"chatgpt_connector":     connectors["chatgpt"],
			"claude_code_connector": connectors["claude_code"],
		})
		own := maps.Clone(connectors)
		own["default_connector"] = c.Key
		m["connectors"] = own
		for _, origin := range c.Origins {
			doc.Origins[origin] = m
		}
		if doc.Default == nil {
			doc.Default = m
		}
	}

	return doc, nil
}

// metadata is what one connector needs to log in: the endpoints, the constant parameters of an
// authorization request, and the client metadata (RFC 7591 section 2) or the address of its document.
func (c chatApp) metadata(as oauthEndpoints, resource string) map[string]any {
	authentication := map[string]any{
		"type":              "oauth",
		"authorization_url": as.Authorization,
		"token_url":         as.Token,
		"registration_url":  as.Registration,
		"resource":          resource,
		"scope":             oauth.ScopeTools,
	}
	request := map[string]any{
		"response_type":         "code",
		"redirect_uri":          c.RedirectURIs[0],
		"scope":                 oauth.ScopeTools,
		"resource":              resource,
		"code_challenge_method": "S256",
	}
	client := map[string]any{
		"client_name":                c.Name,
		"redirect_uris":              c.RedirectURIs,
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": "none",
		"scope":                      oauth.ScopeTools,
	}
	if as.Documents {
		request["client_id"] = c.Document
		client["client_id"] = c.Document
	}

	return map[string]any{
		"authentication":      authentication,
		"auth_request":        request,
		"oauth_client_params": client,
	}
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
