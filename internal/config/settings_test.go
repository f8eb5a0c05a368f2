package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
)

func TestSettingsInForceHoldNoSecrets(t *testing.T) {
	cfg := Defaults()
	cfg.Secret = "c2VjcmV0"
	cfg.Database = "postgres://rialto:hunter2@db.example/rialto?sslpassword=hunter3"
	cfg.Agents = []Agent{{Name: "tables", URL: "https://ada:hunter4@agents.example/tables", Retention: directory.Duration(48 * time.Hour), Credentials: directory.Credentials{Env: "AGENT_TOKEN"}}}
	cfg.AllowedOrigins = []string{"https://a.example", "https://b.example"}
	got := cfg.Settings()
	for _, s := range got {
		if strings.Contains(s.Value, "hunter") || strings.Contains(s.Value, "c2Vj") {
			t.Errorf("%s shows a secret: %s", s.Key, s.Value)
		}
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
		if !slices.Contains(got, want) {
			t.Errorf("%+v is not among the settings %+v", want, got)
		}
	}
}
