package directory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/sanitize"
	"rialto/internal/i18n"
)

// The bounds of looking at an agent.
const (
	probeFor  = 10 * time.Second
	tryFor    = 45 * time.Second
	maxAnswer = 4000 // characters
)

// Preview is what the card of an agent says.
type Preview struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Version     string      `json:"version,omitempty"`
	Skills      []SkillInfo `json:"skills"`

	// Interface is what calls would use first.
	Interface Interface `json:"interface"`

	// Offers are the interfaces of the card.
	Offers []Interface `json:"offers"`

	// Schemes are the authentication schemes of the card.
	Schemes []string `json:"security_schemes,omitempty"`

	Streaming bool `json:"streaming"`
	Push      bool `json:"push_notifications"`

	// Problems are what an operator should see to, in sentences.
	Problems []*i18n.Message `json:"problems,omitempty"`

	card []byte // JSON, as far as it may be believed; nil if that is not known
}

// Digest tells the card of a preview from others; "" if it is not known.
func (p *Preview) Digest() string {
	if p.card == nil {
		return ""
	}
	return digest(p.card)
}

// CardSource is what Probe may return: a peer that tells the JSON of its card.
type CardSource interface{ CardJSON() []byte }

// Interface is a way to reach an agent.
type Interface struct {
	URL      string         `json:"url"`
	Binding  a2a.Binding    `json:"binding"`
	Protocol a2a.Generation `json:"protocol"`
}

// String tells it in a few words.
func (i Interface) String() string {
	return fmt.Sprintf("A2A %s, %s, at %s", i.Protocol, i.Binding, i.URL)
}

// Preview reads the card of an agent as it is set up, and keeps nothing. The
// error is in words for an operator. An agent of the configuration gets
// ErrExists: what is configured for it is not for another address.
func (r *Registry) Preview(ctx context.Context, a AgentConfig) (*Preview, error) {
	if err := r.Prober.Check(a); err != nil {
		return nil, err
	}
	if r.configured(a.Name) {
		return nil, ErrExists
	}

	ctx, cancel := context.WithTimeout(ctx, probeFor)
	defer cancel()
	peer, unmet, err := r.Prober.Probe(ctx, a)
	if err != nil {
		return nil, err
	}

	return preview(peer, unmet), nil
}

func preview(peer Conn, unmet []*i18n.Message) *Preview {
	card := peer.Card()
	p := &Preview{
		Name:        sanitize.Short(card.Name, 200),
		Description: sanitize.Short(card.Description, 2000),
		Version:     sanitize.Short(card.Version, 100),
		Skills:      SkillInfos(card),
		Streaming:   card.Capabilities.Streaming,
		Push:        card.Capabilities.PushNotifications,
	}
	for _, i := range card.Interfaces[:min(len(card.Interfaces), 20)] {
		p.Offers = append(p.Offers, interfaceOf(i))
	}

	if met, ok := peer.(a2a.Contacted); ok {
		p.Interface = interfaceOf(met.Contact().Interface)
	}
	if s, ok := peer.(CardSource); ok {
		p.card = s.CardJSON()
	}

	p.Schemes = schemes(card)
	for _, way := range unmet {
		p.Problems = append(
			p.Problems, i18n.New("Its card asks for credentials that are not set: %v.", way),
		)
	}

	p.Problems = append(p.Problems, faults(card)...)
	if len(card.Skills) == 0 {
		p.Problems = append(
			p.Problems, i18n.New("Its card names no skills: a model will not know what it can do."),
		)
	}

	return p
}

// faults tells which required members a card lacks (A2A 1.0 section 4.4.1), and which versions of
// the protocol it names that we do not know.
func faults(card *a2a.Card) (list []*i18n.Message) {
	for _, m := range []struct{ name, value string }{{"name", card.Name}, {"description", card.Description}, {"version", card.Version}} {
		if m.value == "" {
			list = append(list, i18n.New("Its card lacks the field %s.", m.name))
		}
	}

	told := []a2a.Generation{"", a2a.V01, a2a.V02, a2a.V03, a2a.V10}
	for _, i := range card.Interfaces[:min(len(card.Interfaces), 20)] {
		if !slices.Contains(told, i.Version) {
			told = append(told, i.Version)
			list = append(
				list,
				i18n.New(
					"Its card names A2A %s, which this server does not know. It will try the versions that it knows.",
					sanitize.Short(string(i.Version), 20),
				),
			)
		}
	}

	return list
}

func interfaceOf(i a2a.Interface) Interface {
	return Interface{
		sanitize.Short(i.URL, 500),
		a2a.Binding(sanitize.Short(string(i.Binding), 50)),
		a2a.Generation(sanitize.Short(string(i.Version), 20)),
	}
}

// schemes tells the ways to authenticate that a card names, in order.
func schemes(card *a2a.Card) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(card.SecuritySchemes)) {
		kind := string(card.SecuritySchemes[name].Type)
		if scheme := card.SecuritySchemes[name].Scheme; scheme != "" {
			kind += " " + scheme
		}
		all = append(all, sanitize.Short(name+" ("+kind+")", 100))
	}
	return all[:min(len(all), 20)]
}

// Trial is how one message to an agent went.
type Trial struct {
	State  a2a.State `json:"state"`  // completed if it answered with a message alone
	Answer string    `json:"answer"` // its words, bounded

	// Interface is what the call took: the generation that was found.
	Interface Interface     `json:"interface"`
	Took      time.Duration `json:"took_ns"`
}

// Test sends one message to an agent of the list, as user, and tells the
// answer. What the agent has not finished by then, or asks about, is canceled.
func (r *Registry) Test(ctx context.Context, user, name, text string) (*Trial, error) {
	e, err := r.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, i18n.Errorf("the message is empty: say what the agent should do")
	}

	ctx, cancel := context.WithTimeout(ctx, tryFor)
	defer cancel()
	peer, _, err := r.Prober.Probe(ctx, e.AgentConfig)
	if err != nil {
		return nil, err
	}
	if personal, ok := peer.(PersonalConn); ok {
		peer = personal.For(user)
	}

	began := r.Now()
	event, err := peer.Send(ctx, &a2a.SendRequest{Message: &a2a.Message{
		ID: uuid.NewString(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)},
	}})
	if err != nil {
		return nil, i18n.Errorf("the agent did not answer: %w", err)
	}

	t := &Trial{Took: r.Now().Sub(began)}
	if met, ok := peer.(a2a.Contacted); ok {
		t.Interface = interfaceOf(met.Contact().Interface)
	}

	switch e := event.(type) {
	case *a2a.Message:
		t.State, t.Answer = a2a.Completed, e.Text()
	case *a2a.Task:
		t.State, t.Answer = e.Status.State, trialText(e)
		if !t.State.Terminal() {
			_, _ = peer.Cancel(ctx, e.ID) // the result of a test is not needed
		}
	}

	t.Answer = sanitize.Short(t.Answer, maxAnswer)
	return t, nil
}

// trialText returns the texts of a task: of its artifacts, and what was said last.
func trialText(t *a2a.Task) string {
	var all []string
	for _, a := range t.Artifacts {
		for _, p := range a.Parts {
			switch c := p.Content.(type) {
			case a2a.Text:
				all = append(all, string(c))
			case a2a.Data:
				all = append(all, string(c))
			}
		}
	}

	if said := t.Status.Message.Text(); said != "" {
		all = append(all, said)
	}

	return strings.Join(all, "\n")
}
