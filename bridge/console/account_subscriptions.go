package console

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"rialto/bridge/events"
	"rialto/bridge/operator"
	"rialto/internal/quota"
	"rialto/templates"
)

// subscriptions shows where events about the user's tasks go; nil if no app gets any.
func (c ownAccount) subscriptions(
	ctx context.Context,
	user string,
) ([]templates.Section, error) {
	if c.Events == nil {
		return nil, nil
	}

	list, err := c.Events.Own(ctx, user)
	if err != nil || len(list) == 0 {
		return nil, err
	}

	t := &templates.Table{
		Columns: columns("Event", "Goes to", "Last delivered", "Last error", "Expires"),
	}
	for _, s := range list {
		narrowed := strings.Join([]string{s.Task, s.Agent, s.Context, strings.Join(s.States, " ")}, " ")
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				templates.Lines(
					templates.Verbatim(s.Name), templates.Verbatim(strings.TrimSpace(narrowed)),
				),
				templates.Verbatim(s.Receiver.Host),
				c.when(s.Delivered),
				lastError(s),
				c.when(s.Expires),
			},
			Actions: []templates.Button{
				useButton(s, "Send a test event", "test"),
				useButton(s, "Deliver again", "redeliver"),
			},
		})
	}

	lead := templates.Textf("These addresses get events about your tasks.")
	return []templates.Section{
		{ID: "events", Title: "Event subscriptions", Lead: lead, Table: t},
	}, nil
}

func useButton(s *events.Subscription, word, action string) templates.Button {
	return templates.Button{
		Action: "/account/events",
		Word:   word,
		About:  s.Name,
		Hidden: hidden("id", s.ID, "action", action),
	}
}

// lastError is why a receiver did not take the latest event, and what waits for it.
func lastError(s *events.Subscription) templates.Text {
	lines := []templates.Text{templates.Verbatim(cmp.Or(s.Failure, "—"))}
	if !s.Active {
		lines = append(lines, templates.Textf("Suspended until the app renews it."))
	}
	if s.GivenUp > 0 {
		lines = append(lines, templates.Textf("Some events were given up."))
	}
	return templates.Lines(lines...)
}

// useSubscription sends a test event to a subscription, or its events again.
func (c ownAccount) useSubscription(f *form) error {
	if c.Events == nil {
		return operator.ErrNotFound
	}

	var why string
	var err error
	action := f.Get("action")
	switch action {
	case "test":
		why, err = c.Events.Test(f.Context(), f.by.ID, f.Get("id"))
	case "redeliver":
		err = c.Events.Redeliver(f.Context(), f.by.ID, f.Get("id"))
	default:
		return errForm
	}

	_, tooMany := errors.AsType[*quota.Refusal](err)
	switch {
	case errors.Is(err, events.ErrNoSubscription):
		err = operator.ErrNotFound
	case tooMany:
		err = &operator.Error{
			Reason: operator.Busy,
			Code:   "test_events",
			Text:   "Too many test events in a minute. Try again in a minute.",
		}
	case why != "":
		err = &operator.Error{
			Code: "test_event",
			Text: "The receiver did not take the test event: {}.",
			Args: []string{why},
		}
	}

	return f.done("/account", action+"ed", err)
}
