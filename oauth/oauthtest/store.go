package oauthtest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"rialto/oauth"
)

// parallel is how many callers race for what only one may get.
const parallel = 64

// TestStore checks that a store keeps the contract of Store. open
// returns an empty store, which it closes when t ends.
func TestStore(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(*bench){
		"a client comes back as it was recorded":                     (*bench).clientRoundTrip,
		"of many changes to a client one counts":                     (*bench).clientChangedOnce,
		"a removed client takes its grants along":                    (*bench).clientRemoved,
		"clients are listed in pages":                                (*bench).clientsListed,
		"a document comes back as it was kept, and the newest stays": (*bench).documentKept,
		"the oldest document of a client without a grant makes room": (*bench).documentEviction,
		"what works once works once, until nobody could use it":      (*bench).usedOnce,
		"the oldest client without a grant makes room":               (*bench).clientEviction,
		"a name belongs to one account":                              (*bench).accountNames,
		"a new password ends the sessions":                           (*bench).passwordEndsSessions,
		"a removed account takes sessions and grants along":          (*bench).removedAccount,
		"a session ends":                                                        (*bench).sessionEnds,
		"a person of a provider has one account":                                (*bench).identified,
		"of many who set the server up one makes the first account":             (*bench).firstAccount,
		"a setup code is replaced, expires and ends with an account":            (*bench).setupCode,
		"of many callers one takes a login":                                     (*bench).loginTakenOnce,
		"the role of an administrator is seen in accounts, sessions and grants": (*bench).administrator,
		"a disabled account has no sessions and no live grants":                 (*bench).disabledAccount,
		"an account is disabled, and enabled again":                             (*bench).disabledAgain,
		"the grants of an account, of a client or of both end together":         (*bench).grantsRevoked,
		"the last use of a grant is noted, and a later one stays":               (*bench).usesNoted,
		"a document is dropped once":                                            (*bench).documentDropped,
		"a request comes back as it was recorded, until it expires":             (*bench).requestRoundTrip,
		"of many answers to a request one counts":                               (*bench).requestAnsweredOnce,
		"of many callers one takes a pushed request":                            (*bench).pushedTakenOnce,
		"a grant comes back as it was recorded":                                 (*bench).grantRoundTrip,
		"a grant ends with its parent, and not the other way round":             (*bench).grantOfGrant,
		"a revoked grant stays revoked":                                         (*bench).grantStaysRevoked,
		"of many callers one takes a code, and the grant is revoked":            (*bench).codeTakenOnce,
		"a code that another client presents is unharmed":                       (*bench).codeOfAnother,
		"a code starts a family of refresh tokens":                              (*bench).codeStartsFamily,
		"within the grace everybody gets the same successor":                    (*bench).rotateInGrace,
		"without grace one caller gets a successor, the family ends":            (*bench).rotateWithoutGrace,
		"after the grace the family ends":                                       (*bench).rotateAfterGrace,
		"too many uses end the family":                                          (*bench).rotateTooOften,
		"a refresh token works for its client, before it expires":               (*bench).rotateNotFound,
		"a refresh token dies with its grant":                                   (*bench).rotateRevoked,
		"of many keys for one place one is kept":                                (*bench).keyAddedOnce,
		"what has expired is dropped, and nothing else":                         (*bench).dropExpired,
		"a client is dropped when it has no grant and nobody is deciding":       (*bench).dropClients,
	} {
		t.Run(name, func(t *testing.T) {
			test(&bench{T: t, s: open(t), now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)})
		})
	}
}

// bench is a store under test.
type bench struct {
	*testing.T
	s   Store
	now time.Time
	n   int
}

// name returns a name that was not given before.
func (b *bench) name(kind string) string {
	b.n++
	return fmt.Sprintf("%s-%d", kind, b.n)
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// want checks that an error is the one that the contract names.
func (b *bench) want(err, sentinel error) {
	b.Helper()
	if !errors.Is(err, sentinel) {
		b.Errorf("got error %v, want %v", err, sentinel)
	}
}

func equal[V any](b *bench, got, want V) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// race runs f in many goroutines that start together, and counts the errors
// by what they are; nil counts too. Any other error fails the test.
func (b *bench) race(f func(i int) error) map[error]int {
	b.Helper()
	counts := map[error]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range parallel {
		wg.Go(func() {
			<-start
			err := f(i)
			for _, sentinel := range []error{nil, oauth.ErrNotFound, oauth.ErrReused, oauth.ErrExists} {
				if err == sentinel || sentinel != nil && errors.Is(err, sentinel) {
					mu.Lock()
					defer mu.Unlock()
					counts[sentinel]++
					return
				}
			}
			b.Errorf("got error %v, which the contract does not name", err)
		})
	}
	close(start)
	wg.Wait()
	return counts
}

func (b *bench) account() *oauth.Account {
	b.Helper()
	a := &oauth.Account{ID: b.name("account"), Name: b.name("name"), Password: "hash", Created: b.now}
	b.must(b.s.AddAccount(b.Context(), a))
	return a
}

func (b *bench) client() *oauth.Client {
	b.Helper()
	c := &oauth.Client{
		ID:           b.name("client"),
		Name:         "Ünïcode app",
		URI:          "https://app.example",
		RedirectURIs: []string{"https://app.example/cb", "http://127.0.0.1/cb"},
		AuthMethod:   "client_secret_post",
		SecretHash:   "hash",
		GrantTypes:   []string{"authorization_code", "refresh_token"},
		Registered:   b.now,
		ManageHash:   "manage hash",
		Keys:         `{"keys":[]}`,
		KeysURI:      "https://app.example/jwks.json",
		Bound:        true,

		ApplicationType: "native",
	}
	b.must(b.s.AddClient(b.Context(), c, 1000))
	return c
}

// grant returns a grant of a new account that is not recorded yet.
func (b *bench) grant(clientID string) *oauth.Grant {
	b.Helper()
	a := b.account()
	return &oauth.Grant{
		ID:        b.name("grant"),
		AccountID: a.ID,
		Name:      a.Name,
		ClientID:  clientID,
		Scope:     oauth.ScopeSet{"mcp:tools", "offline_access"},
		Resource:  "https://rialto.example/mcp",
		AuthTime:  b.now.Add(-time.Minute),
		Created:   b.now,
		Expires:   b.now.Add(90 * 24 * time.Hour),
	}
}

func (b *bench) request() *oauth.Request {
	b.Helper()
	r := &oauth.Request{
		Handle:       b.name("handle"),
		Browser:      "browser",
		ClientID:     b.name("client"),
		RedirectURI:  "https://app.example/cb?x=1",
		RedirectSent: true,
		State:        "a state with spaces, \"quotes\" and ✓",
		Scope:        oauth.ScopeSet{"mcp:tools"},
		Resource:     "https://rialto.example/mcp",
		Challenge:    "challenge",
		JKT:          "thumbprint",
		Login:        true,
		Expires:      b.now.Add(10 * time.Minute),
	}
	b.must(b.s.AddRequest(b.Context(), r))
	return r
}

// code records a code under a grant of its own.
func (b *bench) code() (*oauth.Code, *oauth.Grant) {
	b.Helper()
	r := b.request()
	g := b.grant(r.ClientID)
	c := &oauth.Code{
		Hash:        b.name("code"),
		ClientID:    r.ClientID,
		RedirectURI: r.RedirectURI,
		Challenge:   r.Challenge,
		JKT:         r.JKT,
		Expires:     b.now.Add(time.Minute),
	}
	b.must(b.s.Approve(b.Context(), r.Handle, g, c))
	return c, g
}

// family records a grant and its first refresh token.
func (b *bench) family() (*oauth.Refresh, *oauth.Grant) {
	b.Helper()
	c, g := b.code()
	first := &oauth.Refresh{Hash: b.name("refresh"), ClientID: c.ClientID, JKT: c.JKT, Expires: b.now.Add(24 * time.Hour)}
	_, err := b.s.TakeCode(b.Context(), c.Hash, c.ClientID, first, b.now)
	b.must(err)
	return first, g
}

// rotation returns a use of a refresh token, with a successor of its own.
func (b *bench) rotation(t *oauth.Refresh) oauth.Rotation {
	next := b.name("refresh")
	return oauth.Rotation{
		Hash:     t.Hash,
		ClientID: t.ClientID,
		Next:     oauth.Refresh{Hash: next, ClientID: t.ClientID, Expires: t.Expires},
		Sealed:   "sealed " + next,
		Now:      b.now,
		Grace:    2 * time.Minute,
		MaxUses:  100,
	}
}

func (b *bench) live(id string) bool {
	b.Helper()
	g, err := b.s.Grant(b.Context(), id)
	b.must(err)
	return g.Live(b.now)
}
