package config

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"rialto/store"
)

// LoadSecret returns the key that encrypts secrets in the database, such as the signing keys. It
// comes from the configuration, the environment, or a file that is created at the first start.
func LoadSecret(cfg *Config) ([]byte, error) {
	if cfg.Storage.Secret != "" {
		return decodeSecret(cfg.Storage.Secret, "secret")
	}
	if cfg.Storage.Database == store.Memory && cfg.Storage.SecretFile == "" {
		return decodeSecret(newSecret(), "secret") // what it seals lives no longer
	}

	path := cfg.secretPath()
	text, err := ReadOrCreate(path, newSecret)
	if err != nil {
		return nil, fmt.Errorf("secret_file: %w", err)
	}
	if note := readableByOthers(path); note != "" {
		cfg.origin.notes = append(cfg.origin.notes, note)
	}

	return decodeSecret(text, path)
}

// secretPath returns the file of the key.
func (c *Config) secretPath() string {
	return cmp.Or(c.Storage.SecretFile, sqlitePath(c.Storage.Database)+".key")
}

// SecretSource says where the key is, without the key.
func (c *Config) SecretSource() string {
	if c.Storage.Secret != "" {
		return "the setting secret"
	}
	return c.secretPath()
}

// ReadSecret is LoadSecret for a command that needs a running server: it creates no file.
func ReadSecret(cfg *Config) ([]byte, error) {
	if cfg.Storage.Secret == "" {
		if _, err := os.Stat(cfg.secretPath()); err != nil {
			return nil, fmt.Errorf("no server has run with this configuration: %w", err)
		}
	}
	return LoadSecret(cfg)
}

// readableByOthers warns of a secret file that every account of the machine may read, or returns "".
// A group may read it: orchestrators hand files over that way. Windows keeps other permissions.
func readableByOthers(path string) string {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o004 == 0 {
		return ""
	}
	return fmt.Sprintf(
		"secret_file: other users of this machine may read %s, which opens the signing keys in the database: run chmod o-r %s, and rotate and revoke the keys if they may have read it",
		path,
		path,
	)
}

// checkSecret checks the secret without creating one.
func (c *Config) checkSecret() error {
	if c.Storage.Secret != "" {
		_, err := decodeSecret(c.Storage.Secret, "secret")
		return err
	}
	if kind, _ := engineOf(c.Storage.Database); kind == postgres && c.Storage.SecretFile == "" {
		return errors.New(
			"secret_file: replicas that share a database must share a key: set secret_file, or RIALTO_SECRET, to 32 random bytes in base64 (openssl rand -base64 32)",
		)
	}

	return nil
}

func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

func decodeSecret(s, from string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil || len(b) != 32 {
		return nil, fmt.Errorf(
			"%s: not 32 bytes in base64 (make one with: openssl rand -base64 32)", from,
		)
	}
	return b, nil
}

// ReadOrCreate returns the line in a private file. If the file does not exist, it is
// created atomically with a new value, so that two processes get the same value.
func ReadOrCreate(path string, value func() string) (string, error) {
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}

	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(value() + "\n")
	if err := errors.Join(err, tmp.Close()); err != nil {
		return "", err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}

	b, err = os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}
