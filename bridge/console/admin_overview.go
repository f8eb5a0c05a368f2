package console

import (
	"net/http"
	"slices"
	"time"

	"rialto/bridge/console/auditreport"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/internal/usage"
	"rialto/templates"
)

// overview is the first page: what needs a decision, and how the server does.
func (c *Console) overview(r *http.Request) (*templates.Console, error) {
	o, err := c.Admin.Overview(r.Context())
	if err != nil {
		return nil, err
	}

	p := &templates.Console{
		Title: "Overview",
		Live:  "/admin/tasks/events",
		Top:   &templates.Section{ID: "numbers", Stats: c.stats(o)},
		Sections: []templates.Section{
			{ID: "decide", Title: "Waiting for people", Items: c.decisions(o)},
		},
	}
	if o.Asking > len(o.Waiting) {
		p.Sections[0].Lead = templates.Link(
			"/admin/tasks?state=input-required",
			templates.Textf("See all {} questions", boundedCount(o.Asking)),
		)
	}
	if len(p.Sections[0].Items) == 0 {
		p.Sections[0].Table = &templates.Table{Empty: "Nothing is waiting for you."}
	}
	if len(o.Agents) == 0 || param(r, "done") == "setup" {
		p.Sections[0] = nextSteps
	}

	failed := templates.Section{ID: "failed", Title: "Failed in the last 24 hours"}
	for _, t := range o.Failures {
		failed.Items = append(failed.Items, templates.Item{
			Tone: templates.Bad,
			Word: "Failed",
			Text: templates.Link(taskAt(t.ID), taskTitle(t.Asked)),
			Sub:  templates.Row(templates.Verbatim(t.Agent+" ·"), said(t.Message, t.Failure)),
			When: c.when(t.Updated),
		})
	}

	if o.Failed > len(o.Failures) {
		failed.Lead = templates.Link(
			"/admin/tasks?state=failed&changed=1",
			templates.Textf("See all {} failures", boundedCount(o.Failed)),
		)
	}
	if len(failed.Items) > 0 {
		p.Sections = append(p.Sections, failed)
	}

	latest := templates.Section{ID: "latest", Title: "Latest events"}
	for _, e := range o.Events {
		latest.Facts = append(latest.Facts, templates.Fact{
			Name:  auditreport.Name(e),
			Value: c.events().Subject(r.Context(), e),
		})
	}

	latest.Lead = templates.Link("/admin/audit", templates.Textf("Open the audit log"))
	p.Aside = []templates.Section{latest}
	return p, nil
}

func (c *Console) stats(o *operator.Overview) []templates.Stat {
	waiting := templates.Stat{
		Name:  "Waiting for an answer",
		Value: boundedCount(o.Asking),
		Href:  "/admin/tasks?state=input-required",
		Tone:  toneIfAny(o.Asking, templates.Note),
	}
	if o.SigningIn > 0 {
		waiting.Sub = templates.Textf("and {} for a sign-in", boundedCount(o.SigningIn))
	}

	trouble := 0
	for _, a := range o.Agents {
		if operator.NeedsAttention(a) {
			trouble++
		}
	}

	calls := templates.Stat{
		Name:  "Calls in 24 hours",
		Value: templates.Number(o.Usage.Calls),
		Href:  "/admin/usage?days=1",
	}
	latency := latencyStat(o.Usage, calls.Href)
	if o.Usage.Calls > 0 {
		median := templates.Millis(int64(o.Usage.P50))
		calls.Sub = templates.Textf("{} with errors", templates.Number(o.Usage.Errors))
		latency.Sub = templates.Row(templates.Verbatim("p50"), median)
	}

	return []templates.Stat{
		waiting,
		{
			Name:  "Failed in 24 hours",
			Value: boundedCount(o.Failed),
			Href:  "/admin/tasks?state=failed&changed=1",
			Tone:  toneIfAny(o.Failed, templates.Bad),
		},
		{
			Name:  "Unhealthy agents",
			Value: boundedCount(trouble),
			Sub:   templates.Textf("of {}", templates.Number(int64(len(o.Agents)))),
			Href:  "/admin/agents?only=attention",
			Tone:  toneIfAny(trouble, templates.Bad),
		},
		calls,
		latency,
	}
}

func latencyStat(sum usage.Sum, href string) templates.Stat {
	latency := templates.Stat{Name: "p95 latency", Value: templates.Verbatim("–"), Href: href}
	if sum.Calls > 0 {
		latency.Value = templates.Millis(int64(sum.P95))
	}
	return latency
}

func toneIfAny(n int, tone templates.Tone) templates.Tone {
	if n == 0 {
		return ""
	}
	return tone
}

// decisions lists agents that are down or changed, and questions that wait.
func (c *Console) decisions(o *operator.Overview) (items []templates.Item) {
	for _, a := range o.Agents {
		if !operator.NeedsAttention(a) || len(items) == maxDecisions {
			continue
		}
		item := templates.Item{
			Tone: templates.Bad,
			Word: "Agent down",
			Text: agentLink(a.Name),
			Sub:  templates.Textf("Its new card waits until you accept it."),
		}
		if a.Waiting {
			item.Tone = templates.Note
			item.Word = "New card"
			item.Text = templates.Link(agentAt(a.Name)+"#card", templates.Verbatim(a.Name))
		} else {
			item.Sub = agentProblem(a.Health)
			tried := []time.Time{a.Health.Failed, a.Health.Asked}
			item.When = c.when(slices.MaxFunc(tried, time.Time.Compare))
		}
		items = append(items, item)
	}

	for _, t := range o.Waiting {
		items = append(items, templates.Item{
			Tone: templates.Note,
			Word: "Question",
			Text: templates.Link(taskAt(t.ID), taskTitle(t.Asked)),
			Sub: templates.Row(
				templates.Verbatim(t.Agent+", "+t.Owner+" ·"), said(t.Message, t.Failure),
			),
			When: c.when(t.Updated),
		})
	}

	return items
}

// maxDecisions bounds the agents among the decisions.
const maxDecisions = 10

// agentProblem says why an agent does not work.
func agentProblem(h *directory.Health) templates.Text {
	if h.Problem != "" {
		return templates.Errorf("Its card can't be read: {}", h.Err, upTo(300))
	}
	return templates.Textf("The last call got no answer: {}", sanitize.Short(h.Failure, 300))
}

// nextSteps says what to do on a server that has just been set up.
var nextSteps = templates.Section{ID: "next", Title: "Next steps", Setup: true}
