package token

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
)

// Guard protects resources with access tokens.
type Guard struct {
	// Resource is the one that tokens must be for; nil accepts those for any.
	Resource *oauth.Resource

	Tokens    *Tokens
	Proofs    *Proofs
	Upstreams *Upstreams
	Scopes    *oauth.Scopes
	Env       *endpoint.Env
}

// Require passes a request on to next if its access token meets all scopes (ScopeSet.Meets), with
// its Principal in the context. It answers other requests before their body is read, with a
// challenge that leads the client to us (RFC 6750 section 3, RFC 9728 section 5.1).
//
// A token ends with its grant, and ScopeAdmin with the role: at once in the
// process that revoked it, within two seconds in others that share the store.
// If the store does not answer, no request gets through. The context of a request
// that is still being answered ends up to a minute after its grant.
//
// It does not answer CORS preflight requests, which carry no token: mount a
// handler of OPTIONS before it.
func (gd *Guard) Require(next http.Handler, scopes ...string) http.Handler {
	return gd.guard(next, scopes, func(p oauth.Principal) bool { return p.Scope.Meets(scopes...) })
}

// RequireAny is Require with any of scopes. The handler decides by the request
// which scope it needs, and refuses with ScopeChallenge.
func (gd *Guard) RequireAny(next http.Handler, scopes ...string) http.Handler {
	return gd.guard(
		next, scopes, func(p oauth.Principal) bool { return slices.ContainsFunc(scopes, p.Has) },
	)
}

func (gd *Guard) guard(
	next http.Handler, scopes []string, enough func(oauth.Principal) bool,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := gd.authenticate(r)
		if err == nil && !enough(p) {
			err = oauth.Refuse(
				"insufficient_scope", "The access token does not hold every scope that this needs.",
			)
		}
		if err != nil {
			gd.challenge(w, r, err, scopes)
			return
		}
		ctx, stop := gd.whileGranted(oauth.NewContext(r.Context(), p), p)
		defer stop()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// recheck is the time between two looks at whether a stream may go on.
const recheck = time.Minute

// whileGranted returns a context that ends with the grant or the resource of a principal. That its
// token has expired does not end it. Tokens of other issuers have no grant.
func (gd *Guard) whileGranted(
	ctx context.Context, p oauth.Principal,
) (_ context.Context, stop func()) {
	if p.GrantID == "" {
		return ctx, func() {}
	}
	ctx, end := context.WithCancel(ctx)
	timer := gd.recheckLater(ctx, p, end)
	return ctx, func() {
		timer.Stop()
		end()
	}
}

func (gd *Guard) recheckLater(
	ctx context.Context, p oauth.Principal, end context.CancelFunc,
) *time.Timer {
	return time.AfterFunc(recheck, func() {
		_, _, err := gd.Tokens.granted(ctx, p, time.Now().Add(endpoint.WaitTimeout))
		_, refused := errors.AsType[*oauth.Error](err)
		switch {
		case ctx.Err() != nil:
		case refused:
			end()
		default:
			gd.recheckLater(ctx, p, end)
		}
	})
}

// ErrNoToken is no *oauth.Error, because a challenge to a request without a
// token has no error code (RFC 6750 section 3.1).
var ErrNoToken = errors.New("oauth: no token")

// authenticate returns the principal of a request's token. All waits together end
// after endpoint.WaitTimeout. Each sets its timer only when it waits, because most
// requests hit the caches.
func (gd *Guard) authenticate(r *http.Request) (p oauth.Principal, err error) {
	scheme, token, err := Presented(r)
	if err != nil {
		return p, err
	}

	until := time.Now().Add(endpoint.WaitTimeout)
	if u := gd.Upstreams.of(token); u != nil {
		ctx, cancel := context.WithDeadline(r.Context(), until)
		defer cancel()
		p, err = gd.Upstreams.principal(ctx, u, token)
	} else {
		p, _, err = gd.Tokens.Alive(r.Context(), token, until)
	}
	if err != nil {
		return oauth.Principal{}, err
	}
	if err := gd.checkPossession(r, scheme, token, p.KeyThumbprint, until); err != nil {
		return oauth.Principal{}, err
	}

	return p, gd.checkResource(p)
}

// For returns the guard of one resource. Its challenges lead to the metadata of the resource.
func (gd *Guard) For(resource *oauth.Resource) *Guard {
	one := *gd
	one.Resource = resource
	return &one
}

// checkResource checks that a token is for the guarded resource.
func (gd *Guard) checkResource(p oauth.Principal) error {
	if gd.Resource != nil && gd.Resource.URL != p.Resource {
		return BadToken(anotherResource)
	}
	return nil
}

// The schemes of the Authorization header.
const (
	SchemeBearer = "Bearer"
	schemeDPoP   = "DPoP"
)

// checkPossession checks that a token bound to a key comes with a proof under
// the scheme DPoP, and any other token under Bearer (RFC 9449 section 7).
func (gd *Guard) checkPossession(
	r *http.Request,
	scheme, token, jkt string,
	until time.Time,
) error {
	switch {
	case jkt == "" && scheme == SchemeBearer:
		return nil
	case jkt == "":
		return BadToken("It is not bound to a key and comes under the scheme Bearer.")
	case scheme == SchemeBearer:
		return BadToken("It is bound to a key and comes under the scheme DPoP.")
	}
	ctx, cancel := context.WithDeadline(r.Context(), until)
	defer cancel()
	bounded := r.WithContext(ctx)
	proven, err := gd.Proofs.Verify(bounded, gd.origin(), token)
	r.Body = bounded.Body
	if err == nil && proven == "" {
		err = BadProof("There is none.")
	}
	if err == nil && proven != jkt {
		err = BadToken("It is bound to another key than the proof's.")
	}
	return err
}

// Presented returns the request's token and its scheme. It must be in one Authorization header: a
// token in a URL ends up in logs (RFC 6750 section 5.3).
func Presented(r *http.Request) (scheme, token string, err error) {
	if strings.Contains(r.URL.RawQuery, "access_token") && r.URL.Query().Has("access_token") {
		return "", "", oauth.BadRequest("A token belongs into the Authorization header.")
	}

	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", "", oauth.BadRequest("There is more than one Authorization header.")
	}
	if len(headers) == 0 {
		return "", "", ErrNoToken
	}

	word, token, _ := strings.Cut(headers[0], " ")
	for _, scheme := range []string{SchemeBearer, schemeDPoP} {
		if strings.EqualFold(word, scheme) {
			return scheme, token, nil
		}
	}

	return "", "", ErrNoToken
}

// challenge is the one place where a refusal of the guard becomes bytes.
func (gd *Guard) challenge(w http.ResponseWriter, r *http.Request, err error, scopes []string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", endpoint.ExposedHeaders)
	if errors.Is(err, ErrNoToken) {
		h.Set("WWW-Authenticate", "Bearer "+gd.discovery(gd.initialScopes(scopes)))
		endpoint.WriteJSON(w, http.StatusUnauthorized, struct {
			Error string `json:"error"`
		}{"unauthorized"})
		return
	}

	e := gd.Env.AsError(r.Context(), err)
	if e.Code == "invalid_dpop_proof" || e.Code == "use_dpop_nonce" {
		e = &oauth.Error{
			Code:        e.Code,
			Description: e.Description,
			HTTPStatus:  http.StatusUnauthorized,
		} // RFC 9449 section 7.1
	}
	if e.Code != "temporarily_unavailable" && e.HTTPStatus != http.StatusNotFound {
		wanted := gd.initialScopes(scopes)
		if e.Code == "insufficient_scope" {
			wanted = scopes
		}
		h.Set(
			"WWW-Authenticate",
			challengeScheme(r)+` error="`+e.Code+`", error_description="`+e.Description+
				`", `+gd.discovery(wanted),
		)
	}

	gd.Env.WriteError(w, r, e)
}

// ScopeChallenge returns the WWW-Authenticate header of a 403 to a token that lacks scopes, for
// handlers that know only by the body what a request needs (RFC 6750 section 3.1).
func (gd *Guard) ScopeChallenge(scopes ...string) string {
	return `Bearer error="insufficient_scope", ` +
		`error_description="The access token does not hold every scope that this needs.", ` +
		gd.discovery(scopes)
}

// challengeScheme returns the scheme to answer in, with what belongs to it. It does not mention
// DPoP to other clients: some read only the first word of the first challenge.
func challengeScheme(r *http.Request) string {
	if scheme, _, err := Presented(r); err == nil && scheme == schemeDPoP {
		return schemeDPoP + ` algs="` + strings.Join(jwt.Algorithms(), " ") + `",`
	}
	return SchemeBearer
}

// initialScopes returns the scopes that a client should ask for first: all ordinary ones, because
// most clients cannot ask for more later, and the needed ones.
func (gd *Guard) initialScopes(needed []string) oauth.ScopeSet {
	all := oauth.ParseScope(strings.Join(append(gd.Scopes.Ordinary(), needed...), " "))
	return gd.resource().Within(all)
}

// discovery renders the parameters that lead a client to us.
func (gd *Guard) discovery(scopes oauth.ScopeSet) string {
	return `resource_metadata="` + gd.resourceMetadataURL() + `", scope="` + scopes.String() + `"`
}

// resource returns the one that challenges lead to.
func (gd *Guard) resource() *oauth.Resource {
	if gd.Resource != nil {
		return gd.Resource
	}
	return gd.Tokens.Resources.Default()
}

// origin returns that of the resource: it may have a host of its own.
func (gd *Guard) origin() string {
	resource := gd.resource().URL
	return strings.TrimSuffix(resource, oauth.PathOf(resource))
}

func (gd *Guard) resourceMetadataURL() string {
	return gd.origin() + oauth.ResourceMetadataPath + oauth.PathOf(gd.resource().URL)
}
