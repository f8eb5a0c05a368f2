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
	// LookAlike is the vendor whose name it uses without being at the vendor's addresses.
	LookAlike string `json:"look_alike,omitempty"`
}

// ClientFilter chooses clients. Empty fields do not filter.
type ClientFilter struct {
	Span
	Kind Kind
	Text string // the beginning of a word of the name or the ID, in any letter case
}

// Table implements Query.
func (f *ClientFilter) Table() *Table { return tables()["clients"] }

// Read implements Query.
func (f *ClientFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	f.Span = span
	return untyped(s.Clients(ctx, *f))
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
	all := &Page[Client]{Items: []Client{}}
	page, err := list(ctx, s, f, s.Store.ListClients, s.Store.CountClients, (*ClientRow).mark)
	if err != nil {
		return nil, err
	}

	var configured []Client
	if f.Kind == "" || f.Kind == Configured {
		configured, err = configuredClients(ctx, s, f.Text)
		if err != nil {
			return nil, err
		}
	}

	all.Total = page.Total + len(configured)
	if (f.Cursor == "" || f.Back) && page.Prev == "" {
		all.Items = append(all.Items, configured...)
	}
	if f.Kind == Configured {
		all.Total = len(configured)
		return all, nil
	}

	for _, row := range page.Items {
		all.Items = append(all.Items, describe(s, row))
	}

	all.Next = page.Next
	all.Prev = page.Prev
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

// configuredClients returns the clients of the configuration whose name or ID contains a text.
func configuredClients(ctx context.Context, s *Service, text string) ([]Client, error) {
	all := []Client{}
	text = strings.ToLower(text)
	for _, c := range s.OAuth.Clients.AllConfigured() {
		if !strings.Contains(strings.ToLower(c.ID+"\n"+c.Name), text) {
			continue
		}
		used, live, err := s.Store.UseOf(ctx, c.ID, s.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, newClient(s, c, Configured, ClientRow{Used: used, Grants: live}))
	}

	return all, nil
}

// describe returns what a row is about. A document that cannot be parsed any more still has an ID,
// so that it can be removed.
func describe(s *Service, row ClientRow) Client {
	if row.Document == nil {
		return newClient(s, row.Client, Registered, row)
	}
	c, err := s.OAuth.Clients.Documents.Parse(row.Document)
	if err != nil {
		c = &oauth.Client{ID: row.Document.ID, Name: row.Document.ID}
	}
	return newClient(s, c, Document, row)
}

func newClient(s *Service, c *oauth.Client, kind Kind, row ClientRow) Client {
	out := Client{
		ID:            c.ID,
		Name:          c.Name,
		Kind:          kind,
		URI:           c.URI,
		Auth:          c.AuthMethod,
		RedirectURIs:  append([]string{}, c.RedirectURIs...),
		RedirectHosts: []string{},
		Grants:        row.Grants,
		Since:         row.Since,
		Used:          row.Used,
		LookAlike:     s.OAuth.Registration.LookAlike(c),
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
			out := newClient(s, c, Configured, ClientRow{Used: used, Grants: live})
			return &out, err
		}
	}

	row, err := s.Store.ClientRow(ctx, id, s.Now())
	if err != nil {
		return nil, refusal(err)
	}

	c := describe(s, *row)
	return &c, nil
}

// RegisterClient registers a client that cannot register itself. It fails with an
// Error for what the registration endpoint would refuse, and with ErrNotFound without the connector.
func (s *Service) RegisterClient(
	ctx context.Context,
	by Actor,
	what NewClient,
) (*IssuedClient, error) {
	address, err := what.complete(ctx, s)
	if err != nil {
		return nil, err
	}
	c, err := s.OAuth.Registration.Add(ctx, what.Name, what.RedirectURIs, what.KeepsSecret)
	if refused, ok := errors.AsType[*oauth.Error](err); ok {
		if m := refused.Sentence(); m != nil {
			return nil, Refuse("client_refused", m)
		}
		return nil, &Error{Reason: Invalid, Code: "client_refused", Text: refused.Description}
	}
	if err != nil {
		return nil, err
	}

	out := &IssuedClient{*c, address}
	return out, record(ctx, s.Audit, by, audit.ClientRegistered, c.ID, what.Name+"; by hand", nil)
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

	return record(
		ctx,
		s.Audit,
		by,
		audit.ClientRemoved,
		id,
		c.Name,
		refusal(s.OAuth.Clients.Forget(ctx, id)),
	)
}
