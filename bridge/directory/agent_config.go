package directory

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/internal/i18n"
	"rialto/internal/money"
)

// AgentPath is where agents are served to A2A clients; the name of the agent follows.
const AgentPath = "/a2a/"

// AgentConfig is how an operator sets an agent up, in the configuration or while the
// server runs. The members have one name in JSON and in the configuration file.
type AgentConfig struct {
	Name              string         `json:"name" koanf:"name"`
	URL               string         `json:"url" koanf:"url"`
	Protocol          a2a.Generation `json:"protocol,omitempty" koanf:"protocol"` // "": detect
	Binding           a2a.Binding    `json:"binding,omitempty" koanf:"binding"`   // "": any that the card offers
	Credentials       Credentials    `json:"credentials,omitzero" koanf:"credentials"`
	UseCases          []string       `json:"use_cases,omitempty" koanf:"use_cases"` // callers who may see it; none: all
	Skills            []SkillRule    `json:"skills,omitempty" koanf:"skills"`
	SkillsAsTools     bool           `json:"skills_as_tools,omitempty" koanf:"skills_as_tools"`           // an MCP tool for each skill
	SkillsAsMCPSkills bool           `json:"skills_as_mcp_skills,omitempty" koanf:"skills_as_mcp_skills"` // an MCP skill for each skill
	Retention         Duration       `json:"retention,omitzero" koanf:"retention"`                        // of idle tasks; 0: the default
	Card              CardKeys       `json:"card,omitzero" koanf:"card"`
	Review            bool           `json:"review,omitempty" koanf:"review"` // a changed card waits for an operator
	Price             Price          `json:"price,omitzero" koanf:"price"`

	// Local is set for an agent that this process starts. Its address changes with
	// each start, so its cards are not compared.
	Local bool `json:"-" koanf:"-"`

	// Disabled removes the agent from every list. It gets no messages. Its running
	// tasks continue and can be seen and canceled.
	Disabled bool `json:"-" koanf:"-"`

	// Revision changes when the way to reach the agent changes, for example its
	// credentials: then the agent is dialed again.
	Revision string `json:"-" koanf:"-"`
}

// Generations and Bindings are those that an operator can set. The zero value leaves them to the card.
var (
	Generations = []a2a.Generation{a2a.V10, a2a.V03, a2a.V02, a2a.V01}
	Bindings    = []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC}
)

// Check returns the first setting whose value is wrong, whatever the others and the files of this
// machine are. Its error starts with the key.
func (a *AgentConfig) Check() error {
	if a.Protocol != "" && !slices.Contains(Generations, a.Protocol) {
		return i18n.Errorf(
			"protocol: %q is not one of 0.1, 0.2, 0.3, 1.0; leave it out to find it from the agent's card",
			a.Protocol,
		)
	}
	if a.Binding != "" && !slices.Contains(Bindings, a.Binding) {
		return i18n.Errorf(
			"binding: %q is not one of JSONRPC, HTTP+JSON, GRPC; leave it out to find it from the agent's card",
			a.Binding,
		)
	}

	return a.Price.check()
}

// Price is what the agent costs, in one currency; the zero value is nothing.
type Price struct {
	Currency string      `json:"currency,omitempty" koanf:"currency"`
	Call     string      `json:"call,omitempty" koanf:"call"`
	Units    []UnitPrice `json:"units,omitempty" koanf:"units"`
}

// UnitPrice is the price of one unit that the agent reports in the metadata of a task, such as a token.
type UnitPrice struct {
	Name  string `json:"name" koanf:"name"` // the member of the metadata: usage.input_tokens
	Price string `json:"price" koanf:"price"`
}

func (p Price) check() error {
	if p.Currency == "" && p.Call == "" && len(p.Units) == 0 {
		return nil
	}
	if !money.IsCurrency(p.Currency) {
		return i18n.Errorf("price.currency: %q is not a currency such as EUR (ISO 4217)", p.Currency)
	}
	if p.Call != "" && !money.IsPrice(p.Call) {
		return i18n.Errorf("price.call: %q is not a price such as 0.05", p.Call)
	}

	for i, u := range p.Units {
		isUnit := func(o UnitPrice) bool { return o.Name == u.Name }
		if u.Name == "" || slices.ContainsFunc(p.Units[:i], isUnit) {
			return i18n.Errorf("price.units[%d].name: %q is empty, or there twice", i, u.Name)
		}
		if !money.IsPrice(u.Price) {
			return i18n.Errorf("price.units[%d].price: %q is not a price such as 0.000002", i, u.Price)
		}
	}

	return nil
}

// SkillRule restricts one skill of an agent to use cases.
type SkillRule struct {
	ID       string   `json:"id" koanf:"id"`
	UseCases []string `json:"use_cases,omitempty" koanf:"use_cases"`
}

// CardKeys says how to verify the card of an agent.
type CardKeys struct {
	Keys string `json:"keys,omitempty" koanf:"keys"` // the https address of a JWKS; in the configuration also a file
}

// Credentials say how to authenticate to an agent: see "Credentials" in
// docs/configuration.md. Members without a name in JSON are for agents of the
// configuration: they name files and variables of this machine.
type Credentials struct {
	Type   string `json:"type,omitempty" koanf:"type"`
	Header string `json:"header,omitempty" koanf:"header"`
	Scheme string `json:"scheme,omitempty" koanf:"scheme"`
	User   string `json:"user,omitempty" koanf:"user"`
	In     string `json:"in,omitempty" koanf:"in"`
	Name   string `json:"name,omitempty" koanf:"name"`

	TokenURL   string   `json:"token_url,omitempty" koanf:"token_url"`
	ClientID   string   `json:"client_id,omitempty" koanf:"client_id"`
	ClientAuth string   `json:"client_auth,omitempty" koanf:"client_auth"`
	Scopes     []string `json:"scopes,omitempty" koanf:"scopes"`
	Audience   string   `json:"audience,omitempty" koanf:"audience"`
	Resource   string   `json:"resource,omitempty" koanf:"resource"`

	Env              string `json:"-" koanf:"env"`
	File             string `json:"-" koanf:"file"`
	Issuer           string `json:"-" koanf:"issuer"`
	AuthorizationURL string `json:"-" koanf:"authorization_url"`
	CertFile         string `json:"-" koanf:"cert_file"`
	KeyFile          string `json:"-" koanf:"key_file"`
	CAFile           string `json:"-" koanf:"ca_file"`

	Secret string `json:"-" koanf:"-"` // stored sealed, never shown
}

// Duration is a length of time that is written as 90d, 36h or 30m.
type Duration time.Duration

// ParseDuration parses days, such as 90d, and everything that time.ParseDuration does.
func ParseDuration(s string) (Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return Duration(n) * Duration(24*time.Hour), err
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = i18n.Errorf("%s is less than nothing", s)
	}
	return Duration(d), err
}

// UnmarshalText reads what MarshalText writes, and all that ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDuration(string(text))
	return err
}

// MarshalText writes whole days as such.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns whole days as such.
func (d Duration) String() string {
	const day = Duration(24 * time.Hour)
	if d >= day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return time.Duration(d).String()
}
