package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"rialto/bridge/directory"
)

// Config holds the settings. They come from the file, the environment and flags; the later win.
type Config struct {
	Listen string `koanf:"listen"`
	URL    string `koanf:"url"`
	Name   string `koanf:"name"`
	Stage  string `koanf:"stage"`

	origin origin

	Agents         []Agent       `koanf:"agents"`
	SignIn         SignIn        `koanf:"sign_in"`
	SecretOverlap  time.Duration `koanf:"secret_overlap"`
	UpstreamTokens []Upstream    `koanf:"upstream_tokens"`
	Tokens         Tokens        `koanf:"tokens"`
	TrustedProxies []string      `koanf:"trusted_proxies"`
	AllowedOrigins []string      `koanf:"allowed_origins"`
	MCP            MCP           `koanf:"mcp"`
	Push           Push          `koanf:"push"`
	Usage          Records       `koanf:"usage"`
	Audit          Audit         `koanf:"audit"`
	Brand          Brand         `koanf:"brand"`
	Log            Log           `koanf:"log"`
	Limits         Limits        `koanf:"limits"`

	// These group settings without a key of their own.
	Apps    Apps    `koanf:",squash"`
	Serving Serving `koanf:",squash"`
	Storage Storage `koanf:",squash"`
	Calls   Calls   `koanf:",squash"`
	Links   Links   `koanf:",squash"`
}

// origin is what is known of where the settings come from.
type origin struct {
	notes    []string          // what an operator should know
	sources  map[string]string // the source of each setting that is set, by key: file, environment or flag
	contents map[string]string // digests of the files and variables that settings name, by key
}

// Apps says which apps can log in, and how.
type Apps struct {
	Registration     Registration `koanf:"registration"`
	ClientDocuments  bool         `koanf:"client_documents"`
	Clients          []Client     `koanf:"clients"`
	RedirectPrefixes []string     `koanf:"redirect_prefixes"`
	DefaultScope     string       `koanf:"default_scope"`
}

// Storage says where the state is and what seals its secrets.
type Storage struct {
	Database   string `koanf:"database"`
	Migrate    string `koanf:"migrate"`
	SecretFile string `koanf:"secret_file"`
	Secret     string `koanf:"secret"`

	Connections int `koanf:"database_connections"`
}

// Calls says what calls reach, and what they mean that leave something open.
type Calls struct {
	Connectors   []directory.Connector `koanf:"connectors"`
	DefaultAgent string                `koanf:"default_agent"`
	DefaultTopic string                `koanf:"default_topic"`
	ForceUseCase string                `koanf:"force_usecase"`
}

// Links says how long links to files and shared documents work, and which files can be sent.
type Links struct {
	DownloadLinks time.Duration `koanf:"download_links"`
	ShareLinks    time.Duration `koanf:"share_links"`
	Uploads       Uploads       `koanf:"uploads"`
}

// Limits bounds what users, clients and agents can use. A key is named by what it counts
// and, unless it counts in all, for whom: tasks_per_user.
type Limits struct {
	Calls        int `koanf:"calls"`
	CallsPerUser int `koanf:"calls_per_user"`
	RatePerUser  int `koanf:"rate_per_user"`

	AuthorizeRate int `koanf:"authorize_rate_per_network"`

	RequestSize Size `koanf:"request_size"`

	Tasks         int  `koanf:"tasks"`
	TasksPerUser  int  `koanf:"tasks_per_user"`
	TaskSize      Size `koanf:"task_size"`
	MemoryPerUser Size `koanf:"memory_per_user"`
	Memory        Size `koanf:"memory"`

	StoredPerUser  Size `koanf:"stored_per_user"`
	StoredPerAgent Size `koanf:"stored_per_agent"`

	Streams        int `koanf:"streams"`
	StreamsPerUser int `koanf:"streams_per_user"`

	ConnectionsPerAgent int `koanf:"connections_per_agent"`
}

// Log sets the level and format of the log.
type Log struct {
	Level  string `koanf:"level"`
	Format string `koanf:"format"`
}

// Defaults returns the defaults of the table of settings.
func Defaults() Config {
	k := koanf.New(".")
	for _, part := range table() {
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
// checks the result. Each source is also decoded alone, so that an error names it. The error has a line
// for each fault.
func Load(path string, environ []string, flags *pflag.FlagSet) (*Config, error) {
	all := koanf.New(".")
	var faults error
	var notes []string
	sources := map[string]string{}
	for _, source := range []struct {
		name string
		kind string
		fill func(*koanf.Koanf) error
	}{
		{path, "file", func(k *koanf.Koanf) error { return fillFromFile(k, path) }},
		{"environment", "environment", func(k *koanf.Koanf) error { return fillFromEnvironment(k, environ) }},
		{"flags", "flag", func(k *koanf.Koanf) error { return fillFromFlags(k, flags) }},
	} {
		k := koanf.New(".")
		if err := source.fill(k); err != nil {
			return nil, explain(source.name+": ", err)
		}
		err := errors.Join(decode(k, &Config{}), unknownKeys(knownKeys(), "", k.Raw()))
		faults = errors.Join(faults, explain(source.name+": ", err))
		notes = append(notes, replacedLists(all, k)...)
		for _, key := range k.Keys() {
			sources[key] = source.kind
		}
		if err := all.Merge(k); err != nil {
			return nil, explain(source.name+": ", err)
		}
	}

	cfg := Defaults()
	cfg.origin.notes = notes
	cfg.origin.sources = sources
	if err := decode(all, &cfg); err != nil && faults == nil {
		return nil, explain("", err)
	}
	if err := cfg.applyAliases(environ, all); err != nil {
		faults = errors.Join(faults, fmt.Errorf("environment: %w", err))
	}

	cfg.readContents()
	return &cfg, errors.Join(faults, cfg.Check())
}

// replacedLists returns a warning for each list of items that over replaces.
func replacedLists(all, over *koanf.Koanf) (notes []string) {
	for _, key := range over.Keys() {
		if _, isList := over.Get(key).([]any); isList && all.Exists(key) {
			notes = append(
				notes,
				fmt.Sprintf(
					"%s of the configuration file is not used: the variables RIALTO_%s_0_… replace the list",
					key,
					strings.ToUpper(strings.ReplaceAll(key, ".", "__")),
				),
			)
		}
	}
	return notes
}

func fillFromFile(k *koanf.Koanf, path string) error {
	if path == "" {
		return nil
	}

	err := k.Load(file.Provider(path), yaml.Parser())
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New(
			"there is no such configuration file: name another with --config, or start from docs/configuration.md",
		)
	}

	return err
}

func fillFromEnvironment(k *koanf.Koanf, environ []string) error {
	flat := koanf.New(".")
	err := flat.Load(env.Provider(".", env.Opt{
		Prefix:        "RIALTO_",
		EnvironFunc:   func() []string { return environ },
		TransformFunc: envKey,
	}), nil)
	if err != nil {
		return err
	}

	for key, v := range flat.Raw() {
		list, err := withLists(v)
		if err == nil {
			err = k.Set(key, list)
		}
		if err != nil {
			return err
		}
	}

	return nil
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
func (c *Config) Warnings() []string { return c.origin.notes }

func (l Log) level() (level slog.Level, err error) {
	return level, level.UnmarshalText([]byte(l.Level))
}

// SetLevel sets the level of a log. The configuration was checked.
func (l Log) SetLevel(to *slog.LevelVar) {
	level, _ := l.level()
	to.Set(level)
}

// Logger returns a logger whose level the caller may change.
func (l Log) Logger(level *slog.LevelVar) *slog.Logger {
	l.SetLevel(level)
	opts := &slog.HandlerOptions{Level: level}
	format := l.Format
	if format == "" && !term.IsTerminal(int(os.Stderr.Fd())) {
		format = "json"
	}
	if format == "json" {
		opts.ReplaceAttr = asText
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}

	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}

// asText writes durations and addresses in JSON as in text: 1.5s, 127.0.0.1:8080.
func asText(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case time.Duration:
		return slog.String(a.Key, v.String())
	case net.Addr:
		return slog.String(a.Key, v.String())
	}
	return a
}

// Secure tells whether browsers reach the server over TLS.
func (c *Config) Secure() bool { return strings.HasPrefix(c.URL, "https://") }

// Demo returns the configuration of a demo that keeps its state in dir.
func Demo(dir string) *Config {
	cfg := Defaults()
	cfg.Name = "Rialto demo"
	cfg.Storage.Database = filepath.Join(dir, "demo.db")
	cfg.Log.Level = "warn"
	return &cfg
}
