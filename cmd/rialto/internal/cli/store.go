package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/internal/neterr"
	"rialto/store"
)

// userDataDir returns the directory for user data on this platform.
func userDataDir() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return os.UserConfigDir()
	}

	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for the data: %w; name one with --data", err)
	}

	return filepath.Join(home, ".local", "share"), nil
}

// dataFlag adds --data, the directory of the demo.
func dataFlag(cmd *cobra.Command, dir *string) {
	textFlag(
		cmd,
		dir,
		"data",
		"`directory` that keeps the demo's state (default: rialto in the user's data directory)",
	)
}

func demoDir(dir string) (string, error) {
	if dir == "" {
		base, err := userDataDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(base, "rialto")
	}
	return filepath.Abs(dir)
}

// storeFlags say which store a command uses: that of a configuration (a file, or a
// database in a flag or the environment), or that of the demo.
type storeFlags struct{ data, config, database string }

func (f *storeFlags) add(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	textFlag(cmd, &f.config, "config", "configuration `file` of the server")
	textFlag(
		cmd,
		&f.database,
		"database",
		"database of the server: SQLite `file`, or postgres://…",
	)
	cmd.MarkFlagsMutuallyExclusive("data", "config")
	cmd.MarkFlagsMutuallyExclusive("data", "database")
}

// ofServer tells whether the flags name the store of a server. The flag --data wins
// over the environment.
func (f *storeFlags) ofServer() bool {
	return f.config != "" || f.database != "" || f.data == "" && os.Getenv("RIALTO_DATABASE") != ""
}

func (f *storeFlags) load(cmd *cobra.Command) (*config.Config, error) {
	if f.ofServer() {
		return config.Load(f.config, os.Environ(), cmd.Flags())
	}
	dir, err := demoDir(f.data)
	if err != nil {
		return nil, err
	}

	address, err := os.ReadFile(filepath.Join(dir, "url"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(
			"there is no demo in %s: start it with \"%s demo\", or name a server's configuration with --config or its database with --database",
			dir,
			program(),
		)
	}
	if err != nil {
		return nil, err
	}

	cfg := config.Demo(dir)
	cfg.URL = strings.TrimSpace(string(address))
	cfg.Agents, err = readDemoAgents(dir)
	return cfg, err
}

// target is load for a store that need not exist yet.
func (f *storeFlags) target(cmd *cobra.Command) (*config.Config, error) {
	if f.ofServer() {
		return f.load(cmd)
	}
	dir, err := demoDir(f.data)
	if err != nil {
		return nil, err
	}
	return config.Demo(dir), os.MkdirAll(dir, 0o700)
}

// open opens the store. Close it.
func (f *storeFlags) open(cmd *cobra.Command) (*config.Config, *store.DB, error) {
	cfg, err := f.load(cmd)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Storage.Database == store.Memory {
		return nil, nil, config.ErrInMemory
	}

	db, err := cfg.OpenStore(cmd.Context())
	if err != nil {
		return nil, nil, databaseError(err)
	}

	return cfg, db, nil
}

func databaseError(err error) error {
	return fmt.Errorf("couldn't open the database: %w", neterr.Explain(err))
}
