package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"rialto/cmd/rialto/internal/config"
)

// Each wrong connector has a line that names its place.
func TestWrongConnectorsAreNamed(t *testing.T) {
	for yaml, want := range map[string]string{
		`[{name: Sales}]`:                                          `connectors[0].name: "Sales" must be 1 to 63 of a-z`,
		`[{name: vérité}]`:                                         `connectors[0].name: "vérité" must be`,
		`[{name: sales}, {name: config}]`:                          `connectors[1].name: "config" is taken`,
		`[{name: sales}, {name: law}, {name: sales}]`:              `connectors[2].name: "sales" is there twice`,
		`[{name: sales, agents: [claims, nobody]}]`:                `connectors[0].agents: there is no agent named "nobody"`,
		`[{name: sales, tools: [search, serch]}]`:                  `connectors[0].tools: "serch" is no tool`,
		`[{name: sales, tools: [claims_peek]}]`:                    `connectors[0].tools: "claims_peek" is no tool`,
		`[{name: sales, use_case: law}]`:                           `connectors[0].use_case: no agent is for the use case "law"`,
		`[{name: sales, skills: [""]}]`:                            `connectors[0].skills, accounts: there is an empty entry`,
		`[{name: sales, host: "Sales.example/x"}]`:                 `connectors[0].host: "Sales.example/x" is not a host name`,
		`[{name: sales, host: rialto.example}]`:                    `connectors[0].host: "rialto.example" is that of the server`,
		`[{name: a, host: x.example}, {name: b, host: x.example}]`: `connectors[1].host: "x.example" is that of the connector a`,
		`[{name: sales, icon: "http://icons.example/a.png"}]`:      `connectors[0].icon: "http://icons.example/a.png" is not an https address`,
		`[{name: sales, agent: claims}]`:                           `unknown key "connectors[0].agent": did you mean "connectors.agents"`,
		`[{name: Sales}, {name: oauth}]`:                           "connectors[1].name: \"oauth\" is taken",
		`[{name: sales, agents: [claims], skills: [peek], use_case: insurance, tools: [search, peek, claims_peek], accounts: [ada]}]`: "",
	} {
		_, err := load(t, "url: https://rialto.example\nagents: [{name: claims, url: 'https://claims.example', use_cases: [insurance]}]\nconnectors: "+yaml+"\n")
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: got %v", yaml, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", yaml, err, want)
		}
	}
}

func TestTheNameInMCPIsThatOfThePublicHost(t *testing.T) {
	for yaml, want := range map[string]string{
		"url: https://agents.example.com":                      "rialto-agents-example-com",
		"url: https://rialto.example.com:8443":                 "rialto-example-com",
		"listen: 127.0.0.1:8080":                               "rialto",
		"url: https://agents.example.com\nmcp: {name: agents}": "agents",
	} {
		cfg, err := load(t, yaml+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.MCP.NameAt(cfg.URL); got != want {
			t.Errorf("%s: got %s, want %s", yaml, got, want)
		}
	}
	if _, err := load(t, "mcp: {name: 'my rialto'}\n"); err == nil || !strings.Contains(err.Error(), `mcp.name: "my rialto" must be`) {
		t.Errorf("got %v", err)
	}
}

func load(t *testing.T, yaml string) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rialto.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(path, nil, pflag.NewFlagSet("", pflag.ContinueOnError))
}
