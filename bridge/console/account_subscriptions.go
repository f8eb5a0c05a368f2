package console

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"rialto/bridge/events"
	"rialto/bridge/operator"
	"rialto/templates"
)

// subscriptions shows where events about the user's tasks go; nothing if no app gets any.
func (c ownAccount) subscriptions(ctx context.Context, user string) ([]templates.Section, error) {
	if c.Events == nil {
		return nil, nil
	}

	list, err := c.Events.Subscriptions.OwnSubscriptions(ctx, user)
	if len(list) == 0 {
		return nil, err
	}

	t := &templates.Table{Columns: columns("Event", "Goes to", "Last delivered", "Last error", "Expires")}
	for _, s := range list {
		what := append([]string{s.Name, s.Task, s.Agent, s.Context}, s.States...)
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				templates.Verbatim(strings.Join(what, " ")),
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

	return []templates.Section{{
		ID:    "events",
		Title: "Event subscriptions",
		Lead:  templates.Textf("These addresses get events about your tasks."),
		Table: t,
	}}, nil
}

func useButton(s *events.Subscription, word, action string) templates.Button {
	return templates.Button{
		Action: "/account/events",
		Word:   word,
		About:  s.Name,
		Hidden: hidden("id", s.ID, "action", action),
	}
}

// lastError is why a receiver did not take the latest event, and what follows from it.
func lastError(s *events.Subscription) templates.Text {
	why := cmp.Or(s.Failure, "—")
	switch {
	case !s.Active:
		return templates.Textf("{}. Suspended until the app renews it.", why)
	case s.GivenUp > 0:
		return templates.Textf("{}. Some events were given up.", why)
	}
	return templates.Verbatim(why)
}

// useSubscription sends a test event to a subscription, or its events again.
func (c ownAccount) useSubscription(f *form) (err error) {
	action := f.Get("action")
	switch {
	case c.Events == nil:
		err = operator.ErrNotFound
	case action == "test":
		err = c.Events.Test(f.Context(), f.by.ID, f.Get("id"))
	case action == "redeliver":
		err = c.Events.Redeliver(f.Context(), f.by.ID, f.Get("id"))
	default:
		err = errForm
	}

	if why, failed := errors.AsType[events.TestFailed](err); failed {
		err = &operator.Error{
			Code: "test_event",
			Text: "The receiver didn't take the test event: {}.",
			Args: []string{string(why)},
		}
	}

	return f.done("/account", action+"ed", err)
}
