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

// A message may name files that are sent apart (package uploads). It gets them when it leaves: the
// record of its task keeps their names. The message of a new task waits for files that have not
// come: the task is input-required meanwhile. It leaves from the replica that finds first that all
// have come.

const (
	arrivedEvery = 5 * time.Second // files that came to other replicas, or before a restart
	arrivedBatch = 100
)

// findFiles finds the files that a message names, for e to get, and checks that the agent takes
// them. It returns those that have not come.
func (s *sending) findFiles(
	ctx context.Context, conn directory.Conn, e *ledger.Record, req *a2a.SendRequest,
) (missing []*uploads.Upload, err error) {
	m := req.Message
	if !uploads.Names(m) {
		if s.in.NewContexts { // a caller of A2A hears what the agent says of its files
			return nil, nil
		}
		return nil, checkFiles(conn.Card(), e.Agent, s.skill, m.Parts)
	}
	if s.r.Uploads == nil {
		return nil, uploads.NoUploads
	}

	if err := s.r.Uploads.Fetch(ctx, s.access, s.in.Attachments); err != nil {
		return nil, err
	}
	all, parts, err := s.r.Uploads.Find(ctx, s.access, m.Parts)
	if err != nil {
		return nil, err
	}
	m.Parts = parts
	for _, u := range all {
		e.Files = append(e.Files, u.ID)
		if u.Content == "" {
			missing = append(missing, u)
		}
	}
	return missing, checkFiles(conn.Card(), e.Agent, s.skill, parts)
}

// notYet is the error for an answer that names files that have not come.
func (s *sending) notYet(missing []*uploads.Upload) error {
	return ledger.InputError{Text: "These files have not come yet, so the answer was not sent. Send it " +
		"again when they have." + s.r.Uploads.LinksText(missing)}
}

// checkFiles returns a ContentTypeNotSupported if an agent takes no files of the type of one of
// parts: those that the skill names or, if it names none, the card.
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
func (s *sending) await(
	ctx context.Context, e *ledger.Record, req *a2a.SendRequest, missing []*uploads.Upload,
) (*Sent, error) {
	r := s.r
	why := i18n.New(
		"The agent gets the message when these files have come. Send each to its link until %s.%s",
		missing[0].Expires.UTC().Format(time.RFC3339),
		r.Uploads.LinksText(missing),
	)
	e.KeepUnsent(req.Message, a2a.InputRequired, why, r.Now())
	e.Idle = true
	err := r.Ledger.AddTask(ctx, e, r.Replica, r.quotas.mostRunning())
	if before, ok := errors.AsType[ledger.ErrDuplicate](err); ok {
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

// endWaits ends waits for files, until the runner closes.
func endWaits(r *Runner) {
	tick := time.NewTicker(arrivedEvery)
	defer tick.Stop()
	after := "" // the last task of a full batch: those whose agents are away must not hold up the next
	for {
		select {
		case <-r.running.Done():
			return
		case <-tick.C:
		case <-r.Uploads.Arrived():
		}

		ctx, cancel := context.WithTimeout(r.running, writeBudget)
		ended, err := r.Uploads.Store.EndedWaits(ctx, r.Now(), after, arrivedBatch)
		cancel()
		after = ""
		if len(ended) == arrivedBatch {
			after = ended[arrivedBatch-1].Task
		}
		if err != nil {
			r.logError("looking for files that have come", err)
		}
		for _, w := range ended {
			if err := endWait(r, w); err != nil {
				r.logError("ending the wait of a task for its files", err)
			}
		}
	}
}

// endWait ends the wait of a task: it sends the message, or fails the task if a link has expired.
// If the agent cannot be reached, the task waits on. Of any number of calls, one does it.
func endWait(r *Runner, w uploads.Waiting) error {
	ctx, cancel := context.WithTimeout(r.running, writeBudget)
	defer cancel()
	e, err := r.Ledger.Task(ctx, w.Owner, w.Task)
	gone := errors.Is(err, ledger.ErrNoTask)
	if err != nil && !gone {
		return err
	}
	if gone || !e.AwaitsFiles() {
		return r.Uploads.Store.EndWait(ctx, w.Task)
	}

	r.live.reserve(e.Handle)
	defer r.live.release(e.Handle)
	if w.Expired {
		return expireWait(ctx, r, e)
	}
	return sendWaiting(ctx, r, e)
}

// sendWaiting sends the message of a task whose files have come.
func sendWaiting(ctx context.Context, r *Runner, e *ledger.Record) error {
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

	e.Digest = "" // a repetition of the call finds the task by the first write
	if err := r.reopen(ctx, e, e.MessageID); err != nil {
		return err
	}
	r.Follow(conn, e, &a2a.SendRequest{Message: e.TakeUnsent(e.MessageID)})
	return r.Uploads.Store.EndWait(ctx, e.Handle)
}

// expireWait fails a task that waits for a file which can come no more.
func expireWait(ctx context.Context, r *Runner, e *ledger.Record) error {
	if err := r.reopen(ctx, e, e.MessageID); err != nil {
		return err
	}
	e.Task = nil // it asks for the file
	r.fail(e, ledger.Fail(
		a2a.Unavailable,
		"A file did not come before its link expired, or the agent was away for a day, so the message was "+
			"not sent. Ask for a new link and send the message again.",
	))
	return r.Uploads.Store.EndWait(ctx, e.Handle)
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
