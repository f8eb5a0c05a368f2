package oauthdb_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/storetest"
)

// parallel is how many callers race.
const parallel = 64

// TestStore checks that a store keeps its contracts: clients (package client),
// people (package signin), grants and keys (package token), flows (package flow)
// and expiry (package authserver).
func TestStore(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		for contract, tests := range map[string]map[string]func(*storeTest){
			"clients": clientTests, "people": accountTests, "grants": grantTests, "flows": flowTests, "expiry": expiryTests,
		} {
			for name, test := range tests {
				t.Run(contract+"/"+name, func(t *testing.T) {
					test(&storeTest{T: t, s: open(t).OAuth, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)})
				})
			}
		}
	})
}

// each runs a test with an empty database of each engine.
func each(t *testing.T, test func(t *testing.T, open func(*testing.T) *store.DB)) {
	for engine, dsn := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return storetest.File(t, store.Open) },
		"memory":     func(*testing.T) string { return store.Memory },
		"PostgreSQL": func(t *testing.T) string { return oauthtest.PostgresSchema(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			test(t, func(t *testing.T) *store.DB {
				db, err := store.Open(t.Context(), dsn(t))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				return db
			})
		})
	}
}

var clientTests = map[string]func(*storeTest){
	"a client is read as it was recorded":                                clientRoundTrip,
	"one of many concurrent changes to a client succeeds":                clientChangedOnce,
	"removing a client revokes its grants":                               clientRemoved,
	"clients are listed in pages":                                        clientsListed,
	"a full store drops the oldest client without a grant":               clientEviction,
	"a document is read as it was recorded, and the newest stays":        documentKept,
	"a full store drops the oldest document of a client without a grant": documentEviction,
	"a document is dropped once":                                         documentDropped,
	"an ID is used once, until it expires":                               usedOnce,
}

var accountTests = map[string]func(*storeTest){
	"a name belongs to one account":                       accountNames,
	"of many concurrent guesses as many count as may":     guessesCounted,
	"the newest networks of an account are kept":          networksKept,
	"a new password ends the sessions":                    passwordEndsSessions,
	"removing an account removes its sessions and grants": removedAccount,
	"a session ends":                                                  sessionEnds,
	"all sessions of an account end":                                  sessionsEnd,
	"a person of a provider has one account":                          identified,
	"one of many concurrent setups makes the first account":           firstAccount,
	"a setup code is replaced, expires and ends with an account":      setupCode,
	"one of many callers takes a login":                               loginTakenOnce,
	"one of many callers takes a sign-in link, the newest":            linkTakenOnce,
	"accounts, sessions and grants show the role of an administrator": administrator,
	"a disabled account has no sessions and no live grants":           disabledAccount,
	"an account is disabled, and enabled again":                       disabledAgain,
	"the sessions of an account are listed, and end one by one":       sessionsListed,
	"a passkey belongs to one account, and its counter grows":         passkeysKept,
	"one of many callers takes a recovery code":                       recoveryCodesTaken,
}

var grantTests = map[string]func(*storeTest){
	"the grants of an account, of a client or of both are revoked together": grantsRevoked,
	"the last use of a grant is recorded, and a later one stays":            usesNoted,
	"a grant is read as it was recorded":                                    grantRoundTrip,
	"a grant ends with its parent, and not the other way round":             grantOfGrant,
	"a revoked grant stays revoked":                                         grantStaysRevoked,
	"one of many concurrent keys with one number is kept":                   keyAddedOnce,
	"a key ends with what it signed, and at once when it is removed":        keyEndsWithWhatItSigned,
}

var flowTests = map[string]func(*storeTest){
	"a request is read as it was recorded, until it expires":              requestRoundTrip,
	"one of many concurrent answers to a request counts":                  requestAnsweredOnce,
	"one of many callers takes a pushed request":                          pushedTakenOnce,
	"one of many callers takes a code, and the grant is revoked":          codeTakenOnce,
	"a code survives an attempt of another client":                        codeOfAnother,
	"a code starts a family of refresh tokens":                            codeStartsFamily,
	"all uses within the grace get the same successor":                    rotateInGrace,
	"without grace one caller gets a successor, and the grant is revoked": rotateWithoutGrace,
	"a use after the grace revokes the grant":                             rotateAfterGrace,
	"too many uses revoke the grant":                                      rotateTooOften,
	"a refresh token works for its client, before it expires":             rotateNotFound,
	"a refresh token ends with its grant":                                 rotateRevoked,
}

var expiryTests = map[string]func(*storeTest){
	"only expired rows are dropped":                                  dropExpired,
	"a client with neither a grant nor a pending request is dropped": dropClients,
}

// storeTest is a test of one store.
type storeTest struct {
	*testing.T
	s   authserver.Stores
	now time.Time
	n   int
}

// name returns a new name.
func (b *storeTest) name(kind string) string {
	b.n++
	return fmt.Sprintf("%s-%d", kind, b.n)
}

func (b *storeTest) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// want checks that an error is the one that the contract names.
func (b *storeTest) want(err, sentinel error) {
	b.Helper()
	if !errors.Is(err, sentinel) {
		b.Errorf("got error %v, want %v", err, sentinel)
	}
}

func equal[V any](b *storeTest, got, want V) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// race runs f in many goroutines that start together, and counts the errors
// by what they are; nil counts too. Any other error fails the test.
func (b *storeTest) race(f func(i int) error) map[error]int {
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

func (b *storeTest) account() *oauth.Account {
	b.Helper()
	a := &oauth.Account{ID: b.name("account"), Name: b.name("name"), Password: "hash", Created: b.now}
	b.must(b.s.Accounts.AddAccount(b.Context(), a))
	return a
}

func (b *storeTest) client() *oauth.Client {
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
	b.must(b.s.Clients.AddClient(b.Context(), c, 1000))
	return c
}

// grant returns a grant of a new account that is not recorded yet.
func (b *storeTest) grant(clientID string) *oauth.Grant {
	b.Helper()
	a := b.account()
	return &oauth.Grant{
		ID:         b.name("grant"),
		AccountID:  a.ID,
		Name:       a.Name,
		ClientID:   clientID,
		ClientName: "An app",
		Scope:      oauth.ScopeSet{"mcp:tools", "offline_access"},
		Resource:   "https://rialto.example/mcp",
		AuthTime:   b.now.Add(-time.Minute),
		Created:    b.now,
		Expires:    b.now.Add(90 * 24 * time.Hour),
	}
}

func (b *storeTest) request() *oauth.Request {
	b.Helper()
	r := &oauth.Request{
		Handle:        b.name("handle"),
		Browser:       "browser",
		ClientID:      b.name("client"),
		RedirectURI:   "https://app.example/cb?x=1",
		RedirectSent:  true,
		State:         "a state with spaces, \"quotes\" and ✓",
		Scope:         oauth.ScopeSet{"mcp:tools"},
		Resource:      "https://rialto.example/mcp",
		Challenge:     "challenge",
		JKT:           "thumbprint",
		SignedInAfter: b.now.Add(-time.Hour),
		Expires:       b.now.Add(10 * time.Minute),
	}
	b.must(b.s.Requests.AddRequest(b.Context(), r))
	return r
}

// code records a code under a grant of its own.
func (b *storeTest) code() (*oauth.Code, *oauth.Grant) {
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
	b.must(b.s.Requests.Approve(b.Context(), r.Handle, g, c))
	return c, g
}

// family records a grant and its first refresh token.
func (b *storeTest) family() (*oauth.Refresh, *oauth.Grant) {
	b.Helper()
	c, g := b.code()
	first := &oauth.Refresh{Hash: b.name("refresh"), ClientID: c.ClientID, JKT: c.JKT, Expires: b.now.Add(24 * time.Hour)}
	_, err := b.s.Codes.TakeCode(b.Context(), c.Hash, c.ClientID, first, b.now)
	b.must(err)
	return first, g
}

// rotation returns a use of a refresh token, with a successor of its own.
func (b *storeTest) rotation(t *oauth.Refresh) oauth.Rotation {
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

func (b *storeTest) live(id string) bool {
	b.Helper()
	g, err := b.s.Grants.Grant(b.Context(), id)
	b.must(err)
	return g.Live(b.now)
}
