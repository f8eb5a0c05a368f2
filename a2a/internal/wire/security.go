package wire

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"rialto/a2a"
)

// schemeDoc is a security scheme of any generation: 0.2 and 0.3 have a type, 1.0 a member
// for each type. A hybrid card has both, because both use the member securitySchemes.
type schemeDoc struct {
	Type a2a.SchemeType `json:"type,omitempty"`
	schemeMembers

	APIKey        *schemeMembers `json:"apiKeySecurityScheme,omitempty"`
	HTTPAuth      *schemeMembers `json:"httpAuthSecurityScheme,omitempty"`
	OAuth2        *schemeMembers `json:"oauth2SecurityScheme,omitempty"`
	OpenIDConnect *schemeMembers `json:"openIdConnectSecurityScheme,omitempty"`
	MutualTLS     *schemeMembers `json:"mtlsSecurityScheme,omitempty"`
}

type schemeMembers struct {
	Description       string             `json:"description,omitempty"`
	In                string             `json:"in,omitempty"`       // before 1.0
	Location          string             `json:"location,omitempty"` // 1.0
	Name              string             `json:"name,omitempty"`
	Scheme            string             `json:"scheme,omitempty"`
	BearerFormat      string             `json:"bearerFormat,omitempty"`
	OpenIDConnectURL  string             `json:"openIdConnectUrl,omitempty"`
	OAuth2MetadataURL string             `json:"oauth2MetadataUrl,omitempty"`
	Flows             map[string]flowDoc `json:"flows,omitempty"`
}

// flowDoc is an a2a.OAuthFlow, whose fields it has.
type flowDoc struct {
	Grant                  string            `json:"-"` // it is the name of the flow
	AuthorizationURL       string            `json:"authorizationUrl,omitempty"`
	DeviceAuthorizationURL string            `json:"deviceAuthorizationUrl,omitempty"`
	TokenURL               string            `json:"tokenUrl,omitempty"`
	RefreshURL             string            `json:"refreshUrl,omitempty"`
	Scopes                 map[string]string `json:"scopes"`
	PKCERequired           bool              `json:"pkceRequired,omitempty"`
}

// requirementDoc is a requirement of 1.0.
type requirementDoc struct {
	Schemes map[string]scopeList `json:"schemes"`
}

type scopeList struct {
	List []string `json:"list"`
}

// UnmarshalJSON takes the list without the object around it, too, as a2a-go writes it.
func (l *scopeList) UnmarshalJSON(b []byte) error {
	if !isObject(b) {
		return json.Unmarshal(b, &l.List)
	}
	type plain scopeList
	return json.Unmarshal(b, (*plain)(l))
}

// schemeDocs and requirementDocs skip what they cannot read: an unknown scheme
// must not make the card unusable.
type (
	schemeDocs      map[string]schemeDoc
	requirementDocs []requirementDoc
)

func (docs *schemeDocs) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	_ = json.Unmarshal(b, &raw)
	for name, r := range raw {
		var doc schemeDoc
		if json.Unmarshal(r, &doc) != nil {
			continue
		}
		if *docs == nil {
			*docs = schemeDocs{}
		}
		(*docs)[name] = doc
	}

	return nil
}

func (docs *requirementDocs) UnmarshalJSON(b []byte) error {
	var raw []json.RawMessage
	_ = json.Unmarshal(b, &raw)
	for _, r := range raw {
		var doc requirementDoc
		if json.Unmarshal(r, &doc) == nil {
			*docs = append(*docs, doc)
		}
	}
	return nil
}

// grants lists the flows in our order.
var grants = []string{
	"authorizationCode",
	"clientCredentials",
	"deviceCode",
	"implicit",
	"password",
}

// typedMembers is the place of the members of a type in a scheme of 1.0.
type typedMembers struct {
	kind    a2a.SchemeType
	members **schemeMembers
}

func (d *schemeDoc) byType() []typedMembers {
	return []typedMembers{
		{a2a.APIKey, &d.APIKey},
		{a2a.HTTPAuth, &d.HTTPAuth},
		{a2a.OAuth2, &d.OAuth2},
		{a2a.OpenIDConnect, &d.OpenIDConnect},
		{a2a.MutualTLS, &d.MutualTLS},
	}
}

func (d schemeDoc) toDomain() a2a.SecurityScheme {
	kind := d.Type
	in := d.schemeMembers
	for _, row := range d.byType() {
		if *row.members != nil {
			kind = row.kind
			in = **row.members
		}
	}

	out := a2a.SecurityScheme{
		Type:              kind,
		Description:       in.Description,
		In:                cmp.Or(in.In, in.Location),
		Name:              in.Name,
		Scheme:            strings.ToLower(in.Scheme),
		BearerFormat:      in.BearerFormat,
		OpenIDConnectURL:  in.OpenIDConnectURL,
		OAuth2MetadataURL: in.OAuth2MetadataURL,
	}
	for _, grant := range grants {
		if f, ok := in.Flows[grant]; ok {
			f.Grant = grant
			out.Flows = append(out.Flows, a2a.OAuthFlow(f))
		}
	}

	return out
}

// newSchemeDoc returns s as 1.0 has it.
func newSchemeDoc(s a2a.SecurityScheme) schemeDoc {
	m := schemeMembers{
		Description:       s.Description,
		Location:          s.In,
		Name:              s.Name,
		Scheme:            s.Scheme,
		BearerFormat:      s.BearerFormat,
		OpenIDConnectURL:  s.OpenIDConnectURL,
		OAuth2MetadataURL: s.OAuth2MetadataURL,
	}
	for _, f := range s.Flows {
		if m.Flows == nil {
			m.Flows = map[string]flowDoc{}
		}
		doc := flowDoc(f)
		if doc.Scopes == nil {
			doc.Scopes = map[string]string{}
		}
		m.Flows[f.Grant] = doc
	}

	var doc schemeDoc
	for _, row := range doc.byType() {
		if row.kind == s.Type {
			*row.members = &m
			return doc
		}
	}

	return schemeDoc{Type: s.Type, schemeMembers: m}
}

// addOld adds the members of 0.3 to those of 1.0.
func (d schemeDoc) addOld(kind a2a.SchemeType) schemeDoc {
	for _, row := range d.byType() {
		if m := *row.members; m != nil {
			d.Type = kind
			d.schemeMembers = *m
			d.In = m.Location
			d.Location = ""
		}
	}

	return d
}

func (doc *cardDoc) schemes() map[string]a2a.SecurityScheme {
	out := map[string]a2a.SecurityScheme{}
	for name, s := range doc.SecuritySchemes {
		out[name] = s.toDomain()
	}

	if len(out) == 0 {
		for _, name := range doc.oldSchemes() {
			out[name] = oldScheme(name)
		}
	}
	if len(out) == 0 {
		return nil
	}

	return out
}

// oldSchemes returns the names of schemes that a card of 0.1 has; its own
// sample has a string where the list should be.
func (doc *cardDoc) oldSchemes() []string {
	var old struct {
		Schemes json.RawMessage `json:"schemes"`
	}
	if json.Unmarshal(doc.Authentication, &old) != nil {
		return nil
	}

	names := []string{lenientString(old.Schemes)}
	_ = json.Unmarshal(old.Schemes, &names) // or it is a string
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "" || strings.EqualFold(name, "none") || strings.EqualFold(name, "public")
	})
}

// oldScheme returns the scheme that 0.1 calls name: a scheme of HTTP
// authentication, or a type of OpenAPI.
func oldScheme(name string) a2a.SecurityScheme {
	switch strings.ToLower(name) {
	case "apikey":
		return a2a.SecurityScheme{Type: a2a.APIKey}
	case "oauth2":
		return a2a.SecurityScheme{Type: a2a.OAuth2}
	case "openidconnect":
		return a2a.SecurityScheme{Type: a2a.OpenIDConnect}
	default:
		return a2a.SecurityScheme{Type: a2a.HTTPAuth, Scheme: strings.ToLower(name)}
	}
}

// security returns the requirements of a card. The sample card of 1.0 has them
// under the name they had before, and in 0.1 any of its schemes will do.
func (doc *cardDoc) security() []a2a.SecurityRequirement {
	var out []a2a.SecurityRequirement
	for _, r := range doc.SecurityRequirements {
		need := a2a.SecurityRequirement{}
		for name, scopes := range r.Schemes {
			need[name] = scopes.List
		}
		out = append(out, need)
	}

	if out == nil {
		_ = json.Unmarshal(doc.Security, &out) // or it says nothing we know
	}
	if out == nil && len(doc.SecuritySchemes) == 0 {
		for _, name := range doc.oldSchemes() {
			out = append(out, a2a.SecurityRequirement{name: nil})
		}
	}

	return out
}

func newRequirementDoc(r a2a.SecurityRequirement) requirementDoc {
	doc := requirementDoc{map[string]scopeList{}}
	for name, scopes := range r {
		doc.Schemes[name] = scopeList{filled(scopes)}
	}
	return doc
}
