package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"rialto/a2a"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// config is what an operator sets, in rialto.yaml, in the environment and by
// flags; the later win. docs/configuration.md explains each key.
type config struct {
	Listen          string         `koanf:"listen"`
	URL             string         `koanf:"url"`
	Name            string         `koanf:"name"`
	Database        string         `koanf:"database"`
	SecretFile      string         `koanf:"secret_file"`
	Secret          string         `koanf:"secret"`
	DefaultAgent    string         `koanf:"default_agent"`
	Agents          []agentConfig  `koanf:"agents"`
	SignIn          signInConfig   `koanf:"sign_in"`
	Clients         []clientConfig `koanf:"clients"`
	ClientDocuments bool           `koanf:"client_documents"`
	TrustedProxies  []string       `koanf:"trusted_proxies"`
	AllowedOrigins  []string       `koanf:"allowed_origins"`
	Log             logConfig      `koanf:"log"`
}

type agentConfig struct {
	Name        string            `koanf:"name"`
	URL         string            `koanf:"url"`
	Protocol    string            `koanf:"protocol"`
	Binding     string            `koanf:"binding"`
	Credentials credentialsConfig `koanf:"credentials"`
}

// credentialsConfig says what to send to an agent, and where the secret is.
type credentialsConfig struct {
	Header string `koanf:"header"` // "Authorization" when empty
	Scheme string `koanf:"scheme"` // "Bearer" when empty and the header is Authorization
	Env    string `koanf:"env"`
	File   string `koanf:"file"`

	value string // the secret itself, for an agent that we start
}

type signInConfig struct {
	Local bool `koanf:"local"`
}

type logConfig struct {
	Level  string `koanf:"level"`
	Format string `koanf:"format"`
}

func defaults() config {
	return config{
		Listen:          "127.0.0.1:8080",
		Name:            "Rialto",
		Database:        "rialto.db",
		SignIn:          signInConfig{Local: true},
		ClientDocuments: true,
		Log:             logConfig{Level: "info", Format: "text"},
	}
}

// loadConfig reads the file (none if path is empty), then the environment,
// then the flags that were set, and checks the whole.
func loadConfig(path string, environ []string, flags *pflag.FlagSet) (*config, error) {
	k := koanf.New(".")
	if path != "" {
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("there is no configuration file %s: name another with --config, or start from docs/configuration.md", path)
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := unknownKeys(k, path); err != nil {
		return nil, err
	}
	fromEnv := env.Provider(".", env.Opt{
		Prefix:        "RIALTO_",
		EnvironFunc:   func() []string { return environ },
		TransformFunc: envKey,
	})
	if err := k.Load(fromEnv, nil); err != nil {
		return nil, err
	}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(scalarKeys, f.Name) {
			k.Set(f.Name, f.Value.String())
		}
	})
	cfg := defaults()
	if err := k.UnmarshalWithConf("", &cfg, koanf.UnmarshalConf{DecoderConfig: decoder(&cfg, nil)}); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &cfg, cfg.check()
}

// scalarKeys are the keys that the environment (RIALTO_LISTEN,
// RIALTO_LOG__LEVEL …) and flags can set.
var scalarKeys = []string{
	"listen", "url", "name", "database", "secret_file", "secret", "default_agent",
	"sign_in.local", "client_documents", "trusted_proxies", "allowed_origins", "log.level", "log.format",
}

// envKey maps a variable to its key. An empty one counts as not set. Variables that are no key are not ours to
// refuse: an orchestrator sets RIALTO_PORT and the like for a service of that
// name.
func envKey(name, value string) (string, any) {
	key := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "RIALTO_"), "__", "."))
	if value == "" || !slices.Contains(scalarKeys, key) {
		return "", nil
	}
	return key, value
}

func decoder(into any, meta *mapstructure.Metadata) *mapstructure.DecoderConfig {
	return &mapstructure.DecoderConfig{
		Result: into, Metadata: meta, TagName: "koanf", WeaklyTypedInput: true,
		MatchName:  func(key, field string) bool { return key == field },
		DecodeHook: mapstructure.StringToSliceHookFunc(","),
	}
}

// unknownKeys refuses keys that mean nothing: a typing mistake in a security
// setting must not pass in silence.
func unknownKeys(k *koanf.Koanf, path string) error {
	var meta mapstructure.Metadata
	if err := k.UnmarshalWithConf("", &config{}, koanf.UnmarshalConf{DecoderConfig: decoder(&config{}, &meta)}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(meta.Unused) == 0 {
		return nil
	}
	slices.Sort(meta.Unused)
	unknown := meta.Unused[0]
	known := keys(reflect.TypeFor[config](), "")
	return fmt.Errorf("%s: unknown key %q: did you mean %q?", path, unknown, nearest(plain(unknown), known))
}

// plain removes list indexes: "agents[0].ulr" is the key "agents.ulr".
func plain(key string) string { return regexp.MustCompile(`\[\d+\]`).ReplaceAllString(key, "") }

// keys lists the keys of a configuration struct, in dotted form.
func keys(t reflect.Type, prefix string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		key := prefix + f.Tag.Get("koanf")
		out = append(out, key)
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, keys(inner, key+".")...)
		}
	}
	return out
}

// check returns the first thing that is wrong, in words that say what to do.
func (c *config) check() error {
	for _, check := range []func() error{c.checkURL, c.checkAgents, c.checkClients, c.checkSignIn, c.checkProxies, c.checkLog} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) checkURL() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %q is not HOST:PORT, for example 127.0.0.1:8080", c.Listen)
	}
	if c.URL == "" {
		if !loopback(host) {
			return fmt.Errorf("listen: %s can be reached from other machines, so \"url\" must say under which address: tokens are made for it, and clients refuse them under another. Set url: https://… (or --url)", c.Listen)
		}
		c.URL = "http://" + c.Listen
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url: %q is not an address such as https://rialto.example.com", c.URL)
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("url: %q has a path; the metadata documents live at the root of a host (RFC 8414 section 3), so give Rialto a host of its own", c.URL)
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return fmt.Errorf("url: %q must be https: passwords and tokens pass through it. Plain http is for loopback only", c.URL)
	}
	c.URL = u.Scheme + "://" + strings.ToLower(u.Host)
	return nil
}

// listensOn completes the address of a server whose port the system chose.
func (c *config) listensOn(addr net.Addr) {
	if host, ok := strings.CutSuffix(c.URL, ":0"); ok {
		_, port, _ := net.SplitHostPort(addr.String())
		c.URL = host + ":" + port
	}
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func (c *config) checkAgents() error {
	seen := map[string]bool{}
	for i, a := range c.Agents {
		at := fmt.Sprintf("agents[%d]", i)
		if !agentName.MatchString(a.Name) {
			return fmt.Errorf("%s.name: %q must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit", at, a.Name)
		}
		if seen[a.Name] {
			return fmt.Errorf("%s.name: %q is there twice", at, a.Name)
		}
		seen[a.Name] = true
		if u, err := url.Parse(a.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("%s.url: %q is not an http or https address", at, a.URL)
		}
		if a.Protocol != "" && !slices.Contains([]a2a.Generation{a2a.V01, a2a.V02, a2a.V03, a2a.V10}, a2a.Generation(a.Protocol)) {
			return fmt.Errorf("%s.protocol: %q is not one of 0.1, 0.2, 0.3, 1.0; leave it out to find it from the agent's card", at, a.Protocol)
		}
		if a.Binding != "" && !slices.Contains([]a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON}, a2a.Binding(a.Binding)) {
			return fmt.Errorf("%s.binding: %q is not one of JSONRPC, HTTP+JSON; leave it out to find it from the agent's card", at, a.Binding)
		}
		if _, err := a.Credentials.header(); err != nil {
			return fmt.Errorf("%s.credentials: %w", at, err)
		}
	}
	if c.DefaultAgent != "" && !seen[c.DefaultAgent] {
		return fmt.Errorf("default_agent: there is no agent named %q", c.DefaultAgent)
	}
	return nil
}

func (c *config) checkSignIn() error {
	if !c.SignIn.Local {
		return errors.New("sign_in: nobody could sign in: set sign_in.local to true")
	}
	return nil
}

func (c *config) checkProxies() error {
	for _, p := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(p); err != nil {
			return fmt.Errorf("trusted_proxies: %q is not a network such as 10.0.0.0/8", p)
		}
	}
	return nil
}

func (c *config) checkLog() error {
	if _, err := c.Log.level(); err != nil {
		return fmt.Errorf("log.level: %q is not one of debug, info, warn, error", c.Log.Level)
	}
	if c.Log.Format != "text" && c.Log.Format != "json" {
		return fmt.Errorf("log.format: %q is not one of text, json", c.Log.Format)
	}
	return nil
}

func (l logConfig) level() (level slog.Level, err error) {
	return level, level.UnmarshalText([]byte(l.Level))
}

func (l logConfig) logger() *slog.Logger {
	level, _ := l.level() // checked when the configuration was read
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}
