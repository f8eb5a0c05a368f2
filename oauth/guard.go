package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Guard lets only requests through to next that bear an access token that is
// enough for all of scopes (ScopeSet.Meets), and puts their Principal into the context. It answers the others
// before their body is read, with a challenge that tells a client where to
// begin (RFC 6750 section 3, RFC 9728 section 5.1).
//
// A token dies with its grant, and the operator's scope with the role: at once in the process that revoked it, within
// two seconds in others that share the store. When the store cannot be asked
// nobody is let through.
//
// Guard does not answer CORS preflight requests, which carry no token: whoever
// mounts it serves OPTIONS before it.
func (s *Server) Guard(next http.Handler, scopes ...string) http.Handler {
	return s.guard(next, scopes, func(p Principal) bool { return p.Scope.Meets(scopes...) })
}

// GuardAny is Guard for what one of scopes may be enough for: only who serves it
// can tell by the request which, and says so with ScopeChallenge.
func (s *Server) GuardAny(next http.Handler, scopes ...string) http.Handler {
	return s.guard(next, scopes, func(p Principal) bool { return slices.ContainsFunc(scopes, p.Has) })
}

func (s *Server) guard(next http.Handler, scopes []string, enough func(Principal) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.offerNonce(w, r)
		p, err := s.admitted(r)
		if err == nil && !enough(p) {
			err = refuse("insufficient_scope", "The access token does not hold every scope that this needs.")
		}
		if err != nil {
			s.challenge(w, r, err, scopes)
			return
		}
		next.ServeHTTP(w, r.WithContext(newContext(r.Context(), p)))
	})
}

// errNoToken is no *Error: a request without a token learns what to do, not
// that it did something wrong (RFC 6750 section 3.1).
var errNoToken = errors.New("oauth: no token")

// admitted returns who the request's token stands for. What is guarded may take its
// time, and who comes in may not: all waits on the way end at one time. Each of them
// sets its clock itself, for most requests come right after another and wait for nothing.
func (s *Server) admitted(r *http.Request) (Principal, error) {
	scheme, token, err := presented(r)
	if err != nil {
		return Principal{}, err
	}
	var p Principal
	until := time.Now().Add(patience)
	if u := s.upstreamOf(token); u != nil {
		ctx, cancel := context.WithDeadline(r.Context(), until)
		defer cancel()
		p, err = s.admittedFrom(ctx, u, token)
	} else {
		p, _, err = s.alive(r.Context(), token, until)
	}
	if err != nil {
		return Principal{}, err
	}
	return p, s.checkPossession(r, scheme, token, p.jkt, until)
}

// alive returns whom an access token stands for and the grant behind it, if
// both are in force. Who presents the token is another question. It waits for the
// store no longer than until.
func (s *Server) alive(ctx context.Context, token string, until time.Time) (Principal, *Grant, error) {
	p, err := s.verifyCached(ctx, token, until)
	if err != nil {
		return Principal{}, nil, err
	}
	g, err := s.liveGrant(ctx, p.GrantID, until)
	if err != nil {
		return Principal{}, nil, err
	}
	if g == nil || g.AccountID != p.User || g.ClientID != p.ClientID {
		return Principal{}, nil, badToken("It was revoked.")
	}
	p.Name, p.Scope = g.Name, g.allows(p.Scope)
	return p, g, nil
}

// The schemes of the Authorization header.
const (
	schemeBearer = "Bearer"
	schemeDPoP   = "DPoP"
)

// checkPossession decides whether who presents a token may: one that is bound
// to a key comes with a proof, under the scheme for that, and no other token
// does (RFC 9449 section 7).
func (s *Server) checkPossession(r *http.Request, scheme, token, jkt string, until time.Time) error {
	switch {
	case jkt == "" && scheme == schemeBearer:
		return nil
	case jkt == "":
		return badToken("It is not bound to a key and comes under the scheme Bearer.")
	case scheme == schemeBearer:
		return badToken("It is bound to a key and comes under the scheme DPoP.")
	}
	ctx, cancel := context.WithDeadline(r.Context(), until)
	defer cancel()
	proven, err := s.proven(r.WithContext(ctx), token)
	if err == nil && proven == "" {
		err = badProof("There is none.")
	}
	if err == nil && proven != jkt {
		err = badToken("It is bound to another key than the proof's.")
	}
	return err
}

// presented returns the request's token and its scheme. It comes in one Authorization header and
// nowhere else: a token in a URL ends up in logs (RFC 6750 section 5.3).
func presented(r *http.Request) (scheme, token string, err error) {
	if strings.Contains(r.URL.RawQuery, "access_token") && r.URL.Query().Has("access_token") {
		return "", "", refuse("invalid_request", "A token belongs into the Authorization header.")
	}
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", "", refuse("invalid_request", "There is more than one Authorization header.")
	}
	if len(headers) == 0 {
		return "", "", errNoToken
	}
	word, token, _ := strings.Cut(headers[0], " ")
	for _, scheme := range []string{schemeBearer, schemeDPoP} {
		if strings.EqualFold(word, scheme) {
			return scheme, token, nil
		}
	}
	return "", "", errNoToken
}

// verifyCached verifies a token, or remembers that it did.
func (s *Server) verifyCached(ctx context.Context, token string, until time.Time) (Principal, error) {
	if len(token) > maxToken {
		return Principal{}, badToken("It is too long.")
	}
	var room [1024]byte // as most tokens need, and not on the heap
	key := sha256.Sum256(append(room[:0], token...))
	if p, ok := s.verified.get(key); ok && s.Now().Before(p.Expires) {
		return p, nil
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	p, err := s.verify(ctx, token)
	if err == nil {
		s.verified.put(key, p)
	}
	return p, err
}

// challenge is the one place where a refusal at the resource becomes bytes.
func (s *Server) challenge(w http.ResponseWriter, r *http.Request, err error, scopes []string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposedHeaders)
	if errors.Is(err, errNoToken) {
		h.Set("WWW-Authenticate", "Bearer "+s.whereToBegin(s.everyday(scopes)))
		writeJSON(w, http.StatusUnauthorized, struct {
			Error string `json:"error"`
		}{"unauthorized"})
		return
	}
	e := s.asError(r.Context(), err)
	if e.Code == "invalid_dpop_proof" || e.Code == "use_dpop_nonce" {
		e = &Error{Code: e.Code, Description: e.Description, status: http.StatusUnauthorized} // RFC 9449 section 7.1
	}
	if e.Code != "temporarily_unavailable" {
		wanted := s.everyday(scopes)
		if e.Code == "insufficient_scope" {
			wanted = scopes
		}
		h.Set("WWW-Authenticate", challengeScheme(r)+` error="`+e.Code+`", error_description="`+e.Description+`", `+s.whereToBegin(wanted))
	}
	s.writeError(w, r, e)
}

// ScopeChallenge returns the WWW-Authenticate header of a 403 to a token that
// lacks scopes, for those behind the guard that know only by the request's body
// what it needs (RFC 6750 section 3.1).
func (s *Server) ScopeChallenge(scopes ...string) string {
	return `Bearer error="insufficient_scope", error_description="The access token does not hold every scope that this needs.", ` + s.whereToBegin(scopes)
}

// challengeScheme returns the scheme to answer in, with what belongs to it. Who
// knows nothing of DPoP is not told of it: some clients read one challenge only,
// and of that the first word.
func challengeScheme(r *http.Request) string {
	if scheme, _, err := presented(r); err == nil && scheme == schemeDPoP {
		return schemeDPoP + ` algs="` + strings.Join(assertionAlgs(), " ") + `",`
	}
	return schemeBearer
}

// everyday returns what a client should ask for at first: everything ordinary,
// because most clients cannot ask for more later, and what this needs.
func (s *Server) everyday(needed []string) ScopeSet {
	return parseScope(strings.Join(append(s.ordinary(), needed...), " "))
}

// whereToBegin renders the parameters that lead a client to us.
func (s *Server) whereToBegin(scopes ScopeSet) string {
	return `resource_metadata="` + s.resourceMetadataURL() + `", scope="` + scopes.String() + `"`
}

func (s *Server) resourceMetadataURL() string {
	u, err := url.Parse(s.Resource)
	if err != nil {
		return s.Resource
	}
	return u.Scheme + "://" + u.Host + resourceMetadataPath + u.Path
}

// liveGrant returns a grant if it is alive, or nil.
func (s *Server) liveGrant(ctx context.Context, id string, until time.Time) (*Grant, error) {
	g, err := s.grants.get(id, s.Now(), func() (*Grant, error) {
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		g, err := s.Store.Grant(ctx, id)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err == nil {
			s.noteUse(id)
		}
		return g, err
	})
	if err != nil || g == nil || !g.Live(s.Now()) {
		return nil, err
	}
	return g, nil
}

// revokeGrant ends a grant, at once for this process.
func (s *Server) revokeGrant(ctx context.Context, id, why string) error {
	err := s.Store.RevokeGrant(ctx, id, s.Now())
	s.forgetGrants()
	if err == nil {
		s.Log.InfoContext(ctx, "oauth: grant revoked", "grant", id, "why", why)
	}
	return err
}

// forgetGrants makes the next request read its grant from the store.
func (s *Server) forgetGrants() { s.grants.forget() }

// grantEpoch counts the revocations of this process.
func (s *Server) grantEpoch() int { return s.grants.current() }

// noteUse records in memory that a grant is used now.
func (s *Server) noteUse(id string) { s.uses.note(id, s.Now()) }
