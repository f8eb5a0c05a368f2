package web

import (
	"errors"
	"net/http"

	"rialto/a2a/a2avault"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// showDeviceCode shows a code to enter at the agent's authorization server.
func (c *connectRequest) showDeviceCode(way int, task string) {
	p, err := c.Vault.BeginDevice(c.Context(), c.app, c.ways[way], c.user, task)
	if err != nil {
		c.showSignInError(err)
		return
	}
	c.device(way, p, http.StatusOK, "")
}

// checkDeviceCode checks if the user has entered the code. If several pages show one code, the
// first connects the agent, and the others find it connected.
func (c *connectRequest) checkDeviceCode(way int) {
	still, task, err := c.Vault.FinishDevice(c.Context(), c.app, c.user, c.PostForm.Get("device"))
	switch {
	case still != nil && a2avault.Unavailable(err):
		c.device(way, still, http.StatusBadGateway, serverDown)
	case err == nil && still != nil:
		c.device(
			way,
			still,
			http.StatusOK,
			"You haven't finished there yet, or that server doesn't know it yet. Wait a moment and try again.",
		)
	case err == nil:
		c.connected(task)
	default:
		if has, known := c.Vault.Connected(c.Context(), c.user, c.info.Name); has && known == nil &&
			!errors.Is(err, a2avault.ErrDenied) {
			c.resume(task)
			return
		}
		c.writeError(err, connectPath(c.info.Name, task))
	}
}

// device shows a code, and where to enter it.
func (c *connectRequest) device(way int, p *a2avault.Pending, status int, notice string) {
	templates.Write(c.w, c.Request, status, templates.Device{
		Product: c.Product,
		Agent:   c.info.Name,
		Host:    p.Host,
		URL:     p.URL,
		Code:    sanitize.Short(p.Code, 100),
		Way:     way,
		Handle:  p.Handle,
		Notice:  notice,
		Task:    c.task(),
	})
}
