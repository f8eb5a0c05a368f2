package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/uploads"
	"rialto/internal/i18n"
)

// A message may name files that are sent apart (package uploads). It gets them when it leaves: the record
// of its task keeps their names. The message of a new task waits for files that have not come: the task
// is input-required meanwhile. It leaves from the replica that finds first that all have come.

const (
	arrivedEvery = 5 * time.Second // files that came to other replicas, or before a restart
	arrivedBatch = 100
)

// claimed are the files of a message, which its task has.
type claimed struct {
	r    *Runner
	task string
	all  []*uploads.Upload
}

// claimFiles gives the files that a message names to its task, e, and checks that the agent takes them.
func (s *sending) claimFiles(
	ctx context.Context, conn directory.Conn, e *ledger.Record, req *a2a.SendRequest,
) (claimed, error) {
	c := claimed{r: s.r, task: e.Handle}
	m := req.Message
	if !uploads.Names(m) {
		if s.in.NewContexts { // a caller of A2A hears what the agent says of its files
			return c, nil
		}
		return c, checkFiles(conn.Card(), e.Agent, s.skill, m.Parts)
	}
	if s.r.Uploads == nil {
		return c, uploads.NoUploads
	}

	all, parts, err := s.r.Uploads.Find(ctx, s.access, m.Parts)
	if err != nil {
		return c, err
	}
	if err := checkFiles(conn.Card(), e.Agent, s.skill, parts); err != nil {
		return c, err
	}

	m.Parts = parts
	c.all = all
	return c, s.r.Uploads.Claim(ctx, all, e.Handle)
}

func (c claimed) missing() bool { return len(uploads.Missing(c.all)) > 0 }

// settle takes the files from the task if its message was not sent because of err, which it returns.
func (c claimed) settle(ctx context.Context, err error) error {
	if err == nil || len(c.all) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeBudget)
	defer cancel()
	return errors.Join(err, c.r.Uploads.Store.ReleaseUploads(ctx, c.task))
}

// notYet is the error for an answer that names files that have not come.
func (c claimed) notYet() error {
	return ledger.InputError{Text: "These files have not come yet, so the answer was not sent. Send it " +
		"again when they have." + c.r.Uploads.LinksText(uploads.Missing(c.all))}
}

// checkFiles returns a ContentTypeNotSupported if an agent takes no files of the type of one of parts:
// those that the skill names or, if it names none, the card.
func checkFiles(card *a2a.Card, agent, skill string, parts []a2a.Part) error {
	modes := card.InputModesOf(skill)
	for _, p := range parts {
		if !p.IsFile() || a2a.AcceptsType(modes, p.MediaType) {
			continue
		}
		return a2a.Errorf(
			a2a.ContentTypeNotSupported,
			"the agent %s takes no files of the type %s. It takes: %s",
			agent,
			sanitize.Short(p.MediaType, 100),
			sanitize.Short(strings.Join(modes, ", "), 500),
		)
	}
	return nil
}

// await writes down a new task whose message waits for its files.
func (c claimed) await(
	ctx context.Context, e *ledger.Record, req *a2a.SendRequest,
) (*Sent, error) {
	r := c.r
	missing := uploads.Missing(c.all)
	why := i18n.New(
		"The agent gets the message when these files have come. Send each to its link until %s.%s",
		missing[0].Expires.UTC().Format(time.RFC3339),
		r.Uploads.LinksText(missing),
	)
	e.KeepUnsent(req.Message, a2a.InputRequired, why, r.Now())
	e.Idle = true
	err := r.Ledger.AddTask(ctx, e, r.Replica, r.quotas.mostRunning())
	if before, ok := errors.AsType[ledger.ErrDuplicate](err); ok {
		_ = c.settle(ctx, err)
		return r.duplicateOf(before.Handle), nil
	}
	if err != nil {
		return nil, fmt.Errorf("writing the task down: %w", err)
	}
	if err := r.watch(ctx, e, req); err != nil {
		return nil, err
	}

	r.Publisher.publish(e, ledger.AboutNew)
	return r.duplicateOf(e.Handle), nil
}

// AwaitedFiles returns the links to which the files of an unsent message can still be sent.
func AwaitedFiles(
	ctx context.Context, r *Runner, e *ledger.Record,
) ([]uploads.Link, error) {
	if r.Uploads == nil || !e.AwaitsFiles() {
		return nil, nil
	}
	return r.Uploads.Links(ctx, &e.Task.History[0])
}

// sendArrived sends messages whose files have come, until the runner closes.
func sendArrived(r *Runner) {
	tick := time.NewTicker(arrivedEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.running.Done():
			return
		case <-tick.C:
		case <-r.Uploads.Arrived():
		}

		ctx, cancel := context.WithTimeout(r.running, writeBudget)
		ready, err := r.Uploads.Store.ReadyUploads(ctx, arrivedBatch)
		cancel()
		if err != nil {
			r.logError("looking for files that have come", err)
		}
		for _, w := range ready {
			if err := sendWaiting(r, w); err != nil {
				r.logError("sending a message whose files have come", err)
			}
		}
	}
}

// sendWaiting sends the message of a task whose files have come. Of any number of calls, one sends it. If
// the agent cannot be reached, the message waits on.
func sendWaiting(r *Runner, w uploads.Waiting) error {
	ctx, cancel := context.WithTimeout(r.running, writeBudget)
	defer cancel()
	e, err := r.Ledger.Task(ctx, w.Owner, w.Task)
	if errors.Is(err, ledger.ErrNoTask) {
		return nil // it is about to be written, or was deleted
	}
	if err != nil {
		return err
	}
	if !e.AwaitsFiles() {
		return r.Uploads.Store.EndWait(ctx, w.Task)
	}

	agent := r.Directory.Lookup(e.Agent)
	if agent == nil || agent.Disabled {
		return nil
	}
	conn, err := r.Directory.ConnectFor(ctx, agent, e.Owner)
	if err != nil {
		return err
	}
	done, err := r.quotas.acquire(ctx, e)
	if err != nil {
		return err
	}
	defer done()

	r.live.reserve(e.Handle)
	defer r.live.release(e.Handle)
	e.Digest = "" // a repetition of the call finds the task by the first write
	if err := r.reopen(ctx, e, e.MessageID); err != nil {
		return err
	}
	r.Follow(conn, e, &a2a.SendRequest{Message: e.TakeUnsent(e.MessageID)})
	return r.Uploads.Store.EndWait(ctx, w.Task)
}

// withFiles returns a message as its agent gets it.
func withFiles(
	ctx context.Context, files *uploads.Service, send *a2a.SendRequest,
) (*a2a.SendRequest, error) {
	if !uploads.Names(send.Message) {
		return send, nil
	}
	if files == nil {
		return nil, uploads.NoUploads
	}
	m, err := files.Deliverable(ctx, send.Message)
	if err != nil {
		return nil, err
	}
	out := *send
	out.Message = m
	return &out, nil
}

// dropDelivered deletes the files whose bytes the agent has.
func dropDelivered(ctx context.Context, f *Follower) {
	if !uploads.Names(f.message) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeBudget)
	defer cancel()
	if err := f.r.Uploads.Delivered(ctx, f.message); err != nil {
		f.r.logError("deleting files that an agent has", err)
	}
}
