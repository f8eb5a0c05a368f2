// Package events tells MCP clients what happens to tasks and agents without a call of theirs (MCP
// Events, SEP-3415): clients poll, keep a stream open, or name a webhook. It knows which events there
// are, who may get them, and how webhooks are called (Standard Webhooks). It does not know the
// messages of the protocol: see package mcp. The events of tasks are written by the store, with
// the change of the task.
//
// Where the specification is open: a subscription belongs to one client of a user, the webhook-id is
// the ID of the event, and the notice that a subscription ended has the code of the sketch before
// SEP-3415. A receiver is verified again after verifiedFor, or when its address is new.
package events

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"rialto/bridge/directory"
	"rialto/bridge/push"
	"rialto/internal/quota"
	"rialto/internal/safehttp"
	"rialto/mcp"
)

const (
	keptFor    = 24 * time.Hour // events, for clients that continue at a cursor
	keptEvents = 10_000         // of one type for a user
	maxPage    = 200            // events of one poll
	sweepEvery = time.Minute    // looks for grants that have ended
)

// The refusals of SubscriptionStore.Reserve.
var (
	ErrFull      = errors.New("there are too many event subscriptions")
	ErrFullOwner = errors.New("the user has too many event subscriptions")
)

// Service implements mcp.Events. All fields but Metrics are required. Call Run.
type Service struct {
	Logs          LogStore
	Subscriptions SubscriptionStore
	Directory     *directory.Directory
	HTTP          *safehttp.Client
	Key           []byte // 32 bytes that encrypt addresses and secrets
	Replica       string
	TaskURL       string // the address of a task's page, without its handle
	Now           func() time.Time
	Log           *slog.Logger

	Backend Backend
	Metrics push.Metrics

	wake          waker
	verifies      quota.Rate
	subscribes    singleflight.Group
	agentsChanged push.Signal
}

// Backend is what events need of the program. It is used concurrently.
type Backend interface {
	// Grant returns the grant of a context.
	Grant(context.Context) string

	// Access returns what a grant reaches now; false if it ended.
	Access(ctx context.Context, grant string) (directory.Access, bool, error)

	// Task returns where a user's task stands. It returns nil for a task that the user does not have,
	// or that the call may not know of.
	Task(ctx context.Context, access directory.Access, task string) (*Task, error)

	// Limits returns how many subscriptions there may be in all, and of one user.
	Limits() (most, perUser int)
}

// Task is where a task stands.
type Task struct {
	State string
	Ended bool

	Title, Request string
	Question       string          // what the agent asks now; "" is nothing
	Form           json.RawMessage // JSON Schema of the answer; nil where the agent asks for none
}

var _ mcp.Events = (*Service)(nil)

// Run delivers events to webhooks, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var wait sync.WaitGroup
	wait.Go(func() { s.sweep(ctx) })
	wait.Go(func() { s.watchAgents(ctx) })
	w := push.Worker[*Delivery]{
		Queue:     s.Subscriptions,
		Added:     s.wake.work.Ready(),
		Deliverer: deliverer{s},
		What:      "events",
		Replica:   s.Replica,
		Now:       s.Now,
		Log:       s.Log,
	}
	w.Run(ctx)
	wait.Wait()
}

// sweep ends the subscriptions of grants that have ended, and deletes what is old.
func (s *Service) sweep(ctx context.Context) {
	tick := time.Tick(sweepEvery)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		err := errors.Join(s.EndRevoked(ctx), s.Logs.Prune(ctx, s.Now(), s.Now().Add(-keptFor)))
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "maintaining event subscriptions", "err", err)
		}
	}
}

// EndRevoked ends the subscriptions whose grant has ended. The worker tells their receivers.
func (s *Service) EndRevoked(ctx context.Context) error {
	grants, err := s.Subscriptions.Grants(ctx)
	if err != nil {
		return err
	}

	for _, grant := range grants {
		_, alive, err := s.Backend.Access(ctx, grant)
		if err != nil {
			return err
		}
		if alive {
			continue
		}
		if err := s.Subscriptions.End(ctx, grant); err != nil {
			return err
		}
		s.Wake()
	}

	return nil
}

// Wake says that events may have been added, in this process or in another.
func (s *Service) Wake() { s.wake.now() }

// cursor names a position of a log. A log that is made anew has another epoch.
func cursor(epoch, position int64) string {
	return strconv.FormatInt(epoch, 36) + "." + strconv.FormatInt(position, 36)
}

// position returns where in a log a cursor continues, and whether events before that are missing. An
// unknown cursor continues at the oldest event.
func (l *Log) position(c string) (at int64, truncated bool) {
	epoch, number, _ := strings.Cut(c, ".")
	made, err := strconv.ParseInt(epoch, 36, 64)
	at, err2 := strconv.ParseInt(number, 36, 64)
	if err != nil || err2 != nil || made != l.Epoch || at < l.Oldest-1 || at > l.Last {
		return l.Oldest - 1, true
	}
	return at, false
}

// waker tells the worker, and all that wait in Poll, that there may be events.
type waker struct {
	mu      sync.Mutex
	pending bool
	changed chan struct{} // is closed at the next event
	work    push.Signal   // for the worker
}

// writeDelay is longer than a task that has ended may wait to be written: see writebehind.
const writeDelay = 150 * time.Millisecond

func (w *waker) now() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.pending {
		w.pending = true
		time.AfterFunc(writeDelay, w.notify)
	}
}

func (w *waker) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = false
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
	w.work.Notify()
}

func (w *waker) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed
}
