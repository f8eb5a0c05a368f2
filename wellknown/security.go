package wellknown

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/mux"
)

// securityAge is how long readers may trust the contact: RFC 9116 section 2.5.5 recommends less than
// a year.
const securityAge = 180 * 24 * time.Hour

// MountSecurity serves /.well-known/security.txt (RFC 9116) of the server at origin, which says where
// to report a weakness: a URI (RFC 9116 section 2.5.3). Without a contact there is no such file.
func MountSecurity(r *mux.Router, contact, origin string) {
	if contact == "" {
		return
	}
	path := prefix + "security.txt"
	r.Path(path).Methods(http.MethodGet, http.MethodHead).HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("Content-Type", "text/plain; charset=utf-8")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "public, max-age=86400")
			expires := time.Now().UTC().Truncate(24 * time.Hour).Add(securityAge)
			fmt.Fprintf(
				w, "Contact: %s\nExpires: %s\nCanonical: %s\n",
				contact, expires.Format(time.RFC3339), origin+path,
			)
		},
	)
}
