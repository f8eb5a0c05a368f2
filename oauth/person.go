package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// errTurnedAway says why somebody whom a provider knows may not sign in here,
// in words for the page.
type errTurnedAway struct{ words string }

func (e *errTurnedAway) Error() string { return e.words }

// person decides from what a provider says of somebody who they are here and
// what they may do. ID and Created are for the caller.
func (p *Provider) person(claims map[string]any) (*Account, error) {
	if !p.mayEnter(claims) {
		return nil, &errTurnedAway{"Your account there is not one of those that may sign in here."}
	}
	a := &Account{Issuer: p.Issuer.URL, Subject: textClaim(claims, "sub"), Admin: p.Admin.metBy(claims)}
	if listed := listClaim(claims, p.UseCases); p.UseCases != "" && !slices.Contains(listed, "*") {
		a.UseCases = slices.DeleteFunc(listed, func(s string) bool { return !isUseCase(s) })
		if len(a.UseCases) == 0 {
			return nil, &errTurnedAway{"Your account there has no use case here."}
		}
	}
	label := textClaim(claims, p.NameClaim)
	if p.NameClaim == "" {
		label = textClaim(claims, "preferred_username")
	}
	if label == "" {
		label = textClaim(claims, "email")
	}
	a.Name = accountName(p.ID, label, a.Subject)
	return a, nil
}

// mayEnter tells whether the operator lets these people in. An address counts
// only if the provider has verified it: some let people write what they like.
func (p *Provider) mayEnter(claims map[string]any) bool {
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

// metBy tells whether the rule is set and the claims meet it.
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

// listClaim returns a claim that is a list of words, or words with a space
// between.
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

// accountName is what somebody is called here whom a provider knows. The
// provider's ID stands before it, so that nobody can take the name of a local
// account, or of one that the operator is yet to make.
func accountName(provider, label, subject string) string {
	name, err := userName(provider + ":" + label)
	if label == "" || err != nil {
		return provider + ":" + hash(subject)[:12]
	}
	return name
}

// identify returns the account of somebody whom an issuer knows. The key is
// issuer and subject: names and addresses change hands. rights says whether the
// account is to have those that a says.
func (s *Server) identify(ctx context.Context, a *Account, rights bool) (*Account, error) {
	a.ID, a.Created = newID(), s.Now()
	known, err := s.Store.Identify(ctx, a, rights)
	if errors.Is(err, ErrExists) {
		// Two people are called the same there.
		prefix, _, _ := strings.Cut(a.Name, ":")
		a.Name = prefix + ":" + hash(a.Issuer + " " + a.Subject)[:16]
		known, err = s.Store.Identify(ctx, a, rights)
	}
	if rights {
		s.forgetGrants() // what it granted before ends with the rights that it took
	}
	if err == nil && known.Disabled {
		return nil, &errTurnedAway{"Your account here is disabled."}
	}
	return known, err
}

// withUserInfo adds what the userinfo endpoint says where the ID token is
// silent. Some providers keep ID tokens small. It must be about the same
// person (OpenID Connect Core 1.0 section 5.3.2).
func (s *Server) withUserInfo(ctx context.Context, p *Provider, e *endpoints, claims map[string]any, access string) error {
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
		return &errUnreachable{err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !isJSON(resp.Header) {
		return &errUnreachable{fmt.Errorf("its userinfo endpoint answers %d, %q", resp.StatusCode, mediaType(resp.Header))}
	}
	var more map[string]any
	if err := json.UnmarshalRead(resp.Body, &more); err != nil {
		return &errUnreachable{err}
	}
	if more["sub"] != claims["sub"] {
		return errors.New("its userinfo is about somebody else")
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

// lacks tells whether a claim is missing that decides something.
func (p *Provider) lacks(claims map[string]any) bool {
	needed := []string{p.NameClaim, p.Admin.Claim, p.Allow.Claim, p.UseCases}
	if p.NameClaim == "" {
		needed = append(needed, "preferred_username")
	}
	if len(p.Domains) > 0 {
		needed = append(needed, "email", "email_verified")
	}
	return slices.ContainsFunc(needed, func(name string) bool { return name != "" && claim(claims, name) == nil })
}
