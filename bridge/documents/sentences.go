package documents

import (
	"fmt"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
)

// unanswered tells the model how a question came back from the client: see RenderOptions.
var unanswered = map[string]string{
	"decline": "The client declined the agent's question and may not have shown it to the user; " +
		"if the user declined it, cancel_task ends the task. ",
	"cancel": "The client canceled the agent's question and may not have shown it to the user. ",
	"none":   "The client did not respond to the agent's question. ",
}

// next tells the model the next step for an unfinished task.
func next(e *ledger.Record, show RenderOptions) string {
	id := e.Handle
	answers := show.answers
	switch state := e.State(); {
	case e.Undelivered():
		return fmt.Sprintf(
			"The agent cannot be reached, so it has not got the answer. "+
				"It gets the answer when it is back: do not send it again. "+
				"Tell the user, and call get_task with task_id %q in a while. "+
				"send_task with the task_id replaces the answer, and cancel_task withdraws it.",
			id,
		)
	case e.Unconfirmed():
		return fmt.Sprintf(
			"Whether the agent received the last message is not known, and it shows no sign of it. "+
				"Call get_task with task_id %q in a while; send the message again only if the user wants that.",
			id,
		)
	case e.AwaitsFiles():
		return fmt.Sprintf("The agent gets the message when its files have come. Show the person the link of each "+
			"file, or send it there; then call get_task with task_id %q to get the result.", id)
	case state == a2a.InputRequired:
		return nextAnswer(e, answers)
	case state == a2a.AuthRequired && answers != "":
		return fmt.Sprintf("The agent waits until the user has signed in or granted access. "+
			"Give the user this link: %s. When that is done the task goes on; "+
			"call get_task with task_id %q to get the result.", answers, id)
	case state == a2a.AuthRequired:
		return fmt.Sprintf(
			"The agent needs the user to sign in or grant access as its message says. "+
				"When that is done, call send_task with task_id %q.",
			id,
		)
	case state == a2a.Unknown:
		return fmt.Sprintf("The agent does not tell how the task stands. "+
			"Call get_task with task_id %q to look again; nothing is lost if you do so later.", id)
	case !state.Terminal() && show.Events:
		return fmt.Sprintf(
			"The agent is still working. If this takes long, subscribe to the event task.changed with "+
				"the arguments task_id %q and states [\"completed\", \"failed\", \"rejected\", \"canceled\", "+
				"\"input-required\", \"auth-required\"] "+
				"instead of asking again, and tell the user that the answer follows. "+
				"Call get_task with task_id %q to wait for the result here; nothing is lost if you do so later.",
			id,
			id,
		)
	case !state.Terminal():
		return fmt.Sprintf("The agent is still working. "+
			"Call get_task with task_id %q to wait for the result; nothing is lost if you do so later.", id)
	}

	return ""
}

// nextAnswer tells the model to answer, and where the user can, unless answers is "".
func nextAnswer(e *ledger.Record, answers string) string {
	_, refused := e.DeliveryNotice()
	step := ""
	if refused != "" {
		step = "The agent did not take the last answer: " + sanitize.Text(refused) + ". "
	}
	step += fmt.Sprintf(
		"The agent asks for input. Get the answer from the user if you do not know it, "+
			"then call send_task with task_id %q and the answer as message.",
		e.Handle,
	)
	if answers != "" {
		step += fmt.Sprintf(" The user can also answer at %s; "+
			"then call get_task with the task_id to get the result.", answers)
	}
	return step
}

// endings say how a task ended that did not complete.
var endings = map[a2a.State]string{
	a2a.Canceled: "The task was canceled",
	a2a.Failed:   "The task failed",
	a2a.Rejected: "The agent rejected the task",
}

// ending tells the model how a task ended, "" if it completed or has not ended. The reason is part of
// the output, if there is one.
func ending(e *ledger.Record) string {
	how := endings[e.State()]
	switch {
	case how == "":
		return ""
	case e.Failure == nil && view.MessageText(e.Task.Status.Message) == "":
		return how + ", and the agent gave no reason."
	}
	return how + "."
}

// summary is the last item of the result, for clients that show only the text to the
// model. history is the number of requested messages; the next page needs it again.
func (r *renderer) summary(history int) string {
	i := r.info
	s := "[task_id " + i.TaskID + ", agent " + i.Agent + ", state " + string(i.State)
	if i.ContextID != "" {
		s += ", context_id " + i.ContextID
	}

	s += "]"
	if i.Next != "" {
		s += " " + i.Next
	}
	if i.Error != nil {
		s += fmt.Sprintf(" (code %s)", i.Error.Code)
	}

	switch {
	case i.Cursor != "" && history > 0:
		s += fmt.Sprintf(
			" There is more: call get_task with this task_id, history_length %d and cursor %q "+
				"for the next part.",
			history,
			i.Cursor,
		)
	case i.Cursor != "":
		s += fmt.Sprintf(" There is more: call get_task with this task_id and cursor %q "+
			"for the next part.", i.Cursor)
	case r.cut:
		s += fmt.Sprintf(
			" Some of it is longer than the %d characters that a result can have, and was left out; "+
				"ask the agent for less, or in parts.",
			MaxText,
		)
	}

	return s
}
