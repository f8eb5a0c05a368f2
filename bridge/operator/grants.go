package operator

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth"
)

// Grant is what a person has allowed a client.
type Grant struct {
	ID         string    `json:"id"`
	AccountID  string    `json:"account_id"`
	Account    string    `json:"account"` // its name
	ClientID   string    `json:"client_id"`
	ClientName string    `json:"client"`              // its name when the person allowed it
	Resource   string    `json:"resource"`            // the address that it is for
	Connector  string    `json:"connector,omitempty"` // the title of the connector, or its address
	Scope      []string  `json:"scope"`
	Parent     string    `json:"parent,omitempty"` // the grant whose token was exchanged for one of this
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires"`
	Used       time.Time `json:"last_used,omitzero"`
	Revoked    time.Time `json:"revoked,omitzero"`
	State      State     `json:"state"`

	disabled bool // its account is
}

// State says whether a grant is usable.
type State string

// The states of grants.
const (
	Live    State = "live"
	Expired State = "expired"
	Revoked State = "revoked"
	Paused  State = "paused" // its account is disabled
)

// GrantFilter chooses grants. Empty fields do not filter.
type GrantFilter struct {
	Span
	AccountID string
	ClientID  string
	ClientIDs []string // a grant of any of them matches
	Live      bool     // only usable ones
}

// Table implements Query.
func (f *GrantFilter) Table() *Table { return tables()["grants"] }

// Read implements Query.
func (f *GrantFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	f.Span = span
	return untyped(s.Grants(ctx, *f))
}

// Grants returns a page of grants, the latest first. It fails with ErrCursor.
func (s *Service) Grants(ctx context.Context, f GrantFilter) (*Page[Grant], error) {
	page, err := list(
		ctx,
		s,
		f,
		s.Store.ListGrants,
		func(ctx context.Context, f GrantFilter, most int) (int, error) {
			return s.Store.CountGrants(ctx, f, s.Now(), most)
		},
		func(g *Grant) Mark { return Mark{At: g.Created, ID: g.ID} },
	)
	if err != nil {
		return nil, err
	}

	names := map[string]string{}
	for i := range page.Items {
		if err := s.addState(ctx, &page.Items[i], names); err != nil {
			return nil, err
		}
	}

	return page, nil
}

// addState adds to a row what the store does not know.
func (s *Service) addState(ctx context.Context, g *Grant, names map[string]string) error {
	g.State = Live
	switch {
	case !g.Revoked.IsZero():
		g.State = Revoked
	case !s.Now().Before(g.Expires):
		g.State = Expired
	case g.disabled:
		g.State = Paused
	}

	g.Connector = g.Resource
	if of := s.OAuth.Resources.Of(g.Resource); of != nil {
		g.Connector = of.Title
	}
	if g.ClientName != "" {
		return nil
	}

	var err error
	g.ClientName, err = displayName(ctx, s, usage.ByClient, g.ClientID, names)
	return err
}

// Grant returns a grant, or ErrNotFound.
func (s *Service) Grant(ctx context.Context, id string) (*Grant, error) {
	g, err := s.OAuth.Grants.Find(ctx, id)
	if err != nil {
		return nil, refusal(err)
	}
	out := NewGrant(g)
	return &out, s.addState(ctx, &out, map[string]string{})
}

// GrantOf returns a grant of an account, or ErrNotFound.
func (s *Service) GrantOf(ctx context.Context, accountID, id string) (*Grant, error) {
	g, err := s.Grant(ctx, id)
	if err == nil && g.AccountID != accountID {
		return nil, ErrNotFound
	}
	return g, err
}

// NewGrant returns a grant as a row of a list.
func NewGrant(g *oauth.Grant) Grant {
	return Grant{
		ID:         g.ID,
		AccountID:  g.AccountID,
		Account:    g.Name,
		ClientID:   g.ClientID,
		ClientName: g.ClientName,
		Resource:   g.Resource,
		Scope:      append([]string{}, g.Scope...),
		Parent:     g.Parent,
		Created:    g.Created,
		Expires:    g.Expires,
		Used:       g.Used,
		Revoked:    g.Revoked,
		disabled:   g.Disabled,
	}
}

// RevokeGrant revokes a grant and everything issued under it, or fails with
// ErrNotFound. A grant that has ended stays as it is.
func (s *Service) RevokeGrant(ctx context.Context, by Actor, id string) error {
	g, err := s.OAuth.Grants.Find(ctx, id)
	if err != nil {
		return refusal(err)
	}

	return record(
		ctx,
		s.Audit,
		by,
		audit.GrantRevoked,
		id,
		g.Name+"; "+g.ClientID,
		refusal(s.OAuth.Grants.End(ctx, id)),
	)
}

// RevokeGrants revokes the grants of an account, of a client, or those of the
// account for the client, and returns how many. One of the two is required.
func (s *Service) RevokeGrants(
	ctx context.Context,
	by Actor,
	accountID, clientID string,
) (int, error) {
	if accountID == "" && clientID == "" {
		return 0, errWhoseGrants
	}
	n, err := s.OAuth.Grants.EndAll(ctx, accountID, clientID)
	var whose []string
	if accountID != "" {
		whose = append(whose, "all of the account; "+accountID)
	}
	if clientID != "" {
		whose = append(whose, "all for the client; "+clientID)
	}
	return n, record(
		ctx,
		s.Audit,
		by,
		audit.GrantRevoked,
		cmp.Or(clientID, accountID),
		fmt.Sprintf("%d; %s", n, strings.Join(whose, "; ")),
		refusal(err),
	)
}
