package a2a

// Transition returns nil if a task may go from one state to another, and
// otherwise why not: TaskNotCancelable where it was to be canceled, and
// InvalidTaskState else. A task that has ended stays as it is. Any other may go to every state, but
// none goes back to Submitted: it need not be working before it ends, an interrupted one may continue
// without a message when its input came another way (A2A 1.0 section 7.6.1), and a state may be
// repeated with another message.
func Transition(from, to State) error {
	goesBack := to == Submitted && from != Submitted && from != Unknown
	switch {
	case !from.Terminal() && !goesBack:
		return nil
	case to == Canceled:
		return Errorf(TaskNotCancelable, "the task has ended (%s) and cannot be canceled", from)
	case from.Terminal():
		return Errorf(
			InvalidTaskState,
			"the task has ended (%s) and cannot be %s any more",
			from,
			to,
		)
	default:
		return Errorf(InvalidTaskState, "a task that is %s cannot be %s", from, to)
	}
}

// Accepts returns nil if a task in state s takes a message from its caller, and
// otherwise why not: one that has ended takes none, and one that works takes
// none before it asks (A2A 1.0 section 3.4.3).
func (s State) Accepts() error {
	switch {
	case s.Terminal():
		return Errorf(
			InvalidTaskState,
			"the task has ended (%s) and takes no more messages; leave the task id out to start another",
			s,
		)
	case !s.Interrupted():
		return Errorf(
			InvalidTaskState, "the task is %s and takes no message before it asks for one", s,
		)
	default:
		return nil
	}
}
