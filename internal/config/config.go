package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// Config holds the settings. They come from the file, the environment and flags; the later win.
type Config struct {
	Listen           string   `koanf:"listen"`
	URL              string   `koanf:"url"`
	Name             string   `koanf:"name"`
	Stage            string   `koanf:"stage"`
	DefaultScope     string   `koanf:"default_scope"`
	RedirectPrefixes []string `koanf:"redirect_prefixes"`
	ForceUseCase     string   `koanf:"force_usecase"`
	DefaultTopic     string   `koanf:"default_topic"`

	notes []string // what an operator should know of where settings come from

	Database        string        `koanf:"database"`
	SecretFile      string        `koanf:"secret_file"`
	Secret          string        `koanf:"secret"`
	DefaultAgent    string        `koanf:"default_agent"`
	Agents          []Agent       `koanf:"agents"`
	SignIn          SignIn        `koanf:"sign_in"`
	Clients         []Client      `koanf:"clients"`
	UpstreamTokens  []Upstream    `koanf:"upstream_tokens"`
	Tokens          Tokens        `koanf:"tokens"`
	ClientDocuments bool          `koanf:"client_documents"`
	TrustedProxies  []string      `koanf:"trusted_proxies"`
	AllowedOrigins  []string      `koanf:"allowed_origins"`
	MCP             MCP           `koanf:"mcp"`
	GRPC            GRPC          `koanf:"grpc"`
	Push            Push          `koanf:"push"`
	DownloadLinks   time.Duration `koanf:"download_links"`
	ShareLinks      time.Duration `koanf:"share_links"`
	Usage           Records       `koanf:"usage"`
	Audit           Records       `koanf:"audit"`
	Brand           Brand         `koanf:"brand"`
	Log             Log           `koanf:"log"`
}

// Log sets the level and format of the log.
type Log struct {
	Level  string `koanf:"level"`
	Format string `koanf:"format"`
}

// Defaults returns the defaults of the table of settings.
func Defaults() Config {
	k := koanf.New(".")
	for _, part := range table {
		for _, s := range part {
			if s.Default != "" && isScalar(s.Key) {
				_ = k.Set(s.Key, s.Default) // a path of keys: it can be set
			}
		}
	}
	var c Config
	if err := decode(k, &c); err != nil {
		panic(err) // the table has a default of another type
	}
	return c
}

// Load reads the file (none if path is empty), the environment and the flags that are set, and
// checks the result. Each source is also decoded alone, so that an error names it.
func Load(path string, environ []string, flags *pflag.FlagSet) (*Config, error) {
	all := koanf.New(".")
	for _, source := range []struct {
		name string
		fill func(*koanf.Koanf) error
	}{
		{path, func(k *koanf.Koanf) error { return fillFromFile(k, path) }},
		{"environment", func(k *koanf.Koanf) error { return fillFromEnvironment(k, environ) }},
		{"flags", func(k *koanf.Koanf) error { return fillFromFlags(k, flags) }},
	} {
		k := koanf.New(".")
		err := source.fill(k)
		if err == nil {
			err = decode(k, &Config{})
		}
		if err == nil {
			err = all.Merge(k)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source.name, explain(err))
		}
	}
	cfg := Defaults()
	if err := decode(all, &cfg); err != nil {
		return nil, explain(err)
	}
	if err := cfg.applyAliases(environ, all); err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	return &cfg, cfg.Check()
}

func fillFromFile(k *koanf.Koanf, path string) error {
	if path == "" {
		return nil
	}
	err := k.Load(file.Provider(path), yaml.Parser())
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such configuration file: name another with --config, or start from docs/configuration.md")
	}
	return err
}

func fillFromEnvironment(k *koanf.Koanf, environ []string) error {
	return k.Load(env.Provider(".", env.Opt{
		Prefix:        "RIALTO_",
		EnvironFunc:   func() []string { return environ },
		TransformFunc: envKey,
	}), nil)
}

func fillFromFlags(k *koanf.Koanf, flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if isScalar(f.Name) {
			err = errors.Join(err, k.Set(f.Name, f.Value.String()))
		}
	})
	return err
}

// Warnings returns conflicts between the sources of settings.
func (c *Config) Warnings() []string { return c.notes }

func (l Log) level() (level slog.Level, err error) {
	return level, level.UnmarshalText([]byte(l.Level))
}

func (l Log) Logger() *slog.Logger {
	level, _ := l.level() // checked when the configuration was read
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}

// Secure tells whether browsers reach the server over TLS.
func (c *Config) Secure() bool { return strings.HasPrefix(c.URL, "https://") }

// Demo returns the configuration of a demo that keeps its state in dir.
func Demo(dir string) *Config {
	cfg := Defaults()
	cfg.Name = "Rialto demo"
	cfg.Database = filepath.Join(dir, "demo.db")
	cfg.SecretFile = filepath.Join(dir, "secret")
	cfg.Log.Level = "warn"
	return &cfg
}
