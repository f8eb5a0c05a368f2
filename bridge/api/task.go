package api

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
)

// Task is a task whole.
type Task struct {
	Status
	Artifacts []Artifact   `json:"artifacts"`
	History   []Turn       `json:"history,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
	Revisions
}

// Revisions is what has been of a task: it is shown with the history.
type Revisions struct {
	Statuses []documents.StatusInfo `json:"statuses,omitempty"`
	Replaced []Version              `json:"replaced_artifacts,omitempty"` // the latest first
	Dropped  int                    `json:"replaced_not_kept,omitempty"`  // how many more there were
}

// Version is an artifact as it was until its agent replaced it.
type Version struct {
	Artifact
	Until time.Time `json:"until"`
}

// Status is where a task stands.
type Status struct {
	ID        string    `json:"id"`
	Agent     string    `json:"agent"`
	ContextID string    `json:"context_id"`
	State     a2a.State `json:"state"`
	Asked     string    `json:"asked,omitempty"` // in a list: the beginning of the request
	Message   string    `json:"message"`         // what the agent said last
	Updated   time.Time `json:"updated"`
}

// Answer is what an agent said without making a task of it.
type Answer struct {
	Agent     string `json:"agent"`
	ContextID string `json:"context_id"`
	Message   string `json:"message"`
	Parts     []Part `json:"parts"`
}

// Artifact is one thing that a task produced.
type Artifact struct {
	ID          string `json:"id"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Parts       []Part `json:"parts"`
}

// Turn is one message of a task's history.
type Turn struct {
	Role  a2a.Role `json:"role"`
	Parts []Part   `json:"parts"`
}

// Part is one piece of content: exactly one of Text, Data, Bytes and URL; or, of a
// file that was replaced and is not kept, Gone.
type Part struct {
	Text      *string         `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Bytes     *[]byte         `json:"bytes,omitempty"` // base64
	URL       string          `json:"url,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Gone      int             `json:"not_kept,omitempty"` // how many bytes it had
}

func newStatus(t *a2a.Task, agent string) *Status {
	return &Status{
		ID: string(t.ID), Agent: agent, ContextID: t.ContextID, State: t.Status.State,
		Message: t.Status.Message.Text(), Updated: t.Status.Timestamp.UTC(),
	}
}

func newTask(t *a2a.Task, agent string) *Task {
	out := &Task{Status: *newStatus(t, agent), Artifacts: []Artifact{}, Metadata: t.Metadata}
	for _, a := range t.Artifacts {
		out.Artifacts = append(
			out.Artifacts, Artifact{a.ID, a.Name, a.Description, newParts(a.Parts)},
		)
	}

	for _, m := range t.History {
		out.History = append(out.History, Turn{m.Role, newParts(m.Parts)})
	}

	return out
}

func newRevisions(p *ledger.Revisions) (out Revisions) {
	if !p.Any() {
		return out
	}
	out.Dropped = p.Dropped
	for _, s := range p.States {
		out.Statuses = append(
			out.Statuses,
			documents.StatusInfo{State: s.State, Since: time.UnixMilli(s.Since).UTC()},
		)
	}

	for _, v := range slices.Backward(p.Artifacts) {
		parts := newParts(v.Artifact.Parts)
		for i, size := range v.Gone {
			parts[i].Bytes = nil
			parts[i].Gone = size
		}
		out.Replaced = append(out.Replaced, Version{
			Artifact{v.Artifact.ID, v.Artifact.Name, v.Artifact.Description, parts},
			time.UnixMilli(v.Until).UTC(),
		})
	}

	return out
}

func newParts(parts []a2a.Part) []Part {
	out := []Part{}
	for _, p := range parts {
		part := Part{Filename: p.Filename, MediaType: p.MediaType}
		switch c := p.Content.(type) {
		case a2a.Text:
			part.Text = (*string)(&c)
		case a2a.Raw:
			part.Bytes = (*[]byte)(&c)
		case a2a.URL:
			part.URL = string(c)
		case a2a.Data:
			part.Data = json.RawMessage(c)
		}
		out = append(out, part)
	}

	return out
}

// toDomain returns p as a part of package a2a.
func (p Part) toDomain() (a2a.Part, error) {
	out := a2a.Part{Filename: p.Filename, MediaType: p.MediaType}
	var all []a2a.Content
	if p.Text != nil {
		all = append(all, a2a.Text(*p.Text))
	}
	if p.Data != nil {
		all = append(all, a2a.Data(p.Data))
	}
	if p.Bytes != nil {
		all = append(all, a2a.Raw(*p.Bytes))
	}
	if p.URL != "" {
		all = append(all, a2a.URL(p.URL))
	}
	if len(all) != 1 {
		return out, errors.New(`must hold exactly one of "text", "data", "bytes" and "url"`)
	}

	out.Content = all[0]
	return out, nil
}
