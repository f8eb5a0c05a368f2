package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"

	"rialto/internal/lru"
	"rialto/internal/quota"
	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// Fetcher reads documents at addresses that clients chose.
type Fetcher struct {
	HTTP *safehttp.Client // nil fetches nothing
	Env  *endpoint.Env

	fetching quota.Queue
}

// Documents finds clients whose ID is the URL of their metadata document.
type Documents struct {
	Store   DocumentStore
	Fetcher *Fetcher
	Policy  *Policy
	Env     *endpoint.Env

	fetches singleflight.Group
	failed  lru.Cache[string, time.Time] // by client ID
}

// How long a client's document is used. Its Cache-Control counts within limits; a document that
// cannot be fetched again is good for a week, because the servers of vendors have outages.
const (
	documentFresh    = time.Hour
	documentFreshMin = 5 * time.Minute
	documentFreshMax = 24 * time.Hour
	documentStale    = 7 * 24 * time.Hour
	documentRetry    = 5 * time.Minute // after a fetch that failed, when there is another to use
	maxDocumentID    = 512
	maxDocuments     = 10_000
	fetchesAtOnce    = 256             // so that a few hosts that do not answer leave places
	fetchTimeout     = 8 * time.Second // includes the wait for a place; clients give up after ten
)

// isID tells whether a client ID has the form of a document's URL. It refuses
// what two parsers could read differently.
func (ds *Documents) isID(id string) bool {
	if ds.Fetcher.HTTP == nil || len(id) > maxDocumentID {
		return false
	}
	uri, err := ParseRedirect(id)
	if err != nil || uri.URL.Path == "" || uri.URL.Path == "/" || uri.URL.RawQuery != "" ||
		uri.URL.ForceQuery {
		return false
	}
	return uri.URL.Scheme == "https" || ds.Fetcher.HTTP.Loopback && uri.URL.Scheme == "http"
}

// client returns the client that a document describes. If the document cannot be fetched, it uses
// the stored one, and then the one that ships with the server.
func (ds *Documents) client(r *http.Request, id string) (*oauth.Client, error) {
	ctx := r.Context()
	kept, err := ds.Store.Document(ctx, id)
	if err := oauth.IfNotFound(err, nil); err != nil {
		return nil, err
	}

	now := ds.Env.Now()
	if kept != nil && now.Before(kept.Fresh) {
		return ds.parse(id, []byte(kept.Body))
	}

	instead, err := fallback(id, kept, now)
	if err != nil {
		return nil, err
	}
	if failed, ok := ds.failed.Get(id); ok && instead != nil && now.Sub(failed) < documentRetry {
		return ds.parse(id, instead)
	}

	c, err := ds.fetchOnce(r, id)
	if err == nil {
		return c, nil
	}

	ds.Env.Log.WarnContext(
		ctx, "oauth: client document not fetched",
		"client", id,
		"another", instead != nil,
		"error", err,
	)
	if instead == nil {
		return nil, err
	}

	ds.failed.Put(id, now)
	return ds.parse(id, instead)
}

// fallback returns the document to use if the current one cannot be fetched, or nil.
func fallback(id string, kept *oauth.Document, now time.Time) ([]byte, error) {
	if kept != nil && now.Before(kept.Expires) {
		return []byte(kept.Body), nil
	}
	return pinnedDocument(id)
}

// fetchOnce fetches a document. Concurrent calls share one fetch, which
// continues when the first caller hangs up.
func (ds *Documents) fetchOnce(r *http.Request, id string) (*oauth.Client, error) {
	c, err, _ := ds.fetches.Do(id, func() (any, error) {
		return ds.fetchDocument(context.WithoutCancel(r.Context()), r, id)
	})
	if err != nil {
		return nil, err
	}
	return c.(*oauth.Client), nil
}

func (ds *Documents) fetchDocument(
	ctx context.Context, r *http.Request, id string,
) (*oauth.Client, error) {
	body, header, err := ds.Fetcher.fetch(ctx, r, id)
	if err != nil {
		return nil, err
	}

	c, err := ds.parse(id, body)
	if err != nil {
		return nil, err
	}

	now := ds.Env.Now()
	d := &oauth.Document{
		ID:      id,
		Body:    string(body),
		Fetched: now,
		Fresh:   now.Add(freshness(header)),
		Expires: now.Add(documentStale),
	}
	return c, ds.Store.KeepDocument(ctx, d, maxDocuments)
}

// fetch gets JSON from an address that a client chose. It counts for the network of the request.
// It does not count for the host: strangers could name other documents of a vendor until that
// of its client cannot be fetched. A host gets no more requests this way than strangers could
// send it themselves.
func (ft *Fetcher) fetch(
	ctx context.Context, r *http.Request, address string,
) ([]byte, http.Header, error) {
	if e := ft.Env.Allow(endpoint.Fetch, r); e != nil {
		return nil, nil, &documentError{
			unreachable: true,
			why:         "too many documents were requested",
			after:       e.RetryAfter,
			quota:       e.Quota,
		}
	}

	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	leave, err := ft.fetching.Acquire(
		ctx, "", quota.Room{Running: fetchesAtOnce, Waiting: fetchesAtOnce},
	)
	if err != nil {
		return nil, nil, &documentError{
			unreachable: true,
			why:         "too many documents are being fetched",
		}
	}
	defer leave()
	answer, err := ft.HTTP.Get(ctx, address)
	if err == nil && !endpoint.IsJSON(answer.Header) {
		err = fmt.Errorf("its type is %q", answer.Header.Get("Content-Type"))
	}
	if err == nil && len(answer.Body) > endpoint.MaxBody {
		err = safehttp.ErrTooLarge
	}
	if err != nil {
		return nil, nil, &documentError{unreachable: true, why: err.Error()}
	}

	return answer.Body, answer.Header, nil
}

// freshness is how long a document need not be fetched again.
func freshness(h http.Header) time.Duration {
	fresh := documentFresh
	for directive := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return documentFreshMin
		case "max-age":
			if n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
				fresh = time.Duration(n) * time.Second
			}
		}
	}

	return min(max(fresh, documentFreshMin), documentFreshMax)
}

// parse applies the rules for registrations, and those for documents alone: a document names
// itself, byte for byte, and holds no secret, because it is public.
func (ds *Documents) parse(id string, body []byte) (*oauth.Client, error) {
	var m struct {
		registration
		ID     string   `json:"client_id"`
		Secret string   `json:"client_secret"`
		Auth   []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, badDocument("It is not a JSON object of client metadata.")
	}
	if m.ID != id {
		return nil, badDocument("Its client_id is not the address where it is.")
	}
	if m.Secret != "" {
		return nil, badDocument("It holds a client_secret, which everybody can read there.")
	}

	methods := documentMethods(m.AuthMethod, m.Auth)
	if err := m.check(ds.Policy); err != nil {
		return nil, badDocument(endpoint.Description(err))
	}
	if !m.hasKeys() {
		methods = slices.DeleteFunc(
			methods, func(method string) bool { return method == oauth.AuthPrivateKeyJWT },
		)
	}
	if len(methods) == 0 {
		return nil, badDocument("Its client authenticates in no way that is possible here.")
	}

	grants, err := m.grantTypes()
	if err != nil {
		return nil, badDocument(endpoint.Description(err))
	}

	return &oauth.Client{
		ID:               id,
		Name:             m.name(),
		URI:              id,
		RedirectURIs:     m.RedirectURIs,
		AuthMethod:       methods[0],
		Keys:             string(m.JWKS),
		KeysURI:          m.JWKSURI,
		GrantTypes:       grants,
		Bound:            m.Bound,
		OtherAuthMethods: methods[1:],
		Documented:       true,
	}, nil
}

// documentMethods returns the authentication methods that both sides support, best first. ChatGPT
// lists its methods only in the plural member. A client without both members cannot authenticate.
func documentMethods(one string, several []string) []string {
	offered := append(slices.Clone(several), one)
	if one == "" && len(several) == 0 {
		offered = []string{oauth.AuthNone}
	}
	return slices.DeleteFunc(
		[]string{oauth.AuthPrivateKeyJWT, oauth.AuthNone},
		func(method string) bool { return !slices.Contains(offered, method) },
	)
}

// documentError says why a client's document could not be used.
type documentError struct {
	unreachable bool // temporary
	why         string
	after       time.Duration
	quota       quota.Policy
}

func badDocument(why string) error { return &documentError{why: why} }

func (e *documentError) Error() string { return "client document: " + e.why }

// Problem says it to a person.
func (e *documentError) Problem() *oauth.Problem {
	if e.unreachable {
		return &oauth.Problem{
			Code:       "client_document_unreachable",
			Status:     http.StatusServiceUnavailable,
			Title:      "The app can't be checked now",
			Detail:     "The document that describes the app couldn't be fetched from the app's makers.",
			Remedy:     "Try again in a minute. If it happens again, tell the people who make the app.",
			RetryAfter: max(e.after, time.Minute),
			Quota:      e.quota,
		}
	}
	return endpoint.NotConnected(
		"bad_client_document", "The document that describes the app is wrong. "+e.why,
	)
}

// Refusal says it to a client.
func (e *documentError) Refusal() *oauth.Error {
	if e.unreachable {
		return &oauth.Error{
			Code:        "temporarily_unavailable",
			Description: "The client's metadata document could not be fetched.",
			RetryAfter:  max(e.after, time.Minute),
			Quota:       e.quota,
		}
	}
	return oauth.Refuse("invalid_client", "The client's metadata document is wrong. %s", e.why)
}
