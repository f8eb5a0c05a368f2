package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// toolset is the tools at one moment, made ready. It is replaced, never changed.
type toolset struct {
	named   map[string]*tool
	names   []string // in the order of the list
	listing listing
}

// SetTools replaces Tools while the server serves. Calls that run go on. The
// clients that listen are told, if Changing says so and what is listed has
// changed. It returns what Check would say of the tools; then the earlier ones
// stay.
func (s *Server) SetTools(tools []Tool) error {
	if err := s.prepare(); err != nil {
		return err
	}
	next, err := s.ready.makeTools(tools)
	if err != nil {
		return err
	}
	was := s.ready.tools.Swap(next)
	if s.Changing && !bytes.Equal(was.listing.legacy.result, next.listing.legacy.result) {
		s.Changed(ToolsChanged())
	}
	return nil
}

// Check tells what is wrong with a tool by itself, nil if nothing is.
func (t Tool) Check() error {
	if t.Name == "" {
		return errors.New("mcp: a tool has no name")
	}
	_, err := newTool(t)
	return err
}

// ToolNames returns the names of the tools that a principal may see, "" for somebody
// nobody knows, in the order in which they are listed.
func (s *Server) ToolNames(ctx context.Context, principal string) []string {
	if s.prepare() != nil {
		return nil
	}
	var names []string
	for _, name := range s.ready.tools.Load().names {
		if s.Visible == nil || s.Visible(ctx, principal, name) {
			names = append(names, name)
		}
	}
	return names
}

// tool returns the one with a name, nil if there is none.
func (p *prepared) tool(name string) *tool { return p.tools.Load().named[name] }

func (p *prepared) makeTools(tools []Tool) (*toolset, error) {
	set := &toolset{named: make(map[string]*tool, len(tools))}
	list, earlier := make([]any, 0, len(tools)), make([]any, 0, len(tools))
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
		set.names = append(set.names, t.Name)
		listed := newListedTool(t)
		list = append(list, listed)
		if p.tasks && t.Tasks != NoTasks {
			listed.Execution = &execution{t.Tasks}
		}
		earlier = append(earlier, listed)
	}
	var err error
	set.listing, err = p.newListing("tools", list, earlier)
	return set, err
}

// listTools answers tools/list with those that the principal may see.
func (x *exchange) listTools() (json.RawMessage, error) {
	set := x.s.ready.tools.Load()
	p, err := x.onlyPage(set.listing)
	if err != nil || x.s.Visible == nil {
		return p.result, err
	}
	var seen []json.RawMessage
	for i, name := range set.names {
		if x.s.Visible(x.r.Context(), x.principal, name) {
			seen = append(seen, p.items[i])
		}
	}
	if len(seen) == len(p.items) {
		return p.result, nil
	}
	return x.result(cacheHint, set.listing.member, array(seen)), nil
}
