package cli

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/server"
	"rialto/internal/neterr"
)

// healthCommand checks the server from its own container, which has no shell or curl.
func healthCommand() *cobra.Command {
	var url string
	cmd := command("health", "Check a running server; the exit code tells the result")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		client := &http.Client{Timeout: 5 * time.Second}
		if url == "" {
			serving := config.TLS{CertFile: os.Getenv("RIALTO_TLS__CERT_FILE")}
			url = serving.Scheme() + "://" + server.LocalAddress(os.Getenv("RIALTO_LISTEN"))
			client = server.LocalClient(client.Timeout)
		}
		r, err := http.NewRequestWithContext(
			cmd.Context(),
			http.MethodGet,
			strings.TrimRight(url, "/")+"/healthz",
			nil,
		)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err != nil {
			return fmt.Errorf("couldn't reach the server at %s: %w", url, neterr.Explain(err))
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answered %s", url, resp.Status)
		}
		return done(cmd, map[string]string{"status": "ok"}, "ok")
	}
	textFlag(
		cmd,
		&url,
		"url",
		"`address` of the server (default: from RIALTO_LISTEN and RIALTO_TLS__CERT_FILE, or http://127.0.0.1:8080)",
	)
	jsonFlag(cmd)
	return cmd
}
