package oauthbench

import (
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// engine is a kind of database; each server gets a new one of it.
type engine struct {
	name string
	open func() (dsn string, drop func() error, err error)
}

func temporaryFile() (string, func() error, error) {
	dir, err := os.MkdirTemp("", "rialto-bench-*")
	return filepath.Join(dir, "bench.db"), func() error { return os.RemoveAll(dir) }, err
}
