package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"rialto/cmd/rialto/internal/config"
)

// AnnounceSetup tells the operator the setup code if there is no account yet. It writes the code
// to w if that is a terminal, and else to a file, whose name it writes to w: logs are kept, and
// more people read them.
func (s *Server) AnnounceSetup(ctx context.Context, w io.Writer, terminal bool) error {
	cfg := s.cfg.Load()
	if !cfg.SignIn.Local {
		return nil
	}

	var code string
	var expires time.Time
	open := func(ctx context.Context) (err error) {
		code, expires, err = s.oauth.Passwords.OpenSetup(ctx)
		return err
	}
	err := askDatabase(ctx, cfg, s.log, "the database: looking for an account", open)
	if err != nil {
		return UnlessStopped(ctx, err)
	}

	path := setupFile(cfg)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.log.WarnContext(ctx, "the file of an old setup code cannot be removed", "err", err)
	}
	if code == "" {
		return nil
	}

	until := expires.Format(time.TimeOnly)
	with := fmt.Sprintf("this setup code, until %s:\n\n      %s\n", until, code)
	if !terminal {
		with = fmt.Sprintf("the setup code in %s, until %s.\n", path, until)
		if err := writeSecret(path, code); err != nil {
			s.log.ErrorContext(
				ctx,
				"the setup code cannot be written into a file: make the first account with \"rialto user add\"",
				"err", err,
			)
			return nil
		}
	}

	const text = "\n  There is no account yet. Create the first one at %s/signin\n  with %s\n"
	_, err = fmt.Fprintf(w, text, cfg.URL, with)
	return err
}

// setupFile returns where the setup code is written: beside a SQLite file, and otherwise with
// the temporary files of this machine.
func setupFile(cfg *config.Config) string {
	if path := cfg.DatabaseFile(); path != "" {
		return path + ".setup-code"
	}
	return filepath.Join(os.TempDir(), "rialto-setup-code")
}

// writeSecret makes a file that only its owner may read. It follows no link, and writes into
// no file that is there.
func writeSecret(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, text)
	return errors.Join(err, f.Close())
}
