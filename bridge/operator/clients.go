package operator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"rialto/internal/audit"
	"rialto/oauth"
	"rialto/oauth/client"
)

// Kind says how a client is known.
type Kind string

// The kinds of clients.
const (
	Registered Kind = "registered" // at /register (RFC 7591)
	Document   Kind = "document"   // by a document at the URL that is its ID
	Configured Kind = "configured" // by the operator's configuration
)

// Client is a client as an operator sees it.
type Client struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	Kind          Kind      `json:"kind"`
	URI           string    `json:"uri,omitempty"`  // its own page
	Auth          string    `json:"auth"`           // its authentication method
	RedirectURIs  []string  `json:"redirect_uris"`  // where authorization responses go
	RedirectHosts []string  `json:"redirect_hosts"` // their hosts, without repetitions
	Grants        int       `json:"grants"`         // that are live, up to MostCounted
	Since         time.Time `json:"since,omitzero"` // when it registered, or when its document was last read
	Used          time.Time `json:"last_used,omitzero"`
}

// ClientFilter chooses clients. Empty fields do not filter.
type ClientFilter struct {
	Span
	Kind Kind
	Text string // the beginning of a word of the name or the ID, in any letter case
}

// ClientRow is a client of the store: one that registered, or a document.
type ClientRow struct {
	Client   *oauth.Client
	Document *oauth.Document
	Since    time.Time
	Used     time.Time
	Grants   int
	Term     string // the word that a search found
}

// Clients returns a page of clients: those of the configuration, then the others,
// the latest first. It fails with ErrCursor.
func (s *Service) Clients(ctx context.Context, f ClientFilter) (*Page[Client], error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	all := &Page[Client]{Items: []Client{}}
	if f.Cursor == "" && (f.Kind == "" || f.Kind == Configured) {
		var err error
		if all.Items, err = s.configured(ctx, f.Text); err != nil {
			return nil, err
		}
	}
	if f.Kind == Configured {
		return all, nil
	}
	page, err := list(ctx, s, f.Span, func(ctx context.Context, r Rows) ([]ClientRow, error) { return s.Store.ListClients(ctx, f, r) }, (*ClientRow).mark)
	if err != nil {
		return nil, err
	}
	for _, row := range page.Items {
		all.Items = append(all.Items, s.client(row))
	}
	all.Next = page.Next
	return all, nil
}

func (r *ClientRow) mark() Mark { return Mark{At: r.Since, Term: r.Term, ID: r.ID()} }

// ID returns the client's ID.
func (r *ClientRow) ID() string {
	if r.Document != nil {
		return r.Document.ID
	}
	return r.Client.ID
}

// configured returns the clients of the configuration whose name or ID contains a text.
func (s *Service) configured(ctx context.Context, text string) ([]Client, error) {
	all := []Client{}
	for _, c := range s.OAuth.Clients.AllConfigured() {
		if text = strings.ToLower(text); !strings.Contains(strings.ToLower(c.ID+"\n"+c.Name), text) {
			continue
		}
		used, live, err := s.Store.UseOf(ctx, c.ID, s.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, newClient(c, Configured, ClientRow{Used: used, Grants: live}))
	}
	return all, nil
}

// client describes a row. A document that cannot be parsed any more still has an ID,
// so that it can be removed.
func (s *Service) client(row ClientRow) Client {
	if row.Document == nil {
		return newClient(row.Client, Registered, row)
	}
	c, err := s.OAuth.Clients.Documents.Parse(row.Document)
	if err != nil {
		c = &oauth.Client{ID: row.Document.ID, Name: row.Document.ID}
	}
	return newClient(c, Document, row)
}

func newClient(c *oauth.Client, kind Kind, row ClientRow) Client {
	out := Client{
		ID: c.ID, Name: c.Name, Kind: kind, URI: c.URI, Auth: c.AuthMethod,
		RedirectURIs: append([]string{}, c.RedirectURIs...), RedirectHosts: []string{},
		Grants: row.Grants, Since: row.Since, Used: row.Used,
	}
	for _, uri := range c.RedirectURIs {
		if host := client.RedirectHost(uri); !slices.Contains(out.RedirectHosts, host) {
			out.RedirectHosts = append(out.RedirectHosts, host)
		}
	}
	return out
}

// Client returns a client, or ErrNotFound.
func (s *Service) Client(ctx context.Context, id string) (*Client, error) {
	for _, c := range s.OAuth.Clients.AllConfigured() {
		if c.ID == id {
			used, live, err := s.Store.UseOf(ctx, id, s.Now())
			out := newClient(c, Configured, ClientRow{Used: used, Grants: live})
			return &out, err
		}
	}
	row, err := s.Store.ClientRow(ctx, id, s.Now())
	if err != nil {
		return nil, refusal(err)
	}
	c := s.client(*row)
	return &c, nil
}

// RegisterClient registers a client that cannot register itself. It fails with an
// Error for what the registration endpoint would refuse.
func (s *Service) RegisterClient(ctx context.Context, by Actor, name string, redirectURIs []string, keepsSecret bool) (*client.Issued, error) {
	c, err := s.OAuth.Registration.Add(ctx, name, redirectURIs, keepsSecret)
	if refused, ok := errors.AsType[*oauth.Error](err); ok {
		if m := refused.Sentence(); m != nil {
			return nil, Refuse("client_refused", m)
		}
		return nil, &Error{Reason: Invalid, Code: "client_refused", Text: refused.Description}
	}
	if err != nil {
		return nil, err
	}
	return c, s.record(ctx, by, audit.ClientRegistered, c.ID, name+"; by hand", nil)
}

// RemoveClient deletes a client and revokes its grants. It fails with ErrNotFound,
// and with an Error for a client of the configuration. A client whose ID is the URL
// of its document is added again with its next grant.
func (s *Service) RemoveClient(ctx context.Context, by Actor, id string) error {
	c, err := s.Client(ctx, id)
	if err != nil {
		return err
	}
	if c.Kind == Configured {
		return errConfiguredClient
	}
	return s.record(ctx, by, audit.ClientRemoved, id, c.Name, refusal(s.OAuth.Clients.Forget(ctx, id)))
}
