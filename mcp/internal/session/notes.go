package session

import (
	"context"
	"maps"
	"time"

	"rialto/internal/lru"
)

// Notes keeps what processes that share sessions have to know of them: the resources that a
// session watches, and the questions that its client has not answered. Several processes may use
// it at once. After each change, every process learns which session has changed, so that it reads
// the notes again; that news may get lost.
type Notes interface {
	// AddNote adds a note without a value to a session of the owner, until a moment. It returns
	// false, and adds nothing, if the owner has too many notes. To add one again extends it.
	AddNote(ctx context.Context, owner, session, name string, until time.Time) (bool, error)

	// FillNote sets the value of a note that has none. Of any number of calls exactly one
	// succeeds; the others, and those for a note that is not there, return false.
	FillNote(ctx context.Context, session, name string, value []byte) (bool, error)

	// DropNotes removes a note of a session; all, if name is "".
	DropNotes(ctx context.Context, session, name string) error

	// SessionNotes returns the values of a session's notes by their names, nil for those without.
	SessionNotes(ctx context.Context, session string) (map[string][]byte, error)
}

// Memory keeps the notes of one process, for the sessions that used them last. NewMemory makes one.
type Memory struct {
	notes lru.Cache[string, map[string][]byte]
}

// NewMemory returns a Memory without notes.
func NewMemory() *Memory {
	return &Memory{lru.Cache[string, map[string][]byte]{Max: MaxRecent}}
}

// maxMemory bounds the notes of a session that Memory keeps.
const maxMemory = 1000

// change changes the notes of a session, which are replaced, and not changed.
func (m *Memory) change(session string, f func(notes map[string][]byte)) {
	m.notes.Update(session, func(notes map[string][]byte) map[string][]byte {
		notes = maps.Clone(notes)
		if notes == nil {
			notes = map[string][]byte{}
		}
		f(notes)
		return notes
	})
}

// AddNote implements Notes.
func (m *Memory) AddNote(
	_ context.Context,
	_, session, name string,
	_ time.Time,
) (ok bool, _ error) {
	m.change(session, func(notes map[string][]byte) {
		ok = len(notes) < maxMemory
		if ok {
			notes[name] = nil
		}
	})
	return ok, nil
}

// FillNote implements Notes.
func (m *Memory) FillNote(
	_ context.Context,
	session, name string,
	value []byte,
) (ok bool, _ error) {
	if known, _ := m.notes.Get(session); known == nil {
		return false, nil // and no session is kept for it
	}

	m.change(session, func(notes map[string][]byte) {
		if had, there := notes[name]; there && had == nil {
			notes[name], ok = value, true
		}
	})
	return ok, nil
}

// DropNotes implements Notes.
func (m *Memory) DropNotes(_ context.Context, session, name string) error {
	if known, _ := m.notes.Get(session); known != nil {
		m.change(session, func(notes map[string][]byte) {
			delete(notes, name)
			if name == "" {
				clear(notes)
			}
		})
	}
	return nil
}

// SessionNotes implements Notes.
func (m *Memory) SessionNotes(_ context.Context, session string) (map[string][]byte, error) {
	notes, _ := m.notes.Get(session)
	return notes, nil
}
