package authserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/oauth/signin"
	"rialto/store"
	"rialto/store/storetest"
)

// replicas starts two servers over one database of each engine.
func replicas(t *testing.T, test func(t *testing.T, two [2]*rig)) {
	for engine, dsn := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return storetest.File(t, store.Open) },
		"PostgreSQL": func(t testing.TB) string { return oauthtest.PostgresSchema(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			at := dsn(t)
			var dbs [2]*store.DB
			for i := range dbs {
				db, err := store.Open(t.Context(), at)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				dbs[i] = db
			}
			first := serve(t, dbs[0], httptest.NewUnstartedServer(nil), behindProxy)
			second := *first
			second.db = dbs[1]
			second.s = second.replica(behindProxy)
			m := mux.NewRouter()
			second.s.Routes(m)
			ts := httptest.NewServer(m)
			t.Cleanup(ts.Close)
			second.url = ts.URL
			two := [2]*rig{first, &second}
			test(t, two)
		})
	}
}

// behindProxy lets a test choose the addresses of its browsers.
func behindProxy(s *setup) { s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// signIn signs in at the page of a replica and returns the answer.
func (r *rig) signIn(b *oauthtest.Browser, name, password string) *oauthtest.Page {
	r.t.Helper()
	return b.Submit(b.Get(r.url+"/signin"), params{"username": name, "password": password})
}

// guess tries a password from a new network, and returns the answer.
func (r *rig) guess(i int, name string) *oauthtest.Page {
	r.t.Helper()
	return r.signIn(r.at(fmt.Sprintf("192.0.%d.%d", i>>8, i&255)), name, "guess")
}

// at returns a new browser in a network.
func (r *rig) at(address string) *oauthtest.Browser {
	b := r.browser()
	b.Header.Set("X-Forwarded-For", address)
	return b
}

// TestJ13AnAccountIsGuessedAHundredTimesAtMost has strangers guess the password of an account from an
// address each, at two replicas, until it is locked for them. Its owner signs in all the same.
func TestJ13AnAccountIsGuessedAHundredTimesAtMost(t *testing.T) {
	replicas(t, func(t *testing.T, two [2]*rig) {
		owner := two[0].browser()
		two[0].signIn(owner, user, password).Continue()
		a, err := two[0].db.OAuth.Accounts.Account(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		for range 80 { // hashing as many passwords would take a while
			if _, err := two[0].db.OAuth.Guesses.CountGuess(t.Context(), a.ID, false, 90, two[0].clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
		wrong, locked := 0, 0
		for i := range 30 {
			switch p := two[i%2].guess(i, user); {
			case strings.Contains(p.Text(), "Wrong username or password."):
				wrong++
			case strings.Contains(p.Text(), "This account is locked"):
				locked++
			}
		}
		if wrong != 10 || locked != 20 {
			t.Errorf("got %d guesses checked and %d refused, want 10 (90 with those before) and 20", wrong, locked)
		}
		if p := two[1].signIn(two[1].at("198.18.0.1"), user, password); p.Status != 403 || !strings.Contains(p.Text(), "that you have used here before") {
			t.Errorf("the right password in a new browser: got status %d, %s; want what to do", p.Status, p.Text())
		}
		two[1].signIn(owner, user, password).Continue() // at the other replica, in the browser that was used before
		two[1].signIn(two[1].at("198.18.0.1"), user, password).Continue()
	})
}

func TestJ13AnOperatorUnlocksAnAccount(t *testing.T) {
	r := newRig(t, behindProxy)
	for i, next := range []string{"another horse battery staple", "another horse battery staple"} { // a new one, and the same
		stranger := r.at(fmt.Sprintf("198.18.0.%d", i))
		r.lock(t)
		if p := r.signIn(stranger, user, next); p.Status != 403 {
			t.Errorf("got status %d, want the account to be locked", p.Status)
		}
		if err := r.s.Accounts.SetPassword(t.Context(), user, next); err != nil {
			t.Fatal(err)
		}
		r.signIn(stranger, user, next).Continue()
	}
}

// TestJ13ALockLetsOneGuessAnHourThrough has an owner in a new browser wait for it.
func TestJ13ALockLetsOneGuessAnHourThrough(t *testing.T) {
	r := newRig(t, behindProxy)
	r.lock(t)
	for i := range 3 {
		r.clock.advance(time.Hour)
		if p := r.guess(i, user); !strings.Contains(p.Text(), "Wrong username or password.") {
			t.Errorf("guess %d after an hour: got %s, want it checked", i+1, p.Text())
		}
		if p := r.guess(i+100, user); !strings.Contains(p.Text(), "This account is locked") {
			t.Errorf("guess %d at once: got %s, want the account to be locked", i+1, p.Text())
		}
	}
	r.clock.advance(time.Hour)
	r.signIn(r.at("198.18.0.1"), user, password).Continue()
	r.signIn(r.at("198.18.0.2"), user, password).Continue() // the right one has unlocked it
}

// TestJ13AKnownNetworkIsNotLocked has an owner come in a new browser from where the account has signed
// in before, beside an attacker who guesses there, too.
func TestJ13AKnownNetworkIsNotLocked(t *testing.T) {
	r := newRig(t, behindProxy)
	r.signIn(r.at("198.18.0.1"), user, password).Continue()
	r.lock(t)
	if p := r.signIn(r.at("198.18.0.2"), user, password); p.Status != http.StatusForbidden {
		t.Errorf("another network: got status %d, want the account to be locked", p.Status)
	}
	r.signIn(r.at("198.18.0.1"), user, password).Continue()
	device := r.at("198.18.0.1")
	r.signIn(device, user, password).Continue()
	r.lock(t)
	wrong := 0
	for range 8 {
		if strings.Contains(r.signIn(r.at("198.18.0.1"), user, "guess").Text(), "Wrong username or password.") {
			wrong++
		}
		r.clock.advance(5 * time.Minute)
	}
	if wrong != 5 {
		t.Errorf("got %d guesses checked at the network of a locked account, want 5", wrong)
	}
	r.signIn(device, user, password).Continue()
}

// TestJ13NetworksOfAnAccountAreTheNewest signs in from more networks than are kept.
func TestJ13NetworksOfAnAccountAreTheNewest(t *testing.T) {
	r := newRig(t, behindProxy)
	signIn := func(i int) int {
		return r.signIn(r.at(fmt.Sprintf("198.18.0.%d", i)), user, password).Status
	}
	for i := range 11 {
		r.clock.advance(time.Minute)
		if got := signIn(i); got != http.StatusSeeOther {
			t.Fatalf("network %d: got status %d", i, got)
		}
	}
	for i, want := range map[int]int{0: http.StatusForbidden, 1: http.StatusSeeOther} {
		r.lock(t)
		if got := signIn(i); got != want {
			t.Errorf("network %d of 11: got status %d, want %d", i, got, want)
		}
	}
}

// TestJ13DevicesHaveFewGuessesTogether lets a thief of two browsers guess the password there, after
// strangers have locked the account.
func TestJ13DevicesHaveFewGuessesTogether(t *testing.T) {
	r := newRig(t)
	stolen := []*oauthtest.Browser{r.browser(), r.browser()}
	for _, b := range stolen {
		r.signIn(b, user, password).Continue()
	}
	r.lock(t)
	wrong := 0
	for i := range 24 {
		if strings.Contains(r.signIn(stolen[i%2], user, "guess").Text(), "Wrong username or password.") {
			wrong++
		}
		r.clock.advance(2 * time.Minute)
	}
	if wrong != 10 {
		t.Errorf("got %d guesses checked on devices of a locked account, want 10", wrong)
	}
}

// TestJ13ACookieOfAnotherAccountIsNoDevice plants the cookie of another account in its place.
func TestJ13ACookieOfAnotherAccountIsNoDevice(t *testing.T) {
	r := newRig(t, behindProxy)
	oauthtest.AddUser(t, r.s, "bob", password)
	devices := map[string]*http.Cookie{}
	b := r.at("198.18.0.1")
	for _, name := range []string{"bob", user} {
		browser := r.browser()
		r.signIn(browser, name, password).Continue()
		for _, c := range browser.Cookies(r.url) {
			if strings.HasPrefix(c.Name, "rialto-device-") {
				devices[name] = c
			}
		}
	}
	r.lock(t)
	if devices["bob"] == nil || devices[user] == nil {
		t.Fatalf("got the cookies %v, want one of each account", devices)
	}
	planted := *devices["bob"]
	planted.Name = devices[user].Name
	b.SetCookie(r.url, &planted)
	if p := r.signIn(b, user, password); p.Status != 403 {
		t.Errorf("got status %d with the cookie of another account, want 403", p.Status)
	}
	b.SetCookie(r.url, devices[user])
	r.signIn(b, user, password).Continue()
}

// lock locks the account of the user for strangers.
func (r *rig) lock(t *testing.T) {
	t.Helper()
	a, err := r.db.OAuth.Accounts.Account(t.Context(), user)
	for range 100 {
		if err == nil {
			_, err = r.db.OAuth.Guesses.CountGuess(t.Context(), a.ID, false, 90, r.clock.Now())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAnUnknownNameLocksLikeAnAccount guesses for a name that does not exist, at two replicas.
func TestAnUnknownNameLocksLikeAnAccount(t *testing.T) {
	replicas(t, func(t *testing.T, two [2]*rig) {
		for i := range 90 {
			if p := two[i%2].guess(i, "nobody"); !strings.Contains(p.Text(), "Wrong username or password.") {
				t.Fatalf("guess %d: got %s", i+1, p.Text())
			}
		}
		if p := two[0].guess(90, "nobody"); !strings.Contains(p.Text(), "This account is locked") {
			t.Errorf("got %s, want what a locked account is answered", p.Text())
		}
	})
}

// TestJ13AnAccountTakesNoTurnsOfOthers signs bob in with his own password, in his own browser, on more
// connections than may wait, each from an address of its own.
func TestJ13AnAccountTakesNoTurnsOfOthers(t *testing.T) {
	r := newRig(t, behindProxy)
	oauthtest.AddUser(t, r.s, "bob", password)
	ada, bob := r.browser(), r.browser()
	r.signIn(ada, user, password).Continue()
	r.signIn(bob, "bob", password).Continue()
	_, form := bob.Get(r.url + "/signin").Form()
	form.Set("username", "bob")
	form.Set("password", password)
	var cookies []string
	for _, c := range bob.Cookies(r.url) {
		cookies = append(cookies, c.String())
	}
	ctx, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	refused := make(chan string, 1) // the Retry-After of the first
	for i := range 130 {
		from := fmt.Sprintf("198.18.0.%d", i)
		all.Go(func() {
			for ctx.Err() == nil {
				req := r.request(http.MethodPost, "/signin", formType, form.Encode(), "Cookie", strings.Join(cookies, "; "), "X-Forwarded-For", from)
				resp, err := r.http.Do(req.WithContext(ctx))
				if err != nil {
					return
				}
				resp.Body.Close()
				if resp.StatusCode == http.StatusTooManyRequests {
					select {
					case refused <- resp.Header.Get("Retry-After"):
					default:
					}
				}
			}
		})
	}
	defer all.Wait()
	defer end()
	if wait := <-refused; wait == "" {
		t.Error("bob is not told when to try again")
	}
	for i := range 3 {
		if p := r.signIn(ada, user, password); p.Status != http.StatusSeeOther {
			t.Errorf("sign-in %d of another account: got status %d, %s", i+1, p.Status, p.Text())
		}
	}
	if err := r.s.Accounts.SetPassword(t.Context(), "carol", "set by an operator"); err != nil {
		t.Errorf("an operator: got %v", err)
	}
}

func TestCommonPasswordsAreRefused(t *testing.T) {
	r := newRig(t)
	for name, password := range map[string]string{"dora": "password1", "emma": "Sunshine", "franziska": "Franziska", "gina": "1qaz2wsx"} {
		err := r.s.Accounts.Add(t.Context(), name, password)
		if !errors.Is(err, signin.ErrCommonPassword) {
			t.Errorf("%s: got %v, want ErrCommonPassword", password, err)
		}
	}
	if _, err := r.s.Accounts.Find(t.Context(), "dora"); !errors.Is(err, oauth.ErrNotFound) {
		t.Errorf("got %v, want no account", err)
	}
	if err := r.s.Accounts.Add(t.Context(), "dora", "gold teapot on the moon"); err != nil {
		t.Error(err)
	}
}

func TestJ13GuessingAPasswordIsSlow(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	page := b.Get(r.authorizeURL(r.newClient("none"), nil))
	guess := params{"decision": "approve", "username": user, "password": "guess"}
	for i := range 5 {
		p := b.Submit(page, guess)
		if p.Status != 403 || !p.Has("#error") || p.Attribute("input[name=username]", "value") != user {
			t.Fatalf("guess %d: got status %d, want the page again with the name", i+1, p.Status)
		}
	}
	b.Submit(page, guess)
	blocked := b.Submit(page, approve)
	if blocked.Status != 429 || blocked.Header.Get("Retry-After") == "" {
		t.Errorf("got status %d, Retry-After %q, want the right password to wait too", blocked.Status, blocked.Header.Get("Retry-After"))
	}
	if log := r.log.String(); strings.Contains(log, "guess") {
		t.Error("the log holds what was typed")
	}
	t.Run("another name is not blocked yet", func(t *testing.T) {
		if p := b.Submit(page, guess.with(params{"username": "bob"})); p.Status != 403 {
			t.Errorf("got status %d, want 403", p.Status)
		}
	})
	r.clock.advance(2 * time.Second)
	b.Submit(page, approve).Continue()
}

func TestJ13ANameIsTheSameHoweverItIsSpelled(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	page := b.Get(r.authorizeURL(r.newClient("none"), nil))
	for _, spelled := range []string{"ada", "Ada", "aDa", "adA", " ADA", "ａｄａ"} {
		b.Submit(page, params{"decision": "approve", "username": spelled, "password": "guess"})
	}
	if p := b.Submit(page, params{"decision": "approve", "username": "AdA", "password": "guess"}); p.Status != 429 {
		t.Errorf("got status %d after six guesses, want 429", p.Status)
	}
}

func TestJ13WrongNamesLockNobodyOut(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	page := b.Get(r.authorizeURL(r.newClient("none"), nil))
	for i := range 60 {
		if p := b.Submit(page, params{"decision": "approve", "username": fmt.Sprint("user", i), "password": "guess"}); p.Status != 403 {
			t.Fatalf("name %d: got status %d, want 403", i, p.Status)
		}
	}
	b.Submit(page, approve).Continue() // from the same address
}

func TestAnUnknownNameIsAnsweredLikeAWrongPassword(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	page := b.Get(r.authorizeURL(r.newClient("none"), nil))
	wrong := b.Submit(page, params{"decision": "approve", "username": user, "password": "guess"})
	for _, name := range []string{"nobody", "a b", strings.Repeat("n", 200), "\u00e9\u0301\u0301", "na\u202eme", "'--"} {
		p := b.Submit(page, params{"decision": "approve", "username": name, "password": "guess"})
		if p.Status != wrong.Status || p.Find("#error") == nil || !strings.Contains(p.Text(), "Wrong username or password.") {
			t.Errorf("%q: got status %d, want that of a wrong password", name, p.Status)
		}
	}
	p := b.Submit(page, params{"decision": "approve", "username": user, "password": strings.Repeat("p", 2000)})
	if p.Status != wrong.Status {
		t.Errorf("a long password: got status %d", p.Status)
	}
}
