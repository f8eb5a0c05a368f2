package flow

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"rialto/oauth"
	"rialto/oauth/token"
)

// AutoApproval approves every authorization request without asking, for staging servers without
// valuable data: all callers get in. It never grants ScopeAdmin.
type AutoApproval struct {
	// UseCase is the one that is granted; "*" is all. It may be "" with a Token that names one.
	UseCase string
	// Token is an access token of the issuer Pasted, in whose name things are
	// done, and no longer than it lasts. "" has an account of its own.
	Token string
}

// Check says what is wrong with the configuration.
func (a *AutoApproval) Check(pasted *token.Issuer) error {
	switch {
	case a == nil:
		return nil
	case a.UseCase == "" && a.Token == "":
		return errors.New("auto-approval: name the use case that everybody gets, or * for all")
	case a.UseCase != "" && a.UseCase != "*" && !oauth.IsUseCase(a.UseCase):
		return fmt.Errorf("auto-approval: %q cannot be a use case", a.UseCase)
	case a.Token != "" && pasted == nil:
		return errors.New("auto-approval: a token is given, but no issuer whose tokens are taken")
	}
	return nil
}

// approveAutomatically approves a request without asking.
func (cn *Consent) approveAutomatically(
	w http.ResponseWriter, r *http.Request, q pendingAuthorization,
) error {
	session, err := cn.autoApproveSession(r.Context())
	if err != nil {
		cn.Env.Log.ErrorContext(r.Context(), "oauth: automatic approval failed", "error", err)
		return &oauth.Problem{
			Code:   "automatic_approval_failed",
			Status: http.StatusServiceUnavailable,
			Title:  "This server can't approve requests automatically now",
			Detail: "The token that is configured for this doesn't work.",
			Remedy: "Try again in a minute. If it happens again, tell the people who run this server.",
		}
	}

	q.ticked = slices.Clone(q.req.Scope)
	cn.Env.Log.WarnContext(
		r.Context(), "oauth: request approved automatically",
		"client", q.client.ID,
		"address", cn.Env.Address(r),
	)
	return cn.approveAs(w, r, q, session)
}

// autoApproveSession returns the session under which requests are approved.
func (cn *Consent) autoApproveSession(ctx context.Context) (*oauth.Session, error) {
	useCase := cn.AutoApprove.UseCase
	if cn.AutoApprove.Token == "" {
		a, err := cn.Pasted.Identities.Identify(
			ctx,
			&oauth.Account{
				Issuer:  "auto-approval",
				Subject: useCase,
				Name:    token.AccountName("auto", useCase, useCase),
			},
			false,
		)
		if err != nil {
			return nil, err
		}
		session := &oauth.Session{AccountID: a.ID, Name: a.Name, Created: cn.Env.Now()}
		if useCase != "*" {
			session.UseCases = oauth.ScopeSet{useCase}
		}
		return session, nil
	}

	v, err := cn.Pasted.Read(ctx, cn.AutoApprove.Token)
	if err != nil {
		return nil, err
	}
	if useCase != "" {
		if !slices.Contains(v.UseCases, useCase) && !slices.Contains(v.UseCases, "*") {
			return nil, fmt.Errorf("the token is not for the use case %q", useCase)
		}
		v.UseCases = []string{useCase}
	}

	a, err := cn.Pasted.Identities.Identify(
		ctx, &oauth.Account{Issuer: v.Issuer, Subject: v.Subject, Name: v.Name}, false,
	)
	if err != nil {
		return nil, err
	}

	return v.Session(a, cn.Env.Now()), nil
}
