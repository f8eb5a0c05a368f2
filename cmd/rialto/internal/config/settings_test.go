package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
)

func TestSettingsInForceHoldNoSecrets(t *testing.T) {
	cfg := Defaults()
	cfg.Storage.Secret = "c2VjcmV0"
	cfg.Limits.StoredPerUser = 0
	cfg.Storage.Database = "postgres://rialto:hunter2@db.example/rialto?sslpassword=hunter3"
	cfg.Agents = []Agent{{Name: "tables", URL: "https://ada:hunter4@agents.example/tables", Retention: directory.Duration(48 * time.Hour), Credentials: directory.Credentials{Env: "AGENT_TOKEN"}}}
	cfg.AllowedOrigins = []string{"https://a.example", "https://b.example"}
	got := cfg.Settings()
	for _, s := range got {
		if strings.Contains(s.Value, "hunter") || strings.Contains(s.Value, "c2Vj") {
			t.Errorf("%s shows a secret: %s", s.Key, s.Value)
		}
	}
	shown := map[string]operator.Setting{}
	for _, s := range got {
		shown[s.Key] = s
	}
	if s := shown["limits.calls"]; s.Source != "" || !s.Live || s.About != "Open calls in all, through MCP, A2A and REST." {
		t.Errorf("got %+v", s)
	}
	if s := shown["limits.stored_per_user"]; s.Source == "" || s.Value != "" || s.Default != "1GiB" {
		t.Errorf("got %+v, want that it was switched off", s)
	}
	if s := shown["agents[0].review"]; s.Source != "" {
		t.Errorf("got %+v", s)
	}
	if s := shown["database"]; s.Source == "" || s.Live {
		t.Errorf("got %+v", s)
	}
	for _, want := range []operator.Setting{
		{Key: "listen", Value: "127.0.0.1:8080"},
		{Key: "secret", Value: hiddenValue},
		{Key: "agents[0].name", Value: "tables"},
		{Key: "agents[0].retention", Value: "2d"},
		{Key: "agents[0].credentials.env", Value: "AGENT_TOKEN"},
		{Key: "allowed_origins", Value: "https://a.example https://b.example"},
		{Key: "client_documents", Value: "true"},
	} {
		if shown[want.Key].Value != want.Value {
			t.Errorf("%s is %q, want %q", want.Key, shown[want.Key].Value, want.Value)
		}
	}
}

func TestASettingNamesItsSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rialto.yaml")
	if err := os.WriteFile(path, []byte("name: Acme\nlog:\n  level: warn\nclients:\n  - {id: web, redirect_uris: [https://web.example/cb]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	flags.String("listen", "", "")
	if err := flags.Set("listen", "127.0.0.1:9090"); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(path, []string{"RIALTO_LOG__LEVEL=debug", "RIALTO_STAGE=test", "MCP_DEFAULT_TOPIC=claims"}, flags)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range cfg.Settings() {
		got[s.Key] = s.Source
	}
	for key, want := range map[string]string{
		"name": "file", "clients[0].id": "file", "log.level": "environment", "stage": "environment", "default_topic": "environment",
		"listen": "flag", "client_documents": "", "url": "computed",
	} {
		if got[key] != want {
			t.Errorf("%s: got %q, want %q", key, got[key], want)
		}
	}
}
