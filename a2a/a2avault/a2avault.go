// Package a2avault stores the credentials of each user for each agent: a key or password that the
// user has entered, or OAuth 2.0 tokens from the agent's authorization server. It encrypts them,
// renews tokens, and adds them to the user's calls. It does not know how a credential is put on a
// request (a2aauth) or how the pages look where users connect agents (bridge/web).
package a2avault

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"golang.org/x/sync/singleflight"

	"rialto/a2a"
	"rialto/a2a/a2aauth"
	"rialto/internal/safehttp"
	"rialto/internal/sealed"
)

// Kind is what a user has connected an agent with.
type Kind string

// The kinds of connections.
const (
	OAuth  Kind = "oauth"
	Bearer Kind = "bearer"
	Basic  Kind = "basic"
	APIKey Kind = "api_key"

	// Ended is a connection that its authorization server has revoked: the user must connect again.
	Ended Kind = "ended"

	registration Kind = "registration" // of this server at an authorization server
)

// Vault stores connections. All fields are required.
type Vault struct {
	Store   Store
	Key     []byte // 32 bytes, the same on all replicas
	URL     string // this server's URL, without a trailing slash
	Name    string // this server's name for authorization servers
	Replica string // names this process among those that share the store
	Now     func() time.Time
	Log     *slog.Logger

	Agents Agents

	renewing singleflight.Group
}

// Agents knows the settings of the agents. It is used concurrently.
type Agents interface {
	// Host returns the current host of an agent. Credentials for another host are not
	// sent: the agent's users must connect again.
	Host(agent string) string

	// App returns the OAuth settings of an agent, if it has some. Forget needs them to
	// revoke tokens.
	App(agent string) (App, bool)
}

// Secret is a credential that a user has entered or an authorization server has issued.
type Secret struct {
	Value string `json:"value"`          // a key, password or access token
	User  string `json:"user,omitempty"` // for Basic
	Host  string `json:"host"`           // the agent's host, set by the vault
	In    string `json:"in,omitempty"`   // for APIKey
	Name  string `json:"name,omitempty"`

	Refresh string    `json:"refresh,omitempty"` // a refresh token; "" is none
	Expires time.Time `json:"expires,omitzero"`  // of Value; zero is not known
	Grant   *grant    `json:"grant,omitempty"`   // of OAuth: how it was got
}

// Connection is the public part of a user's connection.
type Connection struct {
	Agent     string
	Kind      Kind
	Connected time.Time
	Updated   time.Time // when its tokens were renewed last
}

// Connections returns what user has connected.
func (v *Vault) Connections(ctx context.Context, user string) ([]Connection, error) {
	rows, err := v.Store.Connections(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("reading connections: %w", err)
	}

	all := make([]Connection, len(rows))
	for i, r := range rows {
		all[i] = Connection{r.Agent, r.Kind, r.Connected, r.Updated}
		if _, err := v.secret(&r); err != nil {
			all[i].Kind = Ended
		}
	}

	return all, nil
}

// Connected reports whether user has connected an agent.
func (v *Vault) Connected(ctx context.Context, user, agent string) (bool, error) {
	row, err := v.Store.Connection(ctx, user, agent)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	_, err = v.secret(row)
	if a2a.Is(err, a2a.Unauthenticated) {
		return false, nil
	}

	return err == nil, err
}

// secret decrypts the credential of a user for an agent. It returns errNotConnected if the
// connection has ended or is for another host.
func (v *Vault) secret(row *Row) (*Secret, error) {
	var s Secret
	if err := v.open(row.Owner, row.Agent, row.Sealed, &s); err != nil {
		return nil, err
	}
	if s.Value == "" || s.Host != v.Agents.Host(row.Agent) {
		return nil, errNotConnected(row.Agent)
	}
	return &s, nil
}

// Forget deletes the connection of user to an agent, and then revokes its tokens if the
// authorization server supports it and answers. It returns ErrNone if there is none.
func (v *Vault) Forget(ctx context.Context, user, agent string) error {
	if user == "" {
		return ErrNone // that is this server's own
	}

	var known Secret
	if row, err := v.Store.Connection(ctx, user, agent); err == nil {
		_ = v.open(
			user,
			agent,
			row.Sealed,
			&known,
		) // what cannot be opened is forgotten all the same
	}

	err := v.Store.ForgetConnection(ctx, user, agent)
	if err == nil {
		v.revoke(ctx, agent, known)
	}

	return err
}

// revokeTimeout bounds the revocation when a user deletes a connection.
const revokeTimeout = 5 * time.Second

// revoke revokes the refresh token at its server (RFC 7009), which ends the whole grant.
func (v *Vault) revoke(ctx context.Context, agent string, s Secret) {
	if s.Grant == nil || s.Grant.Revocation == "" || s.Value == "" {
		return
	}
	app, ok := v.Agents.App(agent)
	c, err := s.Grant.client(app)
	if !ok || err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTimeout)
	defer cancel()
	form := url.Values{"token": {s.Refresh}, "token_type_hint": {"refresh_token"}}
	if s.Refresh == "" {
		form = url.Values{"token": {s.Value}, "token_type_hint": {"access_token"}}
	}
	resp, err := c.post(ctx, app, s.Grant.Revocation, form)
	if err != nil {
		v.Log.WarnContext(
			ctx, "a connection was forgotten, but its tokens were not ended",
			"agent", agent,
		)
		return
	}

	resp.Body.Close()
}

// Save stores the secret with which user has connected an agent, and replaces an older one.
func (v *Vault) Save(ctx context.Context, user, agent string, kind Kind, s Secret) error {
	if user == "" {
		return errors.New("a connection without a user")
	}
	s.Host = v.Agents.Host(agent)
	return v.put(ctx, user, agent, kind, s)
}

func (v *Vault) put(ctx context.Context, owner, agent string, kind Kind, what any) error {
	sealed, err := v.seal(owner, agent, what)
	if err != nil {
		return err
	}

	now := v.Now()
	return v.Store.PutConnection(ctx, Row{
		Owner:     owner,
		Agent:     agent,
		Kind:      kind,
		Sealed:    sealed,
		Connected: now,
		Updated:   now,
	})
}

// credential returns s as a2aauth puts it on requests.
func (s Secret) credential(kind Kind) a2aauth.Secret {
	as := a2aauth.Kind(kind)
	if kind == OAuth {
		as = a2aauth.Bearer
	}

	return a2aauth.Secret{
		Kind:  as,
		Value: s.Value,
		User:  s.User,
		In:    cmp.Or(s.In, "header"),
		Name:  s.Name,
	}
}

// seal encrypts a secret for one owner and agent: a row that is moved to another user
// cannot be decrypted.
func (v *Vault) seal(owner, agent string, what any) (string, error) {
	return sealed.SealJSON(v.Key, associatedData(owner, agent), what)
}

func (v *Vault) open(owner, agent, text string, what any) error {
	if sealed.OpenJSON(v.Key, associatedData(owner, agent), text, what) != nil {
		return errors.New(
			"the stored secret cannot be decrypted: the server's secret or the row has changed",
		)
	}
	return nil
}

// associatedData returns the associated data of a sealed value: its owner and agent.
func associatedData(owner, agent string) string {
	b := binary.BigEndian.AppendUint32([]byte("rialto vault"), uint32(len(owner)))
	return string(append(append(b, owner...), agent...))
}

// Client returns the guarded client for authorization servers, which cards name. It
// allows the hosts that the operator has set.
func Client(operator ...string) *safehttp.Client {
	return &safehttp.Client{Timeout: 10 * time.Second, Allowed: func() []string { return operator }}
}
