package store

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// taskRow is what of a task is written when it is new, in the order of rowNames. A
// server that was killed may be followed by one of a later version: a column that is
// ever added has to come last, and decodeRow has to take records without it.
type taskRow struct {
	handle, owner, client, agent, messageID, contextID, state, summary string
	task, failure                                                      sql.NullString // JSON
	created, updated                                                   int64          // milliseconds since 1970
	name, contextName                                                  string
	past                                                               sql.NullString // JSON
	asked                                                              string
}

const (
	rowNames   = `handle, owner, client, agent, message_id, context_id, state, summary, task, failure, created, updated, name, context_name, past, asked`
	rowColumns = 16

	firstColumns = 15 // are in each record; the others came later
)

func encodeEntry(e *ledger.Record) (*taskRow, error) {
	r := &taskRow{
		handle: e.Handle, owner: e.Owner, client: e.Client, agent: e.Agent, messageID: e.MessageID,
		contextID: e.ContextID(), state: string(e.State()), summary: e.Summary().Message,
		created: e.Created.UnixMilli(), updated: e.Updated.UnixMilli(), name: e.Name, contextName: e.ContextName, asked: e.Asked,
	}
	var err error
	if e.Task != nil {
		if r.task, err = encodeJSON(e.Task); err != nil {
			return nil, fmt.Errorf("encoding task %s: %w", e.Handle, err)
		}
	}
	if e.Failure != nil {
		if r.failure, err = encodeJSON(e.Failure); err != nil {
			return nil, err
		}
	}
	past, err := e.Revisions.Encode()
	r.past = sql.NullString{String: string(past), Valid: past != nil}
	return r, err
}

// columns returns where the values are.
func (r *taskRow) columns() [rowColumns]any {
	return [...]any{
		&r.handle, &r.owner, &r.client, &r.agent, &r.messageID, &r.contextID, &r.state, &r.summary,
		&r.task, &r.failure, &r.created, &r.updated, &r.name, &r.contextName, &r.past, &r.asked,
	}
}

// values appends the values to the arguments of a statement.
func (r *taskRow) values(args []any) []any {
	args = slices.Grow(args, rowColumns)
	for _, c := range r.columns() {
		switch v := c.(type) {
		case *string:
			args = append(args, *v)
		case *sql.NullString:
			args = append(args, *v)
		case *int64:
			args = append(args, *v)
		}
	}
	return args
}

// entry returns the task that the row holds.
func (r *taskRow) entry(settled bool) *ledger.Record {
	e := &ledger.Record{
		Handle: r.handle, Owner: r.owner, Client: r.client, Agent: r.agent, MessageID: r.messageID, Asked: r.asked,
		Name: r.name, ContextName: r.contextName, Idle: settled, Created: at(r.created), Updated: at(r.updated),
	}
	if decodeJSON(r.task, &e.Task) != nil || decodeJSON(r.failure, &e.Failure) != nil || decodeJSON(r.past, &e.Revisions) != nil {
		// One damaged row must not keep a replica from taking up the others.
		e.Failure = &ledger.Failure{Code: a2a.Internal, Message: "What was recorded of this task cannot be read any more."}
	}
	return e
}

// size is about how long the record is, in bytes.
func (r *taskRow) size() int {
	size := 0
	for _, c := range r.columns() {
		switch v := c.(type) {
		case *string:
			size += len(*v)
		case *sql.NullString:
			size += len(v.String)
		}
	}
	return size
}

// appendTo appends the row as a record of the journal: of each column, a number, or the
// length of a text and the text; that of a text that may be NULL is one more, 0 if it is.
func (r *taskRow) appendTo(b []byte) []byte {
	for _, c := range r.columns() {
		switch v := c.(type) {
		case *string:
			b = append(binary.AppendUvarint(b, uint64(len(*v))), *v...)
		case *sql.NullString:
			n := uint64(0)
			if v.Valid {
				n = uint64(len(v.String)) + 1
			}
			b = append(binary.AppendUvarint(b, n), v.String...)
		case *int64:
			b = binary.AppendVarint(b, *v)
		}
	}
	return b
}

var errRecord = errors.New("store: a record of the journal is no task that this version can read")

// decodeRow is the reverse of appendTo.
func decodeRow(b []byte) (*taskRow, error) {
	r := &taskRow{}
	for i, c := range r.columns() {
		if len(b) == 0 && i >= firstColumns {
			break
		}
		if number, ok := c.(*int64); ok {
			v, n := binary.Varint(b)
			if n <= 0 {
				return nil, errRecord
			}
			*number, b = v, b[n:]
			continue
		}
		size, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errRecord
		}
		b = b[n:]
		null, is := c.(*sql.NullString)
		if is && size == 0 {
			continue
		}
		if is {
			size--
		}
		if size > uint64(len(b)) {
			return nil, errRecord
		}
		text := string(b[:size])
		b = b[size:]
		if is {
			*null = sql.NullString{String: text, Valid: true}
		} else {
			*c.(*string) = text
		}
	}
	if len(b) > 0 {
		return nil, errRecord
	}
	return r, nil
}
