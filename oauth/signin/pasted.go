package signin

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
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/token"
)

// Pasted takes access tokens of another issuer that people paste.
type Pasted struct {
	Issuer     *token.Issuer // nil takes none
	Secret     []byte
	Issuers    *token.Issuers
	Identities *token.Identities
	Env        *endpoint.Env
}

// Check says what is wrong with the issuer of pasted tokens.
func (pt *Pasted) Check() error {
	switch {
	case pt.Issuer == nil:
		return nil
	case len(pt.Issuer.Audiences) == 0:
		return errors.New(
			"pasted tokens: no audience is named, so that tokens for other services would be accepted",
		)
	}

	if err := pt.Issuer.Check(); err != nil {
		return fmt.Errorf("pasted tokens: %w", err)
	}

	return nil
}

// PastedToken holds the claims of a pasted token. It travels sealed through the
// form until the person has seen it: the token itself is not kept.
type PastedToken struct {
	Issuer   string         `json:"iss"`
	Subject  string         `json:"sub"`
	Name     string         `json:"name"`
	UseCases []string       `json:"usecases"` // "*" stands for all
	Scope    oauth.ScopeSet `json:"scope"`    // all that the token holds
	Expires  int64          `json:"exp"`
}

// Read verifies a pasted access token of the configured issuer.
func (pt *Pasted) Read(ctx context.Context, raw string) (*PastedToken, error) {
	raw = strings.TrimSpace(raw)
	if scheme, rest, ok := strings.Cut(raw, " "); ok && strings.EqualFold(scheme, "Bearer") {
		raw = strings.TrimSpace(rest) // as in a command line
	}

	claims, err := pt.Issuers.VerifyExternal(ctx, pt.Issuer, raw)
	if err != nil {
		return nil, err
	}
	if claims.Key != nil {
		// Grants made with it would not need the key, so that a thief could
		// paste it without the key.
		return nil, token.BadToken(
			"It is bound to a key of the app that it was made for, and cannot be pasted.",
		)
	}

	v := &PastedToken{
		Issuer:  claims.Issuer,
		Subject: claims.Subject,
		Scope:   oauth.ParseScope(claims.Scope),
		Expires: claims.Expires,
	}
	v.UseCases = namedUseCases(v.Scope)
	if len(v.UseCases) == 0 {
		return nil, token.BadToken(
			"It names no use case: its scope must hold mcp:tools:<use case> or mcp:tools:*.",
		)
	}

	v.Name = token.AccountName(token.ExternalPrefix, claims.Subject, claims.Subject)
	return v, nil
}

// namedUseCases returns the use cases that scopes of another issuer name. A bare mcp:tools, which
// opens all of them here, names none, because another issuer may mean something else by it.
func namedUseCases(scope oauth.ScopeSet) []string {
	var all []string
	for _, word := range scope {
		switch useCase := oauth.UseCase(word); useCase {
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

// Opens returns the chosen scopes that the token holds. Session limits the use cases of tools.
func (v *PastedToken) Opens(chosen oauth.ScopeSet) oauth.ScopeSet {
	return slices.DeleteFunc(slices.Clone(chosen), func(scope string) bool {
		return scope != oauth.OfflineAccess && scope != oauth.ScopeTools &&
			oauth.UseCase(scope) == "" &&
			!v.Scope.Has(scope)
	})
}

// Session returns a session for one approval, limited to the use cases of the
// token and of the account. The browser is not signed in.
func (v *PastedToken) Session(a *oauth.Account, now time.Time) *oauth.Session {
	session := &oauth.Session{
		AccountID:   a.ID,
		Name:        a.Name,
		UseCases:    a.UseCases,
		Created:     now,
		GrantsUntil: v.ExpiresAt(),
	}
	if !slices.Contains(v.UseCases, "*") {
		session.TokenUseCases = v.UseCases
	}

	return session
}

func (v *PastedToken) ExpiresAt() time.Time { return time.Unix(v.Expires, 0) }

// Shown is what the page shows of the token; the form sends it back.
func (v *PastedToken) Shown() string { return strings.Join(v.UseCases, " ") }

// Seal encrypts the claims for the form of one request.
func (pt *Pasted) Seal(v *PastedToken, handle string) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return sealed.Seal(pt.Secret, "voucher|"+handle, plain)
}

// Open is the reverse of Seal.
func (pt *Pasted) Open(text, handle string) (*PastedToken, error) {
	plain, err := sealed.Open(pt.Secret, "voucher|"+handle, text)
	if err != nil {
		return nil, endpoint.BadLink("incomplete_form", "The form wasn't complete.")
	}

	v := &PastedToken{}
	if err := json.Unmarshal(plain, v); err != nil {
		return nil, err
	}
	if !pt.Env.Now().Before(v.ExpiresAt()) {
		return nil, token.BadToken("It has expired.")
	}

	return v, nil
}

// FromForm returns the token in a form, or the sealed claims of one that was pasted before.
func (pt *Pasted) FromForm(r *http.Request, f endpoint.Form, handle string) (*PastedToken, error) {
	if f.Get("token") == "" && f.Get("voucher") != "" {
		return pt.Open(f.Get("voucher"), handle)
	}
	if f.Get("token") == "" {
		return nil, token.BadToken("Paste it first.")
	}

	v, err := pt.Read(r.Context(), f.Get("token"))
	if _, refused := errors.AsType[*oauth.Error](err); refused {
		if e := pt.Env.CountRefusal(r, "pasted"); e != nil {
			return nil, tooManyAttempts(e.RetryAfter, e.Quota)
		}
	}

	return v, err
}
