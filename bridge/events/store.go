package events

import (
	"context"
	"time"

	"rialto/bridge/push"
)

// Log holds the events of one type for one owner. Positions are numbers of its events.
type Log struct {
	Epoch  int64 // tells this log from an earlier one of the owner and type
	Last   int64 // the latest event
	Oldest int64 // the oldest that is kept; Last+1 if there is none
}

// Filter narrows events. Empty fields narrow nothing.
type Filter struct {
	Task    string `json:"task_id"`
	Agent   string `json:"agent"`
	Context string `json:"context_id"`

	States []string `json:"states"` // the task has one of them
}

// Event is a stored event.
type Event struct {
	Seq                               int64
	ID, Name                          string
	At                                time.Time
	Task, Agent, Context, State, Text string
	UseCases                          []string // that its agent was for; set if it is not of a task
}

// Subscription is a webhook that gets events.
type Subscription struct {
	ID, Owner, Client, Grant, Name string
	Filter
	Receiver Receiver

	// Fence is another value each time that a subscription with this ID is made.
	Fence    string
	Verified time.Time // when the receiver last proved that it wants events; zero if it has not
	Expires  time.Time // zero is never
	Active   bool      // false while it is suspended
	Ending   bool      // no events are delivered, only that it has ended
	Ended    bool      // Settle deletes it

	Epoch    int64 // of its log
	Position int64 // the last event before which the receiver waits for none
	Gaps     int64 // if there are any, the next delivery begins with a notice of missed events
	GivenUp  int   // events that can be delivered again

	Failing   time.Time // since when all attempts fail; zero if the latest did not
	Delivered time.Time
	Failure   string // the category of the latest failure, "" if the latest attempt succeeded

	Window Window
}

// Delivery is an event on its way to a subscription.
type Delivery struct {
	Subscription string // its ID
	Seq          int64  // of the event; 0 for the notice that the subscription has ended
	Host         string // of the receiver

	Attempts int       // that failed
	Body     string    // what the attempt before sent; "" if there was none
	Due      time.Time // of the next attempt
	Done     bool      // Settle deletes it
	GivenUp  bool      // Settle keeps it for Redeliver
}

// Receiver is where the events of a subscription go.
type Receiver struct {
	Host    string
	Address string // a hash of the address
	Sealed  string // address and secrets
}

// Window counts the attempts of the last suspendWindow.
type Window struct {
	Since         time.Time
	Tried, Missed int // attempts since then, and those that failed
}

// LogStore keeps events in logs. The events of tasks are written by the database, in the transaction
// that changes the task. All methods are atomic and may be called concurrently, by several replicas
// that share one database.
type LogStore interface {
	// Log returns the log of an owner and type. It makes the log if there is none, and keeps it until
	// a moment at least. The log keeps at most keep events.
	Log(ctx context.Context, owner, name string, keep int, now, until time.Time) (Log, error)

	// Events returns at most limit events of a log that f chooses, after one number and up to another,
	// the oldest first.
	Events(
		ctx context.Context,
		owner, name string,
		f Filter,
		after, upTo int64,
		limit int,
	) ([]Event, error)

	// Older returns the number of the latest event of a log that f chooses, after one number and before a
	// moment; 0 if there is none.
	Older(
		ctx context.Context,
		owner, name string,
		f Filter,
		after int64,
		before time.Time,
	) (int64, error)

	// Emit adds an event that is not of a task to each log of its type, unless the latest event of its
	// agent there has its ID: another replica was first. The time becomes part of the ID, because a
	// change can happen again after another.
	Emit(ctx context.Context, e Event) error

	// Prune deletes events before a moment, subscriptions that have expired or were not confirmed in
	// time, and unused logs.
	Prune(ctx context.Context, now, before time.Time) error
}

// SubscriptionStore keeps subscriptions and the events that they have not got yet, under the rules of a
// LogStore. Of the events of one task that go to one address, only the earliest can be claimed. So can
// the notice that a subscription has ended, instead of its events.
type SubscriptionStore interface {
	push.Queue[*Delivery]

	// Reserve adds s, which gets no events yet, unless there is a subscription with its ID. It returns
	// that of the store, and when the address was last verified for the owner and client. It returns
	// ErrFull if there are most others in all, and ErrFullOwner if the owner has mostOwner.
	Reserve(
		ctx context.Context,
		s *Subscription,
		most, mostOwner int,
	) (kept *Subscription, verified time.Time, err error)

	// Confirm makes a reserved subscription get events after s.Position, and renews one that gets them
	// already: its grant, its address and secrets, its end. What waits is due at once, it forgets the
	// failures of one that was suspended, and one that was ending gets events again. It returns false
	// if the subscription with this fence has been dropped. The rest of s is set to what the store has.
	Confirm(ctx context.Context, s *Subscription) (bool, error)

	// Drop deletes a subscription and returns it, or nil if there is none. With a fence, it deletes
	// only a reserved one with that fence.
	Drop(ctx context.Context, id, fence string) (*Subscription, error)

	// Subscription returns a subscription, or nil if there is none. OwnSubscriptions returns those of an
	// owner that are not only reserved, the latest first.
	Subscription(ctx context.Context, id string) (*Subscription, error)
	OwnSubscriptions(ctx context.Context, owner string) ([]*Subscription, error)

	// Settle records the outcome of an attempt, if replica still has its claim, and ends the claim.
	// outcome changes the subscription as it is by then, and may be called again. A subscription that
	// has ended is deleted; the events of one that it suspends, or begins to end, wait.
	Settle(ctx context.Context, d *Delivery, replica string, outcome func(*Subscription)) error

	// Redeliver makes the events due that an owner's subscription waits for, or that were given up.
	// It returns ErrNoSubscription if the owner has none with this ID.
	Redeliver(ctx context.Context, owner, id string) error

	// Grants returns the grants of the subscriptions that are not ending, and End makes those of a grant
	// end: they are due, suspended or not.
	Grants(ctx context.Context) ([]string, error)
	End(ctx context.Context, grant string) error
}
