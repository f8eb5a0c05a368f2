package config

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"rialto/a2a/a2asign"
	"rialto/bridge/directory"
	"rialto/internal/i18n"
	"rialto/oauth"
)

// Agent is an agent that the configuration names.
type Agent = directory.AgentConfig

// Agent returns the agent of the configuration with a name.
func (c *Config) Agent(name string) (Agent, bool) {
	i := slices.IndexFunc(c.Agents, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return c.Agents[i], true
}

// CheckAdded returns what is wrong with an agent that an operator adds. It may not name
// files of this machine.
func CheckAdded(a directory.AgentConfig) error {
	if a.Card.Keys != "" && !isAddress(a.Card.Keys, "https") {
		return i18n.Errorf("card.keys: %q is not an https address", a.Card.Keys)
	}

	secret := a.Credentials.Secret
	if len(secret) > 8<<10 || strings.TrimSpace(secret) != secret ||
		!httpguts.ValidHeaderFieldValue(secret) {
		return i18n.Errorf(
			"credentials: the secret has more than one line, or characters that a header cannot carry, or is too long",
		)
	}
	if retention := time.Duration(a.Retention); retention < 0 || retention > 100*365*24*time.Hour {
		return i18n.Errorf("retention: %s is not a length of time such as 24h or 90d", a.Retention)
	}

	return CheckAgent(a)
}

// keyTimeout limits how long fetching a key set may take.
const keyTimeout = 5 * time.Second

// KeySet returns the keys that may sign an agent's card, or nil if none are configured.
// A file is read at once, an address on first use.
func KeySet(c directory.CardKeys) (*a2asign.KeySet, error) {
	if c.Keys == "" {
		return nil, nil
	}
	return a2asign.NewKeySet(c.Keys, &http.Client{
		Timeout:       keyTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func (c *Config) checkAgents() (faults error) {
	seen := map[string]bool{}
	for i, a := range c.Agents {
		err := CheckAgent(a)
		if err == nil && seen[a.Name] {
			err = i18n.Errorf("name: %q is there twice", a.Name)
		}
		if err != nil {
			faults = errors.Join(faults, i18n.Errorf("agents[%d].%w", i, err))
		}
		seen[a.Name] = true
	}

	if c.Calls.DefaultAgent != "" && !seen[c.Calls.DefaultAgent] {
		faults = errors.Join(
			faults, i18n.Errorf("default_agent: there is no agent named %q", c.Calls.DefaultAgent),
		)
	}

	return faults
}

// checkConnectors checks the connectors of the configuration. They name agents of the configuration.
func (c *Config) checkConnectors() (faults error) {
	host := ""
	if u, err := url.Parse(c.URL); err == nil {
		host = u.Host
	}

	all := c.Calls.Connectors
	for i := range all {
		if err := all[i].Check(all[:i], c.Agents, host); err != nil {
			faults = errors.Join(faults, i18n.Errorf("connectors[%d].%w", i, err))
		}
	}

	return faults
}

// CheckAgent returns the first error of an agent. It starts with the key.
func CheckAgent(a Agent) error {
	if !agentName.MatchString(a.Name) {
		return i18n.Errorf(
			"name: %q must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit",
			a.Name,
		)
	}
	if slices.Contains(reservedNames, a.Name) {
		return i18n.Errorf(
			"name: %q is taken: %s%s is an address of the API; choose another name",
			a.Name, directory.AgentPath, a.Name,
		)
	}
	if err := checkSkills(a); err != nil {
		return err
	}
	if !isAddress(a.URL, "http", "https") {
		return i18n.Errorf("url: %q is not an http or https address", a.URL)
	}
	if err := a.Check(); err != nil {
		return err
	}
	if err := Credentials(a.Credentials).check(); err != nil {
		return i18n.Errorf("credentials: %w", err)
	}
	if _, err := KeySet(a.Card); err != nil {
		return i18n.Errorf("card.keys: %w", err)
	}

	return nil
}

func checkSkills(a Agent) error {
	if err := checkUseCases(a.UseCases); err != nil {
		return err
	}
	if len(a.Skills) > 100 {
		return i18n.Errorf("skills: there are more than 100")
	}

	for i, s := range a.Skills {
		if s.ID == "" ||
			slices.ContainsFunc(
				a.Skills[:i], func(o directory.SkillRule) bool { return o.ID == s.ID },
			) {
			return i18n.Errorf("skills[%d].id: %q is empty, or there twice", i, s.ID)
		}
		if err := checkUseCases(s.UseCases); err != nil {
			return i18n.Errorf("skills[%d].%w", i, err)
		}
	}

	return nil
}

func checkUseCases(all []string) error {
	for _, useCase := range all {
		if oauth.UseCase(oauth.ScopeTools+":"+useCase) != useCase || useCase == "*" {
			return i18n.Errorf(
				"use_cases: %q must be 1 to 64 letters, digits, dots, dashes and underscores",
				useCase,
			)
		}
	}
	return nil
}

// reservedNames are the names of other addresses below directory.AgentPath.
var reservedNames = []string{"agents", "tasks"}
