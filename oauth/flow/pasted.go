package flow

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/signin"
	"rialto/oauth/token"
	"rialto/templates"
)

// approveByToken takes an approval by pasted token. It grants nothing before
// the person has seen the use case: the script of the page shows it while they
// paste; without the script, the page comes again and shows it.
func (cn *Consent) approveByToken(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	q pendingAuthorization,
) error {
	if cn.Pasted.Issuer == nil {
		return endpoint.BadLink("no_pasted_tokens", "This server takes no access tokens.")
	}

	v, err := cn.Pasted.FromForm(r, f, q.req.Handle)
	if refused := pastedRefusal(err); refused != nil {
		cn.Env.Log.InfoContext(
			r.Context(), "oauth: pasted token refused",
			"reason", refused.Reason,
			"address", cn.Env.Address(r),
		)
		cn.Env.Audit(r, oauth.Event{
			Kind:     oauth.EventSignIn,
			Outcome:  oauth.EventFailed,
			ClientID: q.client.ID,
			Detail:   "pasted token refused",
		})
		endpoint.SetRetryAfter(w, refused.RetryAfter, refused.Quota)
		return cn.page(
			w,
			r,
			refused.Status(),
			q,
			nil,
			templates.Authorize{Token: &templates.Token{Error: refused.Reason}},
		)
	}
	if err != nil {
		return err
	}
	if v.Shown() != f.Get("shown") {
		return cn.showPasted(w, r, q, v, "")
	}
	if reason := q.unanswered(f); reason != "" {
		return cn.showPasted(w, r, q, v, reason)
	}

	all := q.ticked
	q.ticked = v.Opens(q.chosen())
	if q.within(v.Session(&oauth.Account{}, cn.Env.Now())).OpensNothing() {
		q.ticked = all
		return cn.showPasted(w, r, q, v, "The token doesn't allow what the app asks for.")
	}

	a, err := cn.Pasted.Identities.Identify(
		r.Context(), &oauth.Account{Issuer: v.Issuer, Subject: v.Subject, Name: v.Name}, false,
	)
	if away, ok := errors.AsType[*token.ErrSignInDenied](err); ok {
		return cn.showPasted(w, r, q, v, away.Reason)
	}
	if err != nil {
		return err
	}

	return cn.approveAs(w, r, q, v.Session(a, cn.Env.Now()))
}

// pastedRefusal returns why a token was refused, in words for the page; nil if err is something else.
func pastedRefusal(err error) *signin.Refusal {
	if e, ok := errors.AsType[*signin.Refusal](err); ok {
		return e
	}
	if e, ok := errors.AsType[*oauth.Error](err); ok && e.Code == "invalid_token" {
		return &signin.Refusal{Reason: strings.TrimPrefix(e.Description, token.BadTokenPrefix)}
	}
	return nil
}

// showPasted shows the page again, with the claims of the token.
func (cn *Consent) showPasted(
	w http.ResponseWriter,
	r *http.Request,
	q pendingAuthorization,
	v *signin.PastedToken,
	reason string,
) error {
	sealed, err := cn.Pasted.Seal(v, q.req.Handle)
	if err != nil {
		return err
	}

	return cn.page(
		w,
		r,
		http.StatusOK,
		q,
		nil,
		templates.Authorize{Error: reason, Voucher: &templates.Voucher{
			Sealed:   sealed,
			Shown:    v.Shown(),
			UseCases: v.UseCases,
			Left:     timeLeft(v.ExpiresAt().Sub(cn.Env.Now())),
		}},
	)
}

// timeLeft renders a duration for people, in any language.
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
