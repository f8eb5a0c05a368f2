package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// AutoApproval answers every authorization request with yes, without asking
// anybody: for staging, where nothing is worth stealing. Whoever finds the
// server is let in. The operator's scope is never granted so.
type AutoApproval struct {
	// UseCase is the one that is granted; "*" is all. It may be "" with a Token
	// that names one.
	UseCase string
	// Token is an access token of the issuer Pasted, in whose name things are
	// done, and no longer than it lasts. "" has an account of its own.
	Token string
}

// check says what an operator set wrongly.
func (a *AutoApproval) check(pasted *Issuer) error {
	switch {
	case a == nil:
		return nil
	case a.UseCase == "" && a.Token == "":
		return errors.New("auto-approval: name the use case that everybody gets, or * for all")
	case a.UseCase != "" && a.UseCase != "*" && !isUseCase(a.UseCase):
		return fmt.Errorf("auto-approval: %q cannot be a use case", a.UseCase)
	case a.Token != "" && pasted == nil:
		return errors.New("auto-approval: a token is given, but no issuer whose tokens are taken")
	}
	return nil
}

// approveUnasked grants a request without a question.
func (s *Server) approveUnasked(w http.ResponseWriter, r *http.Request, q ask) error {
	session, err := s.unaskedSession(r.Context())
	if err != nil {
		s.Log.ErrorContext(r.Context(), "oauth: cannot approve by itself", "error", err)
		return &problem{
			status: http.StatusServiceUnavailable,
			title:  "This server cannot approve by itself now",
			detail: "The token that it is to use for that does not work.",
			remedy: "Try again in a minute. If it happens again, tell the people who run this server.",
		}
	}
	q.ticked = slices.Clone(q.req.Scope)
	s.Log.WarnContext(r.Context(), "oauth: approved without asking anybody", "client", q.client.ID, "address", s.address(r))
	return s.approveAs(w, r, q, session)
}

// unaskedSession returns in whose name requests are approved.
func (s *Server) unaskedSession(ctx context.Context) (*Session, error) {
	useCase := s.AutoApprove.UseCase
	if s.AutoApprove.Token == "" {
		a, err := s.identify(ctx, &Account{Issuer: "auto-approval", Subject: useCase, Name: accountName("auto", useCase, useCase)}, false)
		if err != nil {
			return nil, err
		}
		session := &Session{AccountID: a.ID, Name: a.Name, Created: s.Now()}
		if useCase != "*" {
			session.UseCases = ScopeSet{useCase}
		}
		return session, nil
	}
	v, err := s.readToken(ctx, s.AutoApprove.Token)
	if err != nil {
		return nil, err
	}
	if useCase != "" {
		if !slices.Contains(v.UseCases, useCase) && !slices.Contains(v.UseCases, "*") {
			return nil, fmt.Errorf("the token is not for the use case %q", useCase)
		}
		v.UseCases = []string{useCase}
	}
	a, err := s.identify(ctx, &Account{Issuer: v.Issuer, Subject: v.Subject, Name: v.Name}, false)
	if err != nil {
		return nil, err
	}
	return v.session(a, s.Now()), nil
}
