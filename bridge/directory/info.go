package directory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"rialto/a2a"
	"rialto/bridge/sanitize"
)

// Info describes an agent.
type Info struct {
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Version     string      `json:"version,omitempty"`
	Default     bool        `json:"default"`
	Available   bool        `json:"available"`
	Problem     string      `json:"problem,omitempty"`
	Connected   *bool       `json:"connected,omitempty"`   // by the user; nil where users do not connect it
	ConnectURL  string      `json:"connect_url,omitempty"` // where they do
	Skills      []SkillInfo `json:"skills"`
}

// SkillInfo describes a skill.
type SkillInfo struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Examples    []string `json:"examples,omitempty"`
}

// Infos returns what is known of the agents that the caller may see, and requests missing cards.
func (d *Directory) Infos(ctx context.Context, a Access) []Info {
	d.Reachable(ctx, a)
	agents := d.Agents(a)
	infos := make([]Info, len(agents))
	for i, p := range agents {
		infos[i] = d.Info(ctx, a, p)
	}
	return infos
}

// CachedInfos returns what is known now of the agents that the caller may see. It does
// not wait; missing cards are requested in the background for the next call.
func (d *Directory) CachedInfos(ctx context.Context, a Access) []Info {
	if !d.closed.Load() && d.asking.CompareAndSwap(false, true) {
		d.background.Go(func() {
			defer d.asking.Store(false)
			d.Reachable(context.WithoutCancel(ctx), a)
		})
	}

	var infos []Info
	for _, p := range d.Agents(a) {
		info := d.newInfo(p)
		last := p.last.Load()
		switch {
		case last == nil:
		case last.conn != nil:
			info.describe(a.Card(p, last.conn.Card()))
		default:
			info.Problem = Unreachable{p.Name}.Error()
		}
		infos = append(infos, info)
	}

	return infos
}

// Titles returns the names of the agents that a caller may send tasks to, from their
// cards if those are known. It does not wait.
func (d *Directory) Titles(a Access) []string {
	var names []string
	for _, p := range d.Agents(a) {
		names = append(names, p.Title())
	}
	return names
}

// Title returns what an agent calls itself, or its name as long as its card is not known.
func (d *Directory) Title(name string) string {
	if p := d.Lookup(name); p != nil {
		return p.Title()
	}
	return name
}

// Title returns what the agent calls itself, or its name as long as its card is not known.
func (e *Agent) Title() string {
	card := e.LastCard()
	if card == nil {
		return e.Name
	}
	return cmp.Or(sanitize.Label(card.Name), e.Name)
}

// Info describes an agent, with the skills that a call may know of.
func (d *Directory) Info(ctx context.Context, a Access, p *Agent) Info {
	info := d.newInfo(p)
	conn, err := d.Connect(ctx, p)
	if err != nil {
		info.Problem = sanitize.Text(err.Error())
		return info
	}
	info.describe(a.Card(p, conn.Card()))
	d.addConnection(ctx, a, &info)
	return info
}

func (d *Directory) newInfo(p *Agent) Info {
	return Info{Name: p.Name, Default: p.Name == d.Primary(), Skills: []SkillInfo{}}
}

// addConnection adds whether the caller has connected the agent.
func (d *Directory) addConnection(ctx context.Context, a Access, info *Info) {
	if !d.Connectable(info.Name) {
		return
	}

	connected, err := d.Connections.Connected(ctx, a.User(), info.Name)
	if err != nil {
		d.Log.ErrorContext(ctx, "looking a connection up", "agent", info.Name, "err", err)
		return
	}

	info.Connected = &connected
	info.ConnectURL = d.URL + ConnectPath + info.Name
}

// describe adds the content of a card.
func (info *Info) describe(card *a2a.Card) {
	info.Available = true
	info.Title, info.Description, info.Version = sanitize.Label(card.Name), sanitize.Short(card.Description, 1000), sanitize.Label(card.Version)
	info.Skills = SkillInfos(card)
}

// MaxSkills bounds how many skills of an agent are shown.
const MaxSkills = 50

// SkillInfos describes the skills of a card.
func SkillInfos(card *a2a.Card) []SkillInfo {
	infos := []SkillInfo{}
	for _, s := range card.Skills[:min(len(card.Skills), MaxSkills)] {
		infos = append(infos, SkillInfo{
			ID:          sanitize.Label(s.ID),
			Name:        sanitize.Label(s.Name),
			Description: sanitize.Short(s.Description, 1000),
			Tags:        sanitize.Labels(s.Tags),
			Examples:    sanitize.Labels(s.Examples),
		})
	}

	return infos
}

// DescribeCard returns a card as text.
func DescribeCard(card *a2a.Card) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n%s\n", sanitize.Label(card.Name), sanitize.Text(card.Description))
	for _, k := range card.Skills {
		fmt.Fprintf(
			&s,
			"\nSkill %s: %s\n%s\n",
			sanitize.Label(k.ID),
			sanitize.Label(k.Name),
			sanitize.Text(k.Description),
		)
		for _, example := range k.Examples {
			fmt.Fprintf(&s, "Example: %s\n", sanitize.Text(example))
		}
	}

	return s.String()
}

// CardOf returns the description and the card of an agent, or ErrNoAgent if the caller
// may not see it.
func (d *Directory) CardOf(ctx context.Context, a Access, name string) (Info, *a2a.Card, error) {
	p := d.Agent(a, name)
	if p == nil {
		return Info{}, nil, ErrNoAgent
	}
	conn, err := d.Connect(ctx, p)
	if err != nil {
		return Info{}, nil, err
	}
	return d.Info(ctx, a, p), conn.Card(), nil
}
