package web

import (
	"errors"
	"net/http"

	"rialto/a2a/a2avault"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// showDeviceCode shows a code to enter at the agent's authorization server.
func (c *Connect) showDeviceCode(w http.ResponseWriter, r *http.Request, a connectable, way int, user, task string) {
	p, err := c.Vault.BeginDevice(r.Context(), a.app, a.ways[way], user, task)
	if err != nil {
		c.notBegun(w, r, a, err)
		return
	}
	c.device(w, r, a, way, p, http.StatusOK, "")
}

// checkDeviceCode checks if the user has entered the code. If several pages show one code, the
// first connects the agent, and the others find it connected.
func (c *Connect) checkDeviceCode(w http.ResponseWriter, r *http.Request, a connectable, way int, user string) {
	still, task, err := c.Vault.FinishDevice(r.Context(), a.app, user, r.PostForm.Get("device"))
	switch {
	case still != nil && a2avault.Unavailable(err):
		c.device(w, r, a, way, still, http.StatusBadGateway, away)
	case err == nil && still != nil:
		c.device(w, r, a, way, still, http.StatusOK, "You have not finished there yet, or that server does not know it yet. Wait a moment and try again.")
	case err == nil:
		c.connected(w, r, a, task)
	default:
		if has, known := c.Vault.Connected(r.Context(), user, a.info.Name); has && known == nil && !errors.Is(err, a2avault.ErrDenied) {
			c.resume(w, r, a, task)
			return
		}
		c.writeError(w, r, err, begin(a.info.Name, task))
	}
}

// device shows a code, and where to enter it.
func (c *Connect) device(w http.ResponseWriter, r *http.Request, a connectable, way int, p *a2avault.Pending, status int, notice string) {
	templates.Write(w, r, status, templates.Device{
		Product: c.Product, Agent: a.info.Name, Host: p.Host, URL: p.URL, Code: sanitize.Short(p.Code, 100), Way: way, Handle: p.Handle, Notice: notice, Task: c.task(r, a),
	})
}
