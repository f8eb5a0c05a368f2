package directory

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// connectedFor limits the check whether a user has connected an agent.
const connectedFor = 5 * time.Second

// ConnectPath is the path where users connect agents; the name of the agent follows.
const ConnectPath = "/connect/"

// Connections knows the agents that users connect themselves, each with an account or a key.
type Connections interface {
	// Wanted reports whether users connect an agent themselves.
	Wanted(agent string) bool

	// Connected reports whether user has connected it.
	Connected(ctx context.Context, user, agent string) (bool, error)
}

// ConnectableAgents names the agents that the caller may see and that users connect
// themselves. It does not wait.
func (d *Directory) ConnectableAgents(a Access) []string {
	var names []string
	for _, p := range d.Agents(a) {
		if d.Connectable(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Connectable reports whether people can connect an agent here.
func (d *Directory) Connectable(agent string) bool {
	return d.Pages && d.Connections != nil && d.Connections.Wanted(agent)
}

// ConnectURL returns the page where a user connects an agent, or "". The task with the
// handle continues afterwards.
func (d *Directory) ConnectURL(agent, handle string) string {
	if !d.Connectable(agent) {
		return ""
	}
	return d.URL + ConnectPath + agent + "?task=" + url.QueryEscape(handle)
}

// ConnectPage returns the page where the owner of a task has to connect its agent, or
// "". A connected agent that names a page of its own waits for a grant there instead.
func (d *Directory) ConnectPage(e *ledger.Record) string {
	if !e.Idle || e.State() != a2a.AuthRequired || !d.Connectable(e.Agent) {
		return ""
	}
	if !e.Unsent() && sanitize.FirstLink(e.Task.Status.Message.Text()) != "" {
		ctx, cancel := context.WithTimeout(context.Background(), connectedFor)
		defer cancel()
		if has, err := d.Connections.Connected(ctx, e.Owner, e.Agent); err == nil && has {
			return ""
		}
	}

	return d.ConnectURL(e.Agent, e.Handle)
}

// NeedsConnection reports whether err means that the user has to connect the agent.
func (d *Directory) NeedsConnection(agent string, err error) bool {
	var e *a2a.Error
	if !errors.As(err, &e) || !d.Connectable(agent) {
		return false
	}
	return e.Code == a2a.Unauthenticated || e.Code == a2a.Forbidden && e.Challenge != ""
}

// ErrNotConnected says that the user has to connect an agent first.
var ErrNotConnected = errors.New("the user has not connected the agent")

// NotConnected is the error for a caller whose user has to connect an agent first. then
// says what to do afterwards.
func (d *Directory) NotConnected(agent, then string) error {
	return errors.Join(
		ledger.InputError{
			Text: fmt.Sprintf(
				"The agent %s wants to know who the user is. Give the user this link to connect the agent: %s. %s",
				agent,
				d.URL+ConnectPath+agent,
				then,
			),
		},
		ErrNotConnected,
	)
}
