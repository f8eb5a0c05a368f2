package a2a

// SecurityScheme is a way to authenticate at an agent, in the terms of OpenAPI
// 3.2 (A2A 1.0 section 4.5).
type SecurityScheme struct {
	Type        SchemeType
	Description string

	In   string // where an API key goes: "header", "query" or "cookie"
	Name string // and what it is called there

	Scheme       string // of HTTP authentication: "bearer", "basic"; in lower case
	BearerFormat string // a hint, such as "JWT"

	OpenIDConnectURL  string
	OAuth2MetadataURL string // RFC 8414
	Flows             []OAuthFlow
}

// SchemeType is a kind of SecurityScheme.
type SchemeType string

// The kinds that A2A 0.3 and 1.0 define, in the spelling of 0.3.
const (
	APIKey        SchemeType = "apiKey"
	HTTPAuth      SchemeType = "http"
	OAuth2        SchemeType = "oauth2"
	OpenIDConnect SchemeType = "openIdConnect"
	MutualTLS     SchemeType = "mutualTLS"
)

// OAuthFlow is a way to get a token of OAuth 2.0.
type OAuthFlow struct {
	Grant                  string // "authorizationCode", "clientCredentials", "deviceCode", "implicit" or "password"
	AuthorizationURL       string
	DeviceAuthorizationURL string
	TokenURL               string
	RefreshURL             string
	Scopes                 map[string]string // what each is for
	PKCERequired           bool
}

// SecurityRequirement names schemes that a call must satisfy together, each
// with the scopes it needs.
type SecurityRequirement map[string][]string
