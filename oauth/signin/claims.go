package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/token"
)

// person makes an account of a provider's claims: the name and what the person
// may do. The caller sets ID and Created.
func (p *Provider) person(claims map[string]any) (*oauth.Account, error) {
	if !p.maySignIn(claims) {
		return nil, denied(claims, p.Allow.Claim, "Your account there may not sign in here.")
	}
	a := &oauth.Account{
		Issuer:  p.Issuer.URL,
		Subject: textClaim(claims, "sub"),
		Admin:   p.Admin.metBy(claims),
	}
	if listed := listClaim(claims, p.UseCases); p.UseCases != "" && !slices.Contains(listed, "*") {
		a.UseCases = slices.DeleteFunc(listed, func(s string) bool { return !oauth.IsUseCase(s) })
		if len(a.UseCases) == 0 {
			return nil, denied(claims, p.UseCases, "Your account there has no use case here.")
		}
	}
	label := textClaim(claims, p.NameClaim)
	if p.NameClaim == "" {
		label = textClaim(claims, "preferred_username")
	}
	if label == "" {
		label = textClaim(claims, "email")
	}

	a.Name = token.AccountName(p.ID, label, a.Subject)
	return a, nil
}

// denied says why a person may not sign in: because the provider left the claim that decides out of the
// token for its length and named another place for it (OpenID Connect Core 1.0 section 5.6.2), or for
// another reason. We do not ask there. Microsoft Entra leaves out the groups of a person in more than
// 200 of them, and may name a place that has been turned off.
func denied(claims map[string]any, name, reason string) error {
	elsewhere, _ := claims["_claim_names"].(map[string]any)
	if _, left := elsewhere[name]; left {
		reason = "Your account there is in too many groups for the provider to list them here."
	}
	return &token.ErrSignInDenied{Reason: reason}
}

// maySignIn tells whether the operator admits this person. An email address
// counts only if the provider has verified it.
func (p *Provider) maySignIn(claims map[string]any) bool {
	if p.Allow.Claim != "" && !p.Allow.metBy(claims) {
		return false
	}
	if len(p.Domains) == 0 {
		return true
	}

	email := textClaim(claims, "email")
	at := strings.LastIndex(email, "@")
	verified := claims["email_verified"] == true
	return verified && at > 0 && slices.Contains(p.Domains, strings.ToLower(email[at+1:]))
}

// metBy tells whether the claims meet the rule. An empty rule is not met.
func (r Rule) metBy(claims map[string]any) bool {
	return r.Claim != "" && slices.ContainsFunc(listClaim(claims, r.Claim), func(v string) bool {
		return slices.Contains(r.Values, v)
	})
}

// claim finds a claim by its name, or else by its path.
func claim(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	outer, rest, ok := strings.Cut(name, ".")
	inner, nested := claims[outer].(map[string]any)
	if !ok || !nested {
		return nil
	}
	return claim(inner, rest)
}

// textClaim returns a claim that is text, or "".
func textClaim(claims map[string]any, name string) string {
	s, _ := claim(claims, name).(string)
	return s
}

// listClaim returns a claim that is a list of words, or words with a space between.
func listClaim(claims map[string]any, name string) []string {
	switch v := claim(claims, name).(type) {
	case string:
		return strings.Fields(v)
	case []any:
		var list []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// withUserInfo adds claims of the userinfo endpoint that the ID token lacks. The answer must be
// about the same person (OpenID Connect Core 1.0 section 5.3.2).
func (pv *Providers) withUserInfo(
	ctx context.Context,
	p *Provider,
	e *Endpoints,
	claims map[string]any,
	access string,
) error {
	if e.UserInfo == "" || access == "" || !p.lacks(claims) {
		return nil
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.UserInfo, nil)
	if err != nil {
		return err
	}

	req.Header.Set("Authorization", "Bearer "+access)
	req.Header.Set("Accept", "application/json")
	resp, err := p.Issuer.Fetch.HTTP().Do(req)
	if err != nil {
		return &token.ErrUnreachable{Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !endpoint.IsJSON(resp.Header) {
		return &token.ErrUnreachable{
			Err: fmt.Errorf(
				"its userinfo endpoint answers %d, %q",
				resp.StatusCode,
				endpoint.MediaType(resp.Header),
			),
		}
	}

	var more map[string]any
	if err := json.UnmarshalRead(resp.Body, &more); err != nil {
		return &token.ErrUnreachable{Err: err}
	}
	if more["sub"] != claims["sub"] {
		return errors.New("its userinfo is about another person")
	}
	if email, ok := claims["email"]; ok && more["email"] != email {
		delete(more, "email_verified") // it is about another address
	}

	for name, value := range more {
		if _, ok := claims[name]; !ok {
			claims[name] = value
		}
	}

	return nil
}

// lacks tells whether a claim that the configuration uses is missing.
func (p *Provider) lacks(claims map[string]any) bool {
	needed := []string{p.NameClaim, p.Admin.Claim, p.Allow.Claim, p.UseCases}
	if p.NameClaim == "" {
		needed = append(needed, "preferred_username")
	}
	if len(p.Domains) > 0 {
		needed = append(needed, "email", "email_verified")
	}

	return slices.ContainsFunc(
		needed, func(name string) bool { return name != "" && claim(claims, name) == nil },
	)
}
