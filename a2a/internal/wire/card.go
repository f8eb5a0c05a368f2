package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"rialto/a2a"
)

// cardDoc is the card of any generation: 1.0 lists interfaces, 0.3 has a URL
// and additional ones, and a hybrid has both. Every client takes what it knows.
type cardDoc struct {
	Name             string        `json:"name"`
	Description      string        `json:"description"`
	Version          string        `json:"version"`
	DocumentationURL string        `json:"documentationUrl,omitempty"`
	IconURL          string        `json:"iconUrl,omitempty"`
	Provider         *providerDoc  `json:"provider,omitempty"`
	Capabilities     capabilityDoc `json:"capabilities"`
	InputModes       []string      `json:"defaultInputModes"`
	OutputModes      []string      `json:"defaultOutputModes"`
	Skills           []skillDoc    `json:"skills"`

	// 1.0 and 0.3, whose schemes differ.
	SecuritySchemes schemeDocs `json:"securitySchemes,omitempty"`

	// 1.0
	Interfaces           []interfaceDoc  `json:"supportedInterfaces,omitempty"`
	SecurityRequirements requirementDocs `json:"securityRequirements,omitempty"`

	// 0.1 has this instead of security schemes.
	Authentication json.RawMessage `json:"authentication,omitempty"`

	// 0.2 and 0.3
	Security             json.RawMessage `json:"security,omitempty"`
	ProtocolVersion      string          `json:"protocolVersion,omitempty"`
	URL                  string          `json:"url,omitempty"`
	PreferredTransport   a2a.Binding     `json:"preferredTransport,omitempty"`
	AdditionalInterfaces []transportDoc  `json:"additionalInterfaces,omitempty"`
	ExtendedCard         bool            `json:"supportsAuthenticatedExtendedCard,omitempty"`
}

type providerDoc struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

type interfaceDoc struct {
	URL             string      `json:"url"`
	ProtocolBinding a2a.Binding `json:"protocolBinding"`
	Tenant          string      `json:"tenant,omitempty"`
	ProtocolVersion string      `json:"protocolVersion"`
}

type transportDoc struct {
	URL       string      `json:"url"`
	Transport a2a.Binding `json:"transport"`
}

type capabilityDoc struct {
	Streaming         bool           `json:"streaming,omitempty"`
	PushNotifications bool           `json:"pushNotifications,omitempty"`
	Extensions        []extensionDoc `json:"extensions,omitempty"`
	ExtendedAgentCard bool           `json:"extendedAgentCard,omitempty"`
}

type extensionDoc struct {
	URI         string   `json:"uri"`
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Params      metadata `json:"params,omitempty"`
}

type skillDoc struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples,omitempty"`
	InputModes  []string `json:"inputModes,omitempty"`
	OutputModes []string `json:"outputModes,omitempty"`
}

// DecodeCard reads a card of any generation. URLs stay as they came; they may be relative.
func DecodeCard(b []byte) (*a2a.Card, error) {
	var doc cardDoc
	if err := unmarshal(b, &doc); err != nil {
		return nil, err
	}

	for i, in := range doc.Interfaces {
		if in.URL == "" {
			return nil, fmt.Errorf("supportedInterfaces[%d].url is missing", i)
		}
	}

	c := &a2a.Card{
		Name:             doc.Name,
		Description:      doc.Description,
		Version:          doc.Version,
		DocumentationURL: doc.DocumentationURL,
		IconURL:          doc.IconURL,
		Provider:         (*a2a.Provider)(doc.Provider),
		Interfaces:       doc.interfaces(),
		Capabilities: a2a.Capabilities{
			Streaming:         doc.Capabilities.Streaming,
			PushNotifications: doc.Capabilities.PushNotifications,
			ExtendedAgentCard: doc.Capabilities.ExtendedAgentCard || doc.ExtendedCard,
			Extensions: each(doc.Capabilities.Extensions, func(e extensionDoc) a2a.Extension {
				return a2a.Extension{
					URI:         e.URI,
					Description: e.Description,
					Required:    e.Required,
					Params:      a2a.Metadata(e.Params),
				}
			}),
		},
		DefaultInputModes:  doc.InputModes,
		DefaultOutputModes: doc.OutputModes,
		Skills:             each(doc.Skills, func(s skillDoc) a2a.Skill { return a2a.Skill(s) }),
		SecuritySchemes:    doc.schemes(),
		Security:           doc.security(),
	}
	if len(c.Interfaces) == 0 {
		return nil, errors.New("it has no interface: neither supportedInterfaces nor url")
	}

	return c, nil
}

// interfaces returns the interfaces of 1.0, then those of 0.3 that are not among them.
func (doc *cardDoc) interfaces() []a2a.Interface {
	var list []a2a.Interface
	add := func(i a2a.Interface) {
		if i.Binding == "" {
			i.Binding = a2a.JSONRPC // the default of 0.3, section 5.6.1
		}
		for _, known := range list {
			if known.URL == i.URL && known.Binding == i.Binding && known.Version == i.Version {
				return
			}
		}
		list = append(list, i)
	}
	for _, i := range doc.Interfaces {
		add(a2a.Interface{
			URL:     i.URL,
			Binding: i.ProtocolBinding,
			Version: ParseGeneration(i.ProtocolVersion),
			Tenant:  i.Tenant,
		})
	}

	if doc.URL == "" {
		return list
	}

	version := doc.generation()
	add(a2a.Interface{URL: doc.URL, Binding: doc.PreferredTransport, Version: version})
	for _, i := range doc.AdditionalInterfaces {
		add(a2a.Interface{URL: i.URL, Binding: i.Transport, Version: version})
	}

	return list
}

// generation returns what a card with a URL of its own says it speaks. The
// field is absent before 0.2.5, and empty on cards of servers of 0.3.
func (doc *cardDoc) generation() a2a.Generation {
	if g := ParseGeneration(doc.ProtocolVersion); g != "" {
		return g
	}
	if len(doc.Interfaces) > 0 || doc.PreferredTransport != "" {
		return a2a.V03
	}
	if isObject(doc.Authentication) {
		return a2a.V01
	}

	return a2a.V02
}

// EncodeCard returns c as a card of A2A 1.0.
func EncodeCard(c *a2a.Card) (json.RawMessage, error) {
	return codecV10.encode(cardBody, newCardDoc(c))
}

// EncodeHybridCard returns c for clients of whatever generation: a card of 1.0
// that has the members of 0.3 as well, if c has an interface of 0.3.
func EncodeHybridCard(c *a2a.Card) (json.RawMessage, error) {
	doc := newCardDoc(c)
	for _, i := range c.Interfaces {
		if i.Version != a2a.V03 {
			continue
		}
		if doc.URL == "" {
			doc.ProtocolVersion = "0.3.0"
			doc.URL = i.URL
			doc.PreferredTransport = i.Binding
		}
		// The first one is repeated here (0.3 section 5.6.2: SHOULD).
		doc.AdditionalInterfaces = append(doc.AdditionalInterfaces, transportDoc{i.URL, i.Binding})
	}

	if doc.URL != "" {
		for name, s := range doc.SecuritySchemes {
			doc.SecuritySchemes[name] = s.addOld(c.SecuritySchemes[name].Type)
		}
		doc.Authentication = oldAuthentication(c)
		if len(c.Security) > 0 {
			// Not together with those of 1.0: a2a-go 2.4.0, which sends no version,
			// cannot read a card with the list of 1.0, and the others understand these.
			doc.Security, _ = json.Marshal(c.Security) // names and scopes always have a JSON form
			doc.SecurityRequirements = nil
		}
	}

	doc.ExtendedCard = doc.URL != "" && c.Capabilities.ExtendedAgentCard
	return codecV10.encode(cardBody, doc)
}

// oldAuthentication returns the HTTP authentication schemes of the agent as 0.1 has them;
// nil if there are none. OAuth tokens are bearer tokens.
func oldAuthentication(c *a2a.Card) json.RawMessage {
	var schemes []string
	for _, name := range slices.Sorted(maps.Keys(c.SecuritySchemes)) {
		scheme := c.SecuritySchemes[name].Scheme
		switch c.SecuritySchemes[name].Type {
		case a2a.OAuth2, a2a.OpenIDConnect:
			scheme = "bearer"
		}
		if scheme != "" && !slices.Contains(schemes, scheme) {
			schemes = append(schemes, scheme)
		}
	}

	if schemes == nil {
		return nil
	}

	b, _ := json.Marshal(map[string][]string{"schemes": schemes}) // strings always have a JSON form
	return b
}

func newCardDoc(c *a2a.Card) *cardDoc {
	schemes := schemeDocs{} // left out if empty
	for name, s := range c.SecuritySchemes {
		schemes[name] = newSchemeDoc(s)
	}

	return &cardDoc{
		SecuritySchemes:      schemes,
		SecurityRequirements: each(c.Security, newRequirementDoc),
		Name:                 c.Name,
		Description:          c.Description,
		Version:              c.Version,
		DocumentationURL:     c.DocumentationURL,
		IconURL:              c.IconURL,
		Provider:             (*providerDoc)(c.Provider),
		Capabilities: capabilityDoc{
			Streaming:         c.Capabilities.Streaming,
			PushNotifications: c.Capabilities.PushNotifications,
			ExtendedAgentCard: c.Capabilities.ExtendedAgentCard,
			Extensions: each(c.Capabilities.Extensions, func(e a2a.Extension) extensionDoc {
				return extensionDoc{e.URI, e.Description, e.Required, metadata(e.Params)}
			}),
		},
		InputModes:  filled(c.DefaultInputModes),
		OutputModes: filled(c.DefaultOutputModes),
		Skills: filled(each(c.Skills, func(s a2a.Skill) skillDoc {
			s.Tags = filled(s.Tags)
			return skillDoc(s)
		})),
		Interfaces: each(c.Interfaces, func(i a2a.Interface) interfaceDoc {
			return interfaceDoc{i.URL, i.Binding, i.Tenant, string(i.Version)}
		}),
	}
}
