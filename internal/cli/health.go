package cli

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/internal/config"
)

// healthCommand checks the server from its own container, which has no shell or curl.
func healthCommand() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Check a running server; the exit code tells the result",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client := &http.Client{Timeout: 5 * time.Second}
			if url == "" {
				serving := config.TLS{CertFile: os.Getenv("RIALTO_TLS__CERT_FILE")}
				url = serving.Scheme() + "://" + ownAddress(os.Getenv("RIALTO_LISTEN"))
				client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // it names the public host, not this machine
			}
			r, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, strings.TrimRight(url, "/")+"/healthz", nil)
			if err != nil {
				return err
			}
			resp, err := client.Do(r)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answered %s", url, resp.Status)
			}
			return done(cmd, map[string]string{"status": "ok"}, "ok")
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "`address` of the server (default: from RIALTO_LISTEN and RIALTO_TLS__CERT_FILE, or http://127.0.0.1:8080)")
	jsonFlag(cmd)
	return cmd
}

// ownAddress returns the address at which a server is reached from its own machine.
func ownAddress(listen string) string {
	host, port, err := net.SplitHostPort(cmp.Or(listen, config.Defaults().Listen))
	if err != nil {
		return listen
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
