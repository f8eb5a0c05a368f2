package client

import (
	_ "embed" // for vendors.yaml
	"net/url"
	"slices"
	"strings"
	"sync"

	"rialto/internal/embedded"
)

// vendor is a company whose products attackers imitate. vendors.yaml describes the members.
type vendor struct {
	Name      string
	Words     []string
	Callbacks []string
	Documents []string
	Domain    string
	Relay     bool
}

//go:embed vendors.yaml
var vendorsFile []byte

// vendors returns those of the file.
var vendors = sync.OnceValue(func() (all []vendor) {
	all = embedded.YAML[[]vendor](vendorsFile)()
	for i, v := range all {
		if v.Domain != "" {
			at := []string{"https://*." + v.Domain, "https://" + v.Domain + "/*"}
			all[i].Callbacks = at
			all[i].Documents = at
		}
	}

	return all
})

// isOneOf tells whether a URL is at one of some addresses, whatever its query says.
func isOneOf(u *url.URL, addresses []string) bool {
	at := strings.ToLower(u.Scheme+"://"+u.Host) + u.EscapedPath()
	return slices.ContainsFunc(addresses, func(address string) bool {
		if domain, ok := strings.CutPrefix(address, "https://*"); ok {
			return u.Scheme == "https" && strings.HasSuffix(strings.ToLower(u.Host), domain)
		}
		if prefix, ok := strings.CutSuffix(address, "*"); ok {
			return strings.HasPrefix(at, prefix)
		}
		return at == address
	})
}
