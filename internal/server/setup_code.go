package server

import (
	"context"
	"fmt"
	"io"
	"time"
)

// AnnounceSetup shows the code for the first account, if there is none. It goes
// to the terminal and not through the logger: logs are kept, and read by more
// people than those who may run the server.
func (s *Server) AnnounceSetup(ctx context.Context, w io.Writer) error {
	if !s.cfg.SignIn.Local {
		return nil
	}
	var code string
	var expires time.Time
	err := askDatabase(ctx, s.log, "the database, to ask for the first account", func(ctx context.Context) (err error) {
		code, expires, err = s.OAuth.Pages.Passwords.OpenSetup(ctx)
		return err
	})
	if err != nil || code == "" {
		return UnlessStopped(ctx, err)
	}
	_, err = fmt.Fprintf(w, "\n  There is no account yet. Make the first one at %s/signin\n  with this setup code, until %s:\n\n      %s\n\n",
		s.cfg.URL, expires.Format(time.TimeOnly), code)
	return err
}
