package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/internal/audit"
)

func TestTheOverviewLeadsToWhatIsBehindEachNumber(t *testing.T) {
	r := newRig(t)
	r.task("t-asks", "alice", a2a.InputRequired, "Which <b>quarter</b>?")
	r.task("t-held", "alice", a2a.AuthRequired, "Sign in.")
	r.task("t-failed", "bob", a2a.Failed, "It broke.")
	r.task("t-done", "bob", a2a.Completed, "Done.")
	recorder{r.db}.Record(t.Context(), audit.Event{Kind: audit.KeyRotated, Actor: "root"})
	list := r.Bridge.Directory
	if _, _, err := list.CardOf(t.Context(), list.AccessOf(directory.Caller{AllUseCases: true}), "expert"); err == nil {
		t.Error("the agent of the rig refuses connections")
	}
	b := r.as("root")
	p := b.get("/admin")
	got := map[string]string{}
	for _, a := range p.all(".stats a") {
		got[attr(a, "href")] = words(a)
	}
	for href, want := range map[string]string{
		"/admin/tasks?state=input-required":   "Waiting for an answer 1 and 1 for a sign-in",
		"/admin/tasks?state=failed&changed=1": "Failed in 24 hours 1",
		"/admin/agents?only=attention":        "Unhealthy agents 1 of 1",
		"/admin/usage?days=1":                 "p95 latency –",
	} {
		if got[href] != want {
			t.Errorf("%s: got %q, want %q", href, got[href], want)
		}
		if rows := b.get(href).all("#tasks tbody tr"); strings.Contains(href, "tasks") && len(rows) != 1 {
			t.Errorf("%s: got %d rows, want the one that was counted", href, len(rows))
		}
	}
	if items := p.all("#decide .items li"); len(items) != 2 || !strings.Contains(words(items[0])+words(items[1]), "Which <b>quarter</b>? just now") {
		t.Errorf("got %d decisions", len(items))
	}
	if len(p.all("#failed .items li")) != 1 || len(p.all("#latest .record dt")) == 0 {
		t.Error("want what failed, and the latest events")
	}
}

func TestSetupEndsOnWhatToDoNext(t *testing.T) {
	b := newRig(t).as("root")
	p := b.get("/admin?done=setup")
	var next []string
	for _, a := range p.all("#next dd a") {
		next = append(next, attr(a, "href"))
	}
	if got := strings.Join(next, " "); got != "/admin/agents/new / /admin/accounts/new /admin/doctor" || len(p.all("#done")) != 1 {
		t.Errorf("got the steps %q", got)
	}
	if len(b.get("/admin").all("#next")) != 0 {
		t.Error("a server with an agent still says what to do first")
	}
}

// href is the address of a link of a page.
func (p shownPage) href(t *testing.T, selector string) string {
	t.Helper()
	all := p.all(selector)
	if len(all) != 1 {
		t.Fatalf("got %d of %s", len(all), selector)
	}
	return attr(all[0], "href")
}

func TestAListIsReadForwardBackwardAndInTheOtherOrder(t *testing.T) {
	r := newRig(t)
	for i := range 60 {
		r.must(r.db.Records.AddEvents(t.Context(), []audit.Event{{ID: fmt.Sprintf("e%03d", i), At: time.Now().Add(time.Duration(i-60) * time.Minute), Kind: audit.SignIn, Outcome: audit.OK, Actor: fmt.Sprintf("person %02d", i)}}))
	}
	b := r.as("root")
	const list = "/admin/audit?kind=sign_in&actor=&text=person"
	actors := func(p shownPage) (all []string) {
		for _, n := range p.all("#audit tbody tr") {
			all = append(all, strings.Fields(words(n))[3])
		}
		return all
	}
	first := b.get(list)
	one := actors(first)
	if len(one) != 50 || one[0] != "59" || words(first.all("#audit .total")[0]) != "60 found in the latest 2,000" {
		t.Fatalf("got %d rows from %q, %q", len(one), one[0], words(first.all("#audit .total")[0]))
	}
	if len(first.all(".pager a[rel=prev]")) != 0 {
		t.Error("the first page has a page before it")
	}
	second := b.get(first.href(t, ".pager a[rel=next]"))
	if got := actors(second); len(got) != 10 || got[9] != "00" || len(second.all(".pager a[rel=next]")) != 0 {
		t.Errorf("got %v on the second page", got)
	}
	back := b.get(second.href(t, ".pager a[rel=prev]"))
	if got := actors(back); !slices.Equal(got, one) || len(back.all(".pager a[rel=prev]")) != 0 {
		t.Errorf("got %v on the way back, want the first page", got)
	}
	turned := b.get(first.href(t, "thead th[aria-sort=descending] a"))
	if got := actors(turned); len(got) != 50 || got[0] != "00" || len(turned.all("thead th[aria-sort=ascending]")) != 1 {
		t.Errorf("got %v in the other order", got)
	}
	if got := actors(b.get(turned.href(t, ".pager a[rel=next]"))); len(got) != 10 || got[9] != "59" {
		t.Errorf("got %v on its second page", got)
	}
}

func TestTasksAreFoundByTheirRequestAndTheNameOfTheirAccount(t *testing.T) {
	r := newRig(t)
	for handle, asked := range map[string]string{"t1": "Compare 100% of the PREMIUMS", "t2": "Book a room"} {
		r.asked(handle, "alice", a2a.Completed, asked, "Done.")
	}
	r.task("t3", "bob", a2a.Completed, "Done.")
	b := r.as("root")
	for query, want := range map[string]int{
		"": 3, "text=premiums": 1, "text=100%25": 1, "text=10_%25": 0, "text=t2": 1, "text=nothing": 0, "owner=alice": 2, "owner=alice&text=room": 1, "owner=nobody": 0, "owner=" + r.ids["bob"]: 1, "days=1": 3,
	} {
		p := b.get("/admin/tasks?" + query)
		if got := len(p.all("#tasks tbody tr")); got != want {
			t.Errorf("%q: got %d tasks, want %d", query, got, want)
		}
	}
	p := b.get("/admin/tasks?owner=alice")
	if len(p.all("#l-owner option[value=bob]")) != 1 || attr(p.all("#f-owner")[0], "value") != "alice" {
		t.Error("want the names of accounts suggested")
	}
}

func TestConnectionsAreFilteredByNames(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	r.client("c2", "Chat")
	r.grant("g1", "alice", "c1")
	r.grant("g2", "bob", "c2")
	r.grant("g3", "bob", "partner")
	b := r.as("root")
	for query, want := range map[string]int{"client=Chat": 2, "client=c1": 1, "client=Partner": 1, "account=bob": 2, "account=bob&client=chat": 1, "account=nobody": 0, "client=nothing": 0} {
		p := b.get("/admin/grants?" + query)
		if got := len(p.all("#grants tbody tr")); got != want || want > 0 && words(p.all("#grants .total")[0]) != fmt.Sprintf("%d in all", want) {
			t.Errorf("%q: got %d connections, want %d", query, got, want)
		}
	}
	p := b.get("/admin/grants?account=bob")
	if got := words(p.all("#grants tbody tr")[0]); !strings.Contains(got, "Use agents") || strings.Contains(got, "as you") {
		t.Errorf("got %q, want what others may do", got)
	}
	b.post("/admin/grants/end-all", "account", "bob", "client", "", "confirm", "yes")
	if r.live("g2") || r.live("g3") || !r.live("g1") {
		t.Error("want those of bob ended")
	}
	if p := b.get("/admin/grants?" + url.Values{"client": {"Chat"}}.Encode()); len(p.all("form[action=/admin/grants/end-all]")) != 0 {
		t.Error("got a button for two apps of one name, of which one would be meant")
	}
}
