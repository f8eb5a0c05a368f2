package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/schema"
)

// toolset is the tools at one moment. It is replaced, never changed.
type toolset struct {
	named map[string]*tool
	plain toolList
	apps  toolList // for clients that show apps
}

// toolList is the tools that clients see.
type toolList struct {
	names   []string // in the order of the list
	listing listing
}

// tool is a Tool that can be called.
type tool struct {
	Tool
	input   *schema.Schema
	headers *revision.ParamHeaders // nil if it asks for none
}

// SetTools replaces Tools while the server serves. Running calls go on. Clients that
// listen are notified, if Changing says so and the list has changed. If Check would
// fail, it returns that error and the earlier tools stay.
func (s *Server) SetTools(tools []Tool) error {
	b := s.build()
	if b.err != nil {
		return b.err
	}

	next, err := b.makeTools(tools, s.Tasks != nil)
	if err != nil {
		return err
	}

	last := b.tools.Swap(next)
	if s.Changing &&
		!bytes.Equal(last.apps.listing.legacy.result, next.apps.listing.legacy.result) {
		s.Changed(ToolsChanged())
	}

	return nil
}

// Check returns what is wrong with a tool.
func (t Tool) Check() error {
	if t.Name == "" {
		return errors.New("mcp: a tool has no name")
	}
	_, err := newTool(t)
	return err
}

// ToolNames returns the names of the tools that a principal may see, "" for an
// anonymous one, in the order of the list. Those for apps are not among them.
func (s *Server) ToolNames(ctx context.Context, principal string) []string {
	b := s.build()
	if b.err != nil {
		return nil
	}

	var names []string
	for _, name := range b.tools.Load().plain.names {
		if s.Access.ToolVisible(ctx, principal, name) {
			names = append(names, name)
		}
	}

	return names
}

func newTool(t Tool) (*tool, error) {
	input, err := schema.Parse(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	input.Loosen(t.FileParams)
	if t.OutputSchema != nil && !json.Valid(t.OutputSchema) {
		return nil, errors.New("output schema is not JSON")
	}
	headers, err := revision.NewParamHeaders(t.Name, t.InputSchema)
	return &tool{t, input, headers}, err
}

func (b *built) makeTools(tools []Tool, withTasks bool) (*toolset, error) {
	set := &toolset{named: make(map[string]*tool, len(tools))}
	for _, t := range tools {
		if t.Name == "" || t.Call == nil {
			return nil, fmt.Errorf("mcp: tool %q has no name or nothing to call", t.Name)
		}
		if set.named[t.Name] != nil {
			return nil, fmt.Errorf("mcp: two tools are named %q", t.Name)
		}
		ready, err := newTool(t)
		if err != nil {
			return nil, fmt.Errorf("mcp: tool %q: %w", t.Name, err)
		}
		set.named[t.Name] = ready
	}

	var err1, err2 error
	set.plain, err1 = b.newToolList(tools, withTasks, false)
	set.apps, err2 = b.newToolList(tools, withTasks, true)
	return set, errors.Join(err1, err2)
}

// newToolList makes the list for clients that show apps, or for others.
func (b *built) newToolList(tools []Tool, withTasks, apps bool) (l toolList, err error) {
	var list, legacy []any
	for _, t := range tools {
		if t.View != nil && t.View.Hidden && !apps {
			continue
		}
		l.names = append(l.names, t.Name)
		listed := newListedTool(t, apps)
		list = append(list, listed)
		if withTasks && t.Tasks != NoTasks {
			listed.Execution = &execution{t.Tasks}
		}
		legacy = append(legacy, listed)
	}

	l.listing, err = b.newListing("tools", list, legacy)
	return l, err
}

// listTools answers tools/list with the tools that the principal may see.
func (r *request) listTools() (json.RawMessage, error) {
	set := &r.s.built.tools.Load().plain
	if r.s.Extensions.showsApps(r.Client) {
		set = &r.s.built.tools.Load().apps
	}

	p, err := r.onlyPage(set.listing)
	if err != nil {
		return nil, err
	}

	var visible []json.RawMessage
	for i, name := range set.names {
		if r.s.Access.ToolVisible(r.HTTP.Context(), r.Principal, name) {
			visible = append(visible, p.items[i])
		}
	}

	if len(visible) == len(p.items) {
		return p.result, nil
	}

	return r.result(cacheHint, set.listing.member, jsonrpc.Array(visible)), nil
}

type listedTool struct {
	Name            string           `json:"name"`
	Title           string           `json:"title,omitempty"`
	Description     string           `json:"description,omitempty"`
	InputSchema     json.RawMessage  `json:"inputSchema"`
	OutputSchema    json.RawMessage  `json:"outputSchema,omitempty"`
	Execution       *execution       `json:"execution,omitempty"`
	Annotations     annotations      `json:"annotations"`
	SecuritySchemes []SecurityScheme `json:"securitySchemes,omitempty"`
	Meta            *toolMeta        `json:"_meta,omitempty"`
}

// execution says in 2025-11-25 whether a tool begins tasks.
type execution struct {
	TaskSupport TaskSupport `json:"taskSupport"`
}

// annotations has no omitempty on purpose: see Tool.
type annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
}

// toolMeta repeats the security schemes for clients whose parsers drop members that
// the specification does not have.
type toolMeta struct {
	SecuritySchemes []SecurityScheme `json:"securitySchemes,omitzero"`
	FileParams      []string         `json:"openai/fileParams,omitempty"`
	viewMeta
}

func newListedTool(t Tool, apps bool) listedTool {
	l := listedTool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Annotations: annotations{
			Title:       t.Title,
			ReadOnly:    t.ReadOnly,
			Destructive: t.Destructive,
			Idempotent:  t.Idempotent,
			OpenWorld:   t.OpenWorld,
		},
		SecuritySchemes: t.SecuritySchemes,
	}
	meta := &toolMeta{SecuritySchemes: t.SecuritySchemes, FileParams: t.FileParams}
	if apps && t.View != nil {
		meta.viewMeta = t.View.meta()
	}
	if t.SecuritySchemes != nil || t.FileParams != nil || (apps && t.View != nil) {
		l.Meta = meta
	}

	return l
}
