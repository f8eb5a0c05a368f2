package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// announceSetup shows the code for the first account, if there is none. It goes
// to the terminal and not through the logger: logs are kept, and read by more
// people than those who may run the server.
func (s *server) announceSetup(ctx context.Context, w io.Writer) error {
	if !s.cfg.SignIn.Local {
		return nil
	}
	code, expires, err := s.oauth.OpenSetup(ctx)
	if err != nil || code == "" {
		return err
	}
	_, err = fmt.Fprintf(w, "\n  There is no account yet. Make the first one at %s/signin\n  with this setup code, until %s:\n\n      %s\n\n",
		s.cfg.URL, expires.Format(time.TimeOnly), code)
	return err
}
