package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"rialto/internal/guardhttp"
)

// How long a client's document is believed. What its server says of caching
// counts within limits; a document that cannot be fetched again is good for a
// week, because the servers of vendors have outages.
const (
	documentFresh    = time.Hour
	documentFreshMin = 5 * time.Minute
	documentFreshMax = 24 * time.Hour
	documentStale    = 7 * 24 * time.Hour
	documentRetry    = 5 * time.Minute // after a fetch that failed, when there is another to use
	maxDocumentID    = 512
	maxDocuments     = 10_000
	fetchesAtOnce    = 8
	fetchTimeout     = 8 * time.Second // with the wait for a place; clients give up after ten
)

// Document is what a client says of itself at the URL that is its ID (Client
// ID Metadata Documents, draft-ietf-oauth-client-id-metadata-document).
type Document struct {
	ID      string // the URL
	Body    string // JSON
	Fetched time.Time
	Fresh   time.Time // until when it is not fetched again
	Expires time.Time // until when it may stand in for one that cannot be fetched
}

// isDocumentID tells whether a client ID is the URL of a document, by its
// form alone. What parsers could take for different things is refused, so
// nothing is fetched for it.
func (s *Server) isDocumentID(id string) bool {
	if s.Fetch == nil || len(id) > maxDocumentID {
		return false
	}
	uri, err := parseRedirect(id)
	if err != nil || uri.u.Path == "" || uri.u.Path == "/" || uri.u.RawQuery != "" || uri.u.ForceQuery {
		return false
	}
	return uri.u.Scheme == "https" || s.Fetch.Loopback && uri.u.Scheme == "http"
}

// documentedClient returns the client that a document describes. When the
// document cannot be fetched, the one that was kept speaks for it, and after
// that the one that ships with the server.
func (s *Server) documentedClient(ctx context.Context, id string) (*Client, error) {
	kept, err := s.Store.Document(ctx, id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	now := s.Now()
	if kept != nil && now.Before(kept.Fresh) {
		return s.parseDocument(id, []byte(kept.Body))
	}
	instead, err := insteadOf(id, kept, now)
	if err != nil {
		return nil, err
	}
	if failed, ok := s.fetchFailed.get(id); ok && instead != nil && now.Sub(failed) < documentRetry {
		return s.parseDocument(id, instead)
	}
	c, err := s.fetchOnce(ctx, id)
	if err == nil {
		return c, nil
	}
	s.Log.WarnContext(ctx, "oauth: client document not fetched", "client", id, "another", instead != nil, "error", err)
	if instead == nil {
		return nil, err
	}
	s.fetchFailed.put(id, now)
	return s.parseDocument(id, instead)
}

// insteadOf returns the document to use when one cannot be fetched, or nil.
func insteadOf(id string, kept *Document, now time.Time) ([]byte, error) {
	if kept != nil && now.Before(kept.Expires) {
		return []byte(kept.Body), nil
	}
	return pinnedDocument(id)
}

// fetchOnce fetches a document. Those who ask for one at the same time wait
// for the same fetch, which goes on when the first of them hangs up.
func (s *Server) fetchOnce(ctx context.Context, id string) (*Client, error) {
	c, err, _ := s.fetches.Do(id, func() (any, error) {
		return s.fetchDocument(context.WithoutCancel(ctx), id)
	})
	if err != nil {
		return nil, err
	}
	return c.(*Client), nil
}

func (s *Server) fetchDocument(ctx context.Context, id string) (*Client, error) {
	body, header, err := s.fetch(ctx, id)
	if err != nil {
		return nil, err
	}
	c, err := s.parseDocument(id, body)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	d := &Document{ID: id, Body: string(body), Fetched: now, Fresh: now.Add(freshness(header)), Expires: now.Add(documentStale)}
	return c, s.Store.KeepDocument(ctx, d, maxDocuments)
}

// fetch gets JSON from an address that a stranger chose.
func (s *Server) fetch(ctx context.Context, address string) ([]byte, http.Header, error) {
	if err := s.limitFetch(address); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	leave, err := s.fetching.enter(ctx, fetchesAtOnce)
	if err != nil {
		return nil, nil, &errDocument{unreachable: true, why: "too many documents are being fetched"}
	}
	defer leave()
	answer, err := s.Fetch.Get(ctx, address)
	if err == nil && !isJSON(answer.Header) {
		err = fmt.Errorf("its type is %q", answer.Header.Get("Content-Type"))
	}
	if err == nil && len(answer.Body) > maxBody {
		err = guardhttp.ErrTooLarge
	}
	if err != nil {
		return nil, nil, &errDocument{unreachable: true, why: err.Error()}
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

func isJSON(h http.Header) bool {
	t := mediaType(h)
	return t == "application/json" || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json")
}

// parseDocument decides about a document as about a registration, and about
// what only a document has: it names itself, byte for byte, and it holds no
// secret, since everybody can read it.
func (s *Server) parseDocument(id string, body []byte) (*Client, error) {
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
	if err := m.checkRedirects(s.schemes(), s.RedirectPrefixes); err != nil {
		return nil, badDocument(asDescription(err))
	}
	if err := m.checkKeys(s.Fetch != nil); err != nil {
		return nil, badDocument(asDescription(err))
	}
	if !m.hasKeys() {
		methods = slices.DeleteFunc(methods, func(method string) bool { return method == authKey })
	}
	if len(methods) == 0 {
		return nil, badDocument("Its client authenticates in no way that is possible here.")
	}
	grants, err := m.grantTypes()
	if err != nil {
		return nil, badDocument(asDescription(err))
	}
	return &Client{
		ID:           id,
		Name:         m.name(),
		URI:          id,
		RedirectURIs: m.RedirectURIs,
		AuthMethod:   methods[0],
		Keys:         string(m.JWKS),
		KeysURI:      m.JWKSURI,
		GrantTypes:   grants,
		Bound:        m.Bound,
		otherMethods: methods[1:],
		documented:   true,
	}, nil
}

// documentMethods returns the ways to authenticate that both sides know, best
// first. The plural member, where a client has it, lists what else it can do;
// to read the singular alone would shut ChatGPT out. A client that says
// nothing has nothing to prove itself with.
func documentMethods(one string, several []string) []string {
	offered := append(slices.Clone(several), one)
	if one == "" && len(several) == 0 {
		offered = []string{authNone}
	}
	return slices.DeleteFunc([]string{authKey, authNone}, func(method string) bool { return !slices.Contains(offered, method) })
}

// limitFetch bounds what strangers can make the server fetch: from one host,
// which may be the victim, and in all.
func (s *Server) limitFetch(id string) error {
	u, err := url.Parse(id)
	if err != nil {
		return err
	}
	wait := s.take("fetch "+strings.ToLower(u.Host), 6*time.Second, 10)
	if wait == 0 {
		wait = s.take("fetch", time.Second/2, 120)
	}
	if wait > 0 {
		return &errDocument{unreachable: true, why: "too many documents were asked for", after: wait}
	}
	return nil
}

// errDocument is why a client's document could not be used.
type errDocument struct {
	unreachable bool // it may be there later; the client is not unknown
	why         string
	after       time.Duration
}

func badDocument(why string) error { return &errDocument{why: why} }

func (e *errDocument) Error() string { return "client document: " + e.why }

// problem says it to a person.
func (e *errDocument) problem() *problem {
	if e.unreachable {
		return &problem{
			status: http.StatusServiceUnavailable,
			title:  "The app cannot be checked now",
			detail: "The document that describes the app could not be fetched from the app's makers.",
			remedy: "Try again in a minute. If it happens again, tell the people who make the app.",
			after:  max(e.after, time.Minute),
		}
	}
	return badLink(http.StatusBadRequest, "The document that describes the app is wrong. "+e.why)
}

// refusal says it to a client.
func (e *errDocument) refusal() *Error {
	if e.unreachable {
		return &Error{Code: "temporarily_unavailable", Description: "The client's metadata document could not be fetched.", after: max(e.after, time.Minute)}
	}
	return refuse("invalid_client", "The client's metadata document is wrong. %s", e.why)
}
