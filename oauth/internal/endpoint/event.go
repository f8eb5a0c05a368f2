package endpoint

import (
	"net/http"

	"rialto/oauth"
)

// HappenedAt tells of an event that a request brought.
func (env *Env) HappenedAt(r *http.Request, e oauth.Event) {
	if env.Events != nil {
		e.Address = env.Address(r)
		env.Events.Happened(r.Context(), e)
	}
}
