package mcp

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// prepared is what is the same for every request, made once.
type prepared struct {
	err          error
	tasks        bool   // whether there can be any
	key          []byte // seals what clients keep for a request
	tools        atomic.Pointer[toolset]
	resources    map[string]*Resource
	templates    []*template
	prompts      map[string]*Prompt
	completes    bool               // whether there is somebody who does
	lists        map[string]listing // by their methods
	changing     bool               // Server.Changing
	listing      bool               // whether the list of resources changes
	logging      bool               // Server.Logging
	info         json.RawMessage    // serverInfo
	instructions json.RawMessage    // a JSON string, nil if there are none
	discover     json.RawMessage    // the result of server/discover
}

// tool is a Tool made ready to be called.
type tool struct {
	Tool
	input  *schema
	params *gomcp.Tool // for Mcp-Param-* headers; nil if it asks for none
}

// Check tells what is wrong with the fields of s: a tool without a name or two
// of one name, a schema that is none. A Server with such a fault answers every
// request with an internal error.
func (s *Server) Check() error { return s.prepare() }

func (s *Server) prepare() error {
	s.once.Do(func() { s.ready.err = s.ready.make(s) })
	return s.ready.err
}

func (p *prepared) make(s *Server) (err error) {
	if s.Name == "" || s.Version == "" {
		return errors.New("mcp: the server has no name or no version")
	}
	s.opened.most = 512
	p.tasks, p.completes = s.Tasks != nil, s.Complete != nil
	p.changing, p.logging, p.listing = s.Changing, s.Logging, s.ListResources != nil
	p.lists = map[string]listing{}
	if p.key = s.SessionKey; len(p.key) == 0 {
		p.key = []byte(rand.Text()) // good until a restart, and on this replica
	}
	p.info, err = json.Marshal(gomcp.Implementation{
		Name: s.Name, Version: s.Version, Title: s.Title, WebsiteURL: s.WebsiteURL, Icons: icons(s.Icons),
	})
	if err != nil {
		return fmt.Errorf("mcp: server info: %w", err)
	}
	if s.Instructions != "" {
		p.instructions = jsonrpc.AppendString(nil, s.Instructions)
	}
	tools, err := p.makeTools(s.Tools)
	p.tools.Store(tools)
	if err := errors.Join(err, p.makeResources(s), p.makePrompts(s)); err != nil {
		return err
	}
	p.makeDiscover()
	return nil
}

func icons(icons []Icon) (all []gomcp.Icon) {
	for _, i := range icons {
		all = append(all, gomcp.Icon{Src: i.Src, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: gomcp.IconTheme(i.Theme)})
	}
	return all
}

func newTool(t Tool) (*tool, error) {
	input, err := parseSchema(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	if t.OutputSchema != nil && !json.Valid(t.OutputSchema) {
		return nil, errors.New("output schema is not JSON")
	}
	ready := &tool{Tool: t, input: input}
	mirrored := gomcp.NewToolWithRawSchema(t.Name, "", t.InputSchema)
	if err := gomcp.ValidateParamHeaderAnnotations(&mirrored); err != nil {
		return nil, err
	}
	if len(gomcp.ExtractParamHeaderBindings(&mirrored)) > 0 {
		ready.params = &mirrored
	}
	return ready, nil
}

// listedTool is a tool as tools/list shows it.
type listedTool struct {
	Name            string           `json:"name"`
	Title           string           `json:"title,omitempty"`
	Description     string           `json:"description,omitempty"`
	InputSchema     json.RawMessage  `json:"inputSchema"`
	OutputSchema    json.RawMessage  `json:"outputSchema,omitempty"`
	Execution       *execution       `json:"execution,omitempty"`
	Annotations     annotations      `json:"annotations"`
	Icons           []Icon           `json:"icons,omitempty"`
	SecuritySchemes []SecurityScheme `json:"securitySchemes,omitempty"`
	Meta            *toolMeta        `json:"_meta,omitempty"`
}

// execution was how a tool told whether it begins tasks, in 2025-11-25.
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

// toolMeta repeats the security schemes where clients find them whose parsers
// drop members that the specification does not have.
type toolMeta struct {
	SecuritySchemes []SecurityScheme `json:"securitySchemes"`
}

func newListedTool(t Tool) listedTool {
	l := listedTool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Annotations: annotations{
			Title:    t.Title,
			ReadOnly: t.ReadOnly, Destructive: t.Destructive, Idempotent: t.Idempotent, OpenWorld: t.OpenWorld,
		},
		Icons: t.Icons, SecuritySchemes: t.SecuritySchemes,
	}
	if t.SecuritySchemes != nil {
		l.Meta = &toolMeta{t.SecuritySchemes}
	}
	return l
}
