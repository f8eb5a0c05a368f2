package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rialto/cmd/rialto/internal/config"
)

// demoAgentsFile is where a demo keeps its agents, with the token of the Table Expert, for the
// commands that run beside it.
func demoAgentsFile(dir string) string { return filepath.Join(dir, "agents.json") }

// demoAgentRecord is an agent in that file.
type demoAgentRecord struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Token string `json:"token,omitempty"`
}

func writeDemoAgents(dir string, agents []config.Agent) error {
	var list []demoAgentRecord
	for _, a := range agents {
		list = append(list, demoAgentRecord{a.Name, a.URL, a.Credentials.Secret})
	}

	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.WriteFile(demoAgentsFile(dir), b, 0o600); err != nil {
		return fmt.Errorf("--data: %w", err)
	}

	return nil
}

// readDemoAgents returns the agents of the demo that runs, or ran last, in a directory.
func readDemoAgents(dir string) ([]config.Agent, error) {
	b, err := os.ReadFile(demoAgentsFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return []config.Agent{demoTables()}, nil
	}
	var list []demoAgentRecord
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the agents of the demo: %w; start it again", err)
	}

	var agents []config.Agent
	for _, r := range list {
		a := config.Agent{Name: r.Name, URL: r.URL}
		if r.Name == demoAgent {
			a = demoTables()
			a.URL = r.URL
			a.Credentials.Secret = r.Token
		}
		agents = append(agents, a)
	}

	return agents, nil
}
