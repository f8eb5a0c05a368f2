package ledgerdb

import (
	"database/sql"
	"fmt"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// taskRow is a new task as it is written, in the order of rowNames. Its JSON is what the
// write-behind file holds.
type taskRow struct {
	Handle, Owner, Client, Agent         string
	MessageID, ContextID, State, Summary string
	Task, Failure                        sql.NullString // JSON
	Created, Updated                     int64          // milliseconds since 1970
	Name, ContextName                    string
	Past                                 sql.NullString // JSON
	Asked, Trace                         string
	Size                                 int // bytes of Task and Past, or 0 if they are few
	UseCase                              string
}

const (
	rowNames = `handle, owner, client, agent, message_id, context_id, state, summary, task, failure,
		created, updated, name, context_name, past, asked, trace, size, use_case`
	rowColumns = 19
)

func encodeRecord(e *ledger.Record) (*taskRow, error) {
	r := &taskRow{
		Handle:      e.Handle,
		Owner:       e.Owner,
		Client:      e.Client,
		Agent:       e.Agent,
		MessageID:   e.MessageID,
		ContextID:   e.ContextID(),
		State:       string(e.State()),
		Summary:     e.Summary().Message,
		Created:     e.Created.UnixMilli(),
		Updated:     e.Updated.UnixMilli(),
		Name:        e.Name,
		ContextName: e.ContextName,
		Asked:       e.Asked,
		Trace:       e.Trace,
		UseCase:     e.UseCase,
	}
	var err error
	if e.Task != nil {
		r.Task, err = encodeJSON(e.Task)
		if err != nil {
			return nil, fmt.Errorf("encoding task %s: %w", e.Handle, err)
		}
	}
	if e.Failure != nil {
		r.Failure, err = encodeJSON(e.Failure)
		if err != nil {
			return nil, err
		}
	}

	r.Past, err = encodePast(e)
	if n := len(r.Task.String) + len(r.Past.String); n > ledger.SmallTask {
		r.Size = n
	}

	return r, err
}

func encodePast(e *ledger.Record) (sql.NullString, error) {
	past, err := e.Revisions.Encode()
	return sql.NullString{String: string(past), Valid: past != nil}, err
}

// values appends the values to the arguments of a statement.
func (r *taskRow) values(args []any) []any {
	return append(
		args,
		r.Handle,
		r.Owner,
		r.Client,
		r.Agent,
		r.MessageID,
		r.ContextID,
		r.State,
		r.Summary,
		r.Task,
		r.Failure,
		r.Created,
		r.Updated,
		r.Name,
		r.ContextName,
		r.Past,
		r.Asked,
		r.Trace,
		r.Size,
		r.UseCase,
	)
}

// record returns the task that the row holds.
func (r *taskRow) record(settled bool) *ledger.Record {
	e := &ledger.Record{
		Handle:      r.Handle,
		Owner:       r.Owner,
		Client:      r.Client,
		Agent:       r.Agent,
		MessageID:   r.MessageID,
		Asked:       r.Asked,
		Trace:       r.Trace,
		Name:        r.Name,
		ContextName: r.ContextName,
		Idle:        settled,
		Created:     sqldb.Time(r.Created),
		Updated:     sqldb.Time(r.Updated),
		UseCase:     r.UseCase,
	}
	if decodeJSON(r.Task, &e.Task) != nil || decodeJSON(r.Failure, &e.Failure) != nil ||
		decodeJSON(r.Past, &e.Revisions) != nil {
		// One damaged row must not keep a replica from taking up the others.
		e.Failure = &ledger.Failure{
			Code:    a2a.Internal,
			Message: "What was recorded of this task cannot be read any more.",
		}
	}
	return e
}
