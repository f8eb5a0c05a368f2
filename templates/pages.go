package templates

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Authorize asks a person to let a client in, and to sign in as well without a session. Its form
// posts handle, decision (approve, deny or switch) and either as, the User that the page showed, or
// username and password. After a warning of a LookAlike it posts understood=yes. Each scope that is
// granted is posted as scope.
type Authorize struct {
	Product      string
	Client       string    // the client's name, cleaned
	Unverified   bool      // nothing vouches for the client's name
	ClientURI    string    // the address that vouches for the client, if one does
	RedirectHost string    // where the answer goes
	Loopback     bool      // RedirectHost is this computer
	Connector    Connector // what it connects to
	LookAlike    string    // the vendor whose name Client resembles; "" is none
	Scopes       []Scope   // what the client would be able to do
	Agents       []string  // whom it would reach
	Ends         Text      // when it ends; nil is not said
	User         string    // who is signed in; "" shows the sign-in fields
	Username     string    // the value typed before, when the page is shown again
	Error        string    // why the page is shown again
	Handle       string    // names the request that waits at the server
	Action       string    // where the form goes
	Setup        string    // where the first account is made; "" if there is one
	Passkey      string    // the options of a sign-in by passkey, as JSON; "" is not offered

	NoPasswords bool       // there are no local accounts
	Demo        bool       // the page says where the password of the demo is
	Providers   []Provider // where people may sign in instead
	Another     bool       // those ask which account it is, though they know one
	Token       *Token     // an access token may be pasted; nil shows no field
	Voucher     *Voucher   // what the one that was pasted says
}

// Connector is what an app connects to.
type Connector struct{ Title, URL string }

// Provider is an identity provider. Its button posts decision=provider:ID, or
// provider=ID on the page that only signs in.
type Provider struct{ ID, Name string }

// Token is which access tokens may be pasted. The field posts token, with
// decision=token and what the script has shown of it as shown.
type Token struct {
	Issuer    string
	Audiences string // separated by spaces
	Error     string // why the one that was pasted does not do
}

// Voucher is what a pasted token says, for the person to decide about. The form
// posts it back as voucher and shown, with decision=token.
type Voucher struct {
	Sealed   string
	Shown    string
	UseCases []string // "*" is all of them
	Left     string   // how long it lasts yet
}

// All tells whether the token opens every use case.
func (v Voucher) All() bool { return slices.Contains(v.UseCases, "*") }

// Scope is a permission and what it means in words. Where there are several the form posts scope
// once for each that stays ticked; a single one is not for choosing.
type Scope struct {
	Name, Words string
	UseCase     string // what it is limited to; "" is no limit
	Ticked      bool
}

// shownAgents is how many agents the page names.
const shownAgents = 8

// Named returns the agents that are named, and More how many are not.
func (p Authorize) Named() []string { return p.Agents[:min(len(p.Agents), shownAgents)] }

// More is how many agents Named leaves out, in digits; "" is none.
func (p Authorize) More() string {
	if len(p.Agents) <= shownAgents {
		return ""
	}
	return strconv.Itoa(len(p.Agents) - shownAgents)
}

// Choice tells whether there is something to choose from.
func (p Authorize) Choice() bool { return len(p.Scopes) > 1 }

// Return sends the browser back to the client after a decision. It is a page and not a redirect
// because form-action in our policy blocks the second hop of a redirect that follows a form.
type Return struct {
	Product string
	Client  string
	URL     string // the client's redirect URI with the answer in its query
	Denied  bool
}

// SignIn asks for a name and a password, for our own pages. Where there is no
// account yet it asks for the setup code, too, and makes the first one.
type SignIn struct {
	Product  string
	Action   string
	Next     string // the path to go to afterwards
	Username string
	Error    string
	Handle   string
	Link     string // signs Username in, with a button
	Invited  bool   // the person of Link chooses a password, or a passkey
	Setup    bool   // there is no account, and a code to make the first
	Passkey  string // the options of a passkey to sign in with, or to choose, as JSON; "" is not offered

	NoPasswords bool
	Demo        bool // the page says where the password of the demo is
	Providers   []Provider
	Another     bool // those ask which account it is, though they know one
}

// Leave sends the browser on to an identity provider. It is a page for the
// reason for which Return is one.
type Leave struct {
	Product, Provider, URL string
}

// SignedOut confirms that the browser session has ended.
type SignedOut struct{ Product string }

// Problem says what went wrong and what the reader can do about it. It leads back to a client only
// by a click, never automatically, and says where that goes (RFC 9700 section 4.11.2).
type Problem struct {
	Product, Title, Detail, Remedy string

	Reason      Text // Detail with values in it; nil: Detail is all
	RemedyFirst bool // Detail stands below Remedy, small

	Connector string // the address that a chat app connects to; "" shows none

	Client  string // the client that asked, if it is known
	URL     string // where it learns of it; "" shows no way back
	Address string // the address that Detail is about, if there is one

	Way, WayTo string // a page of ours to go on at, and what to call that; "" shows none
}

// Home tells a person what this server is and how to connect a chat app. It
// speaks of agents to those who are signed in, or when there are some.
type Home struct {
	Product  string
	URL      string // the address of the connector
	Agents   []HomeAgent
	Snippets []Snippet
	User     string // the signed-in user, or ""
	Admin    bool   // whether that is an administrator
	SignOut  string // where the sign-out form goes; "" shows none

	Send    *SendBox   // nil where the user cannot send
	Waiting []HomeTask // those that wait for the user
	Recent  []HomeTask
	Apps    []string // names of the apps that the user has connected

	WaitingState string // the state by which "Show all" beside Waiting filters
}

// SendBox sends a task. Its form posts do=send, once, agent, message and files.
type SendBox struct {
	Once   string
	Agents []HomeAgent
}

// HomeTask is a task as Home lists it.
type HomeTask struct {
	Href               string
	Agent              string // its title
	Title, State, When Text
}

// HomeAgent is an agent as Home lists it. One that is neither Ready nor Away has
// not been asked yet.
type HomeAgent struct {
	Name, Title, Description string
	Ready, Away, Default     bool
}

// Snippet is how one chat app is connected: what has to be so before, steps in words,
// one per line, and a command or a piece of configuration to copy.
type Snippet struct {
	Client, Note, Steps, Code string
	Connected                 bool // by the user who is signed in
}

// Lines is Steps, step by step.
func (s Snippet) Lines() []string {
	return strings.FieldsFunc(s.Steps, func(r rune) bool { return r == '\n' })
}

func (Authorize) file() string { return "authorize" }
func (Return) file() string    { return "return" }
func (SignIn) file() string    { return "signin" }
func (Leave) file() string     { return "leave" }
func (SignedOut) file() string { return "signedout" }
func (Problem) file() string   { return "problem" }
func (Home) file() string      { return "home" }
func (Task) file() string      { return "task" }
func (Connect) file() string   { return "connect" }
func (Device) file() string    { return "device" }

// Href is URL as a link. html/template lets only http, https and mailto pass, but desktop apps
// register schemes of their own (RFC 8252 section 7.1). The server has matched URL to a registered
// redirect URI; what could run as code in our origin is stopped here a second time.
func (p Return) Href() template.URL { return href(p.URL) }

// Href is URL as a link, under the rule of Return.Href.
func (p Problem) Href() template.URL { return href(p.URL) }

// Host is where URL leads: its host, or the scheme of a desktop app.
func (p Problem) Host() string {
	u, err := url.Parse(p.URL)
	switch {
	case err != nil:
		return ""
	case u.Host == "":
		return u.Scheme
	}
	return u.Host
}

func href(raw string) template.URL {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || slices.Contains(scriptSchemes, strings.ToLower(u.Scheme)) {
		return "#"
	}
	return template.URL(raw)
}

var scriptSchemes = []string{
	"javascript",
	"data",
	"vbscript",
	"file",
	"blob",
	"about",
	"view-source",
}
