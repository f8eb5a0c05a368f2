package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"rialto/internal/sealed"
	"rialto/templates"
)

// pastedIssuer stands before the names of accounts that come of pasted tokens.
const pastedIssuer = "token"

// voucher is what a pasted token said. It goes through the form, sealed, when
// the person has yet to see it: the token itself is kept nowhere and shown to
// nobody again.
type voucher struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	Name     string   `json:"name"`
	UseCases []string `json:"usecases"` // "*" stands for all
	Scope    ScopeSet `json:"scope"`    // all that the token holds
	Expires  int64    `json:"exp"`
}

// readToken decides what a pasted access token of the configured issuer
// vouches for.
func (s *Server) readToken(ctx context.Context, token string) (*voucher, error) {
	token = strings.TrimSpace(token)
	if scheme, rest, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "Bearer") {
		token = strings.TrimSpace(rest) // as it stands in a command
	}
	claims, err := s.verifyForeign(ctx, s.Pasted, token)
	if err != nil {
		return nil, err
	}
	if claims.Key != nil {
		// What it opened here would be free of the key: a thief without the key
		// could paste it, too.
		return nil, badToken("It is bound to a key of the app that it was made for, and cannot be pasted.")
	}
	v := &voucher{Issuer: claims.Issuer, Subject: claims.Subject, Scope: parseScope(claims.Scope), Expires: claims.Expires}
	v.UseCases = namedUseCases(v.Scope)
	if len(v.UseCases) == 0 {
		return nil, badToken("It names no use case: its scope must hold mcp:tools:<use case> or mcp:tools:*.")
	}
	v.Name = accountName(pastedIssuer, claims.Subject, claims.Subject)
	return v, nil
}

// namedUseCases returns the use cases that scopes of another issuer name. A
// bare mcp:tools, which opens all of them here, names none: there it may mean
// anything.
func namedUseCases(scope ScopeSet) []string {
	var all []string
	for _, word := range scope {
		switch useCase := UseCase(word); useCase {
		case "":
		case "*":
			return []string{"*"}
		default:
			all = append(all, useCase)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// opens returns the part of what was chosen that the token is about. That tools
// are for some use cases only is for session to say.
func (v *voucher) opens(chosen ScopeSet) ScopeSet {
	return slices.DeleteFunc(slices.Clone(chosen), func(scope string) bool {
		return scope != offlineAccess && scope != ScopeTools && UseCase(scope) == "" && !v.Scope.Has(scope)
	})
}

// session returns what an account may grant for which the token vouches: what an
// identity provider said of the same person counts, too. It is no session of the browser: the token is for one request alone.
func (v *voucher) session(a *Account, now time.Time) *Session {
	session := &Session{AccountID: a.ID, Name: a.Name, UseCases: a.UseCases, Created: now, GrantsUntil: v.expires()}
	if !slices.Contains(v.UseCases, "*") {
		session.vouched = v.UseCases
	}
	return session
}

func (v *voucher) expires() time.Time { return time.Unix(v.Expires, 0) }

// shown is what the page says of the voucher; the form sends it back.
func (v *voucher) shown() string { return strings.Join(v.UseCases, " ") }

// sealVoucher makes a voucher fit for the form of one request.
func (s *Server) sealVoucher(v *voucher, handle string) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return sealed.Seal(s.Secret, "voucher|"+handle, plain)
}

// openVoucher is the reverse of sealVoucher.
func (s *Server) openVoucher(text, handle string) (*voucher, error) {
	plain, err := sealed.Open(s.Secret, "voucher|"+handle, text)
	if err != nil {
		return nil, badLink(http.StatusBadRequest, "The form was not complete.")
	}
	v := &voucher{}
	if err := json.Unmarshal(plain, v); err != nil {
		return nil, err
	}
	if !s.Now().Before(v.expires()) {
		return nil, badToken("It has expired.")
	}
	return v, nil
}

// approveByToken takes an approval for which a pasted token vouches. Nothing is
// granted before the person has seen the use case: the script of the page shows
// it while they paste, and without it the page comes again and says it.
func (s *Server) approveByToken(w http.ResponseWriter, r *http.Request, f form, q ask) error {
	if s.Pasted == nil {
		return badLink(http.StatusBadRequest, "This server takes no access tokens.")
	}
	v, err := s.vouched(r, f, q.req.Handle)
	if words, status, after := pastedRefusal(err); words != "" {
		s.Log.InfoContext(r.Context(), "oauth: pasted token refused", "reason", words, "address", s.address(r))
		s.happenedAt(r, Event{Kind: EventSignIn, Outcome: EventFailed, ClientID: q.client.ID, Detail: "pasted token refused"})
		setRetryAfter(w, after)
		s.consentPage(w, r, status, q, nil, templates.Authorize{TokenError: words})
		return nil
	}
	if err != nil {
		return err
	}
	if v.shown() != f.get("shown") {
		return s.showVoucher(w, r, q, v, "")
	}
	if reason := q.unanswered(f); reason != "" {
		return s.showVoucher(w, r, q, v, reason)
	}
	all := q.ticked
	q.ticked = v.opens(q.chosen())
	if len(q.within(v.session(&Account{}, s.Now())).without(offlineAccess)) == 0 {
		q.ticked = all
		return s.showVoucher(w, r, q, v, "The token does not open what the app asks for.")
	}
	a, err := s.identify(r.Context(), &Account{Issuer: v.Issuer, Subject: v.Subject, Name: v.Name}, false)
	if away, ok := errors.AsType[*errTurnedAway](err); ok {
		return s.showVoucher(w, r, q, v, away.words)
	}
	if err != nil {
		return err
	}
	return s.approveAs(w, r, q, v.session(a, s.Now()))
}

// vouched returns what the form's token vouches for, or the sealed voucher of
// one that was pasted before.
func (s *Server) vouched(r *http.Request, f form, handle string) (*voucher, error) {
	if f.get("token") == "" && f.get("voucher") != "" {
		return s.openVoucher(f.get("voucher"), handle)
	}
	if wait := s.take("token "+s.address(r), 6*time.Second, 10); wait > 0 {
		return nil, &errSignIn{"Too many attempts. Wait a little and try again.", wait}
	}
	if f.get("token") == "" {
		return nil, badToken("Paste it first.")
	}
	return s.readToken(r.Context(), f.get("token"))
}

// pastedRefusal returns how the page says why a token was refused; no words if
// err is something else.
func pastedRefusal(err error) (words string, status int, after time.Duration) {
	if e, ok := errors.AsType[*errSignIn](err); ok {
		return e.words, e.status(), e.after
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Code == "invalid_token" {
		return strings.TrimPrefix(e.Description, badTokenPrefix), http.StatusForbidden, 0
	}
	return "", 0, 0
}

// showVoucher shows the page again, with what the token says.
func (s *Server) showVoucher(w http.ResponseWriter, r *http.Request, q ask, v *voucher, reason string) error {
	sealed, err := s.sealVoucher(v, q.req.Handle)
	if err != nil {
		return err
	}
	s.consentPage(w, r, http.StatusOK, q, nil, templates.Authorize{Error: reason, Voucher: &templates.Voucher{
		Sealed:   sealed,
		Shown:    v.shown(),
		UseCases: v.UseCases,
		Left:     timeLeft(v.expires().Sub(s.Now())),
	}})
	return nil
}

// timeLeft renders a duration as people read it, in any language.
func timeLeft(d time.Duration) string {
	switch minutes := int(d / time.Minute); {
	case minutes < 1:
		return "< 1 min"
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	case minutes < 48*60:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	default:
		return fmt.Sprintf("%d d", minutes/(24*60))
	}
}
