package a2a

import "slices"

// transitions says which states a task may go to. A task need not be working before it ends, and an
// interrupted one may continue without a message when its input came another way (A2A 1.0 section
// 7.6.1). A state may be repeated with another message.
var transitions = map[State][]State{
	Submitted: {
		Submitted,
		Working,
		InputRequired,
		AuthRequired,
		Completed,
		Failed,
		Canceled,
		Rejected,
		Unknown,
	},
	Working: {
		Working,
		InputRequired,
		AuthRequired,
		Completed,
		Failed,
		Canceled,
		Rejected,
		Unknown,
	},
	InputRequired: {
		InputRequired,
		Working,
		AuthRequired,
		Completed,
		Failed,
		Canceled,
		Rejected,
		Unknown,
	},
	AuthRequired: {
		AuthRequired,
		Working,
		InputRequired,
		Completed,
		Failed,
		Canceled,
		Rejected,
		Unknown,
	},
	Unknown: {
		Unknown,
		Submitted,
		Working,
		InputRequired,
		AuthRequired,
		Completed,
		Failed,
		Canceled,
		Rejected,
	},
}

// Transition returns nil if a task may go from one state to another, and
// otherwise why not: TaskNotCancelable where it was to be canceled, and
// InvalidTaskState else. A task that has ended stays as it is.
func Transition(from, to State) error {
	switch {
	case slices.Contains(transitions[from], to):
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
