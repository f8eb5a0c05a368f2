package server

import (
	"context"
	"fmt"
	"io"
	"time"
)

// AnnounceSetup prints the setup code if there is no account yet. It writes to the
// terminal, not to the log: logs are kept, and more people read them.
func (s *Server) AnnounceSetup(ctx context.Context, w io.Writer) error {
	if !s.cfg.SignIn.Local {
		return nil
	}
	var code string
	var expires time.Time
	err := askDatabase(ctx, s.log, "the database: looking for an account", func(ctx context.Context) (err error) {
		code, expires, err = s.oauth.Passwords.OpenSetup(ctx)
		return err
	})
	if err != nil || code == "" {
		return UnlessStopped(ctx, err)
	}
	_, err = fmt.Fprintf(w, "\n  There is no account yet. Make the first one at %s/signin\n  with this setup code, until %s:\n\n      %s\n\n",
		s.cfg.URL, expires.Format(time.TimeOnly), code)
	return err
}
