package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"rialto/oauth"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Clients finds clients: those of the operator, those with a metadata document,
// and those that registered.
type Clients struct {
	Configured []Configured
	Documents  *Documents
	Policy     *Policy
	Store      Store
	Grants     *token.Grants
	Env        *endpoint.Env

	recent cache.Recent[*oauth.Client] // that registered
}

// Find returns the client with an ID that a request names. Do not change it: it is shared.
func (cs *Clients) Find(r *http.Request, id string) (*oauth.Client, error) {
	if c := cs.configured(id); c != nil {
		return c, nil
	}
	if cs.Documents.isID(id) {
		return cs.Documents.client(r, id)
	}
	return cs.recent.Get(
		id, cs.Env.Now(), func() (*oauth.Client, error) { return cs.Registered(r.Context(), id) },
	)
}

// Registered finds a client that registered itself.
func (cs *Clients) Registered(ctx context.Context, id string) (*oauth.Client, error) {
	if !secret.Is(id, secret.ClientPrefix) {
		return nil, oauth.ErrNotFound
	}
	return cs.Store.Client(ctx, id)
}

// forgetRecent makes the next request read its client from the store.
func (cs *Clients) forgetRecent() { cs.recent.Forget() }

// AllConfigured returns the clients that the operator set up, as those that registered look like.
func (cs *Clients) AllConfigured() []*oauth.Client {
	var all []*oauth.Client
	for i := range cs.Configured {
		all = append(all, cs.Configured[i].client())
	}
	return all
}

// Parse returns the client that a document of the store describes. It fetches nothing.
func (ds *Documents) Parse(d *oauth.Document) (*oauth.Client, error) {
	return ds.parse(d.ID, []byte(d.Body))
}

// NameOf returns what a client calls itself, or its ID if nothing is known of
// it any more. It fetches nothing.
func (cs *Clients) NameOf(ctx context.Context, id string) (string, error) {
	if c := cs.configured(id); c != nil {
		return c.Name, nil
	}

	c, err := cs.Store.Client(ctx, id)
	if errors.Is(err, oauth.ErrNotFound) {
		c, err = cs.Documents.kept(ctx, id)
	}
	if errors.Is(err, oauth.ErrNotFound) {
		return id, nil
	}
	if err != nil {
		return "", err
	}

	return c.Name, nil
}

// kept returns the client of a document that the store has. One that is not understood is none.
func (ds *Documents) kept(ctx context.Context, id string) (*oauth.Client, error) {
	d, err := ds.Store.Document(ctx, id)
	if err != nil {
		return nil, err
	}
	c, err := ds.Parse(d)
	if err != nil {
		return nil, oauth.ErrNotFound
	}
	return c, nil
}

// RedirectHost returns the host that a redirect URI leads to, or the scheme and
// host of one for an app; the URI itself if it is none.
func RedirectHost(uri string) string {
	to, err := ParseRedirect(uri)
	if err != nil {
		return uri
	}
	return to.Host()
}

// Forget forgets a client that registered, or its document, and ends every
// grant that it has. It returns ErrNotFound if there is neither.
func (cs *Clients) Forget(ctx context.Context, id string) error {
	err := cs.Store.RemoveClient(ctx, id, cs.Env.Now())
	if errors.Is(err, oauth.ErrNotFound) {
		err = cs.Documents.Store.DropDocument(ctx, id)
	}

	cs.forgetRecent()
	cs.Grants.Forget()
	if err == nil {
		_, err = cs.Grants.EndAll(ctx, "", id)
	}
	if err == nil {
		cs.Env.Log.InfoContext(ctx, "oauth: client removed by the operator", "client", id)
	}

	return err
}

// Issued is a client that was registered by hand, with the secret that it is
// told once; "" for one that keeps none.
type Issued struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret,omitempty"`
}

// Add registers a client that an operator describes, under the rules
// for those that register themselves. An *Error says what they refuse.
func (rg *Registration) Add(
	ctx context.Context,
	name string,
	redirectURIs []string,
	keepsSecret bool,
) (*Issued, error) {
	method := oauth.AuthNone
	if keepsSecret {
		method = oauth.AuthPost
	}

	body, err := json.Marshal(map[string]any{
		"client_name":                name,
		"redirect_uris":              redirectURIs,
		"token_endpoint_auth_method": method,
	})
	if err != nil {
		return nil, badMetadata("The name isn't text.")
	}

	c, err := rg.Policy.parseRegistration(body)
	if err != nil {
		return nil, err
	}

	answer := rg.admit(c)
	if err := rg.Clients.Store.AddClient(ctx, c, maxClients); err != nil {
		return nil, err
	}

	rg.Env.Log.InfoContext(
		ctx, "oauth: client registered by the operator",
		"client", c.ID,
		"name", c.Name,
		"redirect_uris", c.RedirectURIs,
	)
	return &Issued{answer.ID, answer.Secret}, nil
}
