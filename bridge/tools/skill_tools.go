package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

const (
	// skillsEvery is how often the tools of skills, and MCP skills, are compared with the cards.
	skillsEvery = 10 * time.Second

	maxSkills   = 200 // tools, and as many MCP skills, over all agents
	maxToolName = 64  // more is refused by some clients
)

// skillTools are the skills of agents, as tools and as MCP skills.
type skillTools struct {
	tools  []mcp.Tool
	of     map[string]skillOf // by the tool's name
	own    map[string]bool    // the names of the tools that are of no skill; nil before skills were read
	skills []agentSkill
}

// skillTools returns the skills that were read last.
func (t *Tools) skillTools() *skillTools {
	if read := t.skills.Load(); read != nil {
		return read
	}
	return &skillTools{}
}

type skillOf struct {
	agent directory.AgentConfig
	title string // of the agent
	skill a2a.Skill
	form  a2a.SkillForm
	typed bool // it has a form
	files bool // it takes files beside data
}

// hash returns eight digits that tell a skill from others.
func (s *skillOf) hash(salt string) string {
	sum := sha256.Sum256([]byte(s.agent.Name + "\x00" + s.skill.ID + salt))
	return fmt.Sprintf("%x", sum[:4])
}

// ToolVisible reports whether the caller may see and call a tool (mcp.Access.ToolVisible).
// The tool of a skill is for callers that may see the skill.
func (t *Tools) ToolVisible(ctx context.Context, tool string) bool {
	access := t.Directory.Access(ctx)
	if !access.AllowsTool(tool) {
		return false
	}

	skills := t.skillTools()
	s, ok := skills.of[tool]
	if !ok {
		return skills.own == nil || skills.own[tool] // or the tool of a skill that has just gone
	}

	return t.Directory.AllowsMessages(access, s.agent.Name, s.skill.ID)
}

// keepSkills updates what is made of skills until running ends.
func (t *Tools) keepSkills(running context.Context) {
	tick := time.Tick(skillsEvery)
	for {
		select {
		case <-running.Done():
			return
		case <-t.Directory.Changes():
		case <-tick:
		}
		t.ReadSkills(running)
	}
}

// ReadSkills reads the cards of the agents whose skills are tools or MCP skills, within seconds, and
// makes them. If List or Skills returns others then, the clients are notified.
// An agent that cannot be reached keeps its own.
func (t *Tools) ReadSkills(ctx context.Context) {
	t.reading.Lock()
	defer t.reading.Unlock()
	was := t.skillTools()
	next := newSkillTools(t, t.readSkills(ctx))
	t.skills.Store(next)
	if t.Clients == nil {
		return
	}
	if !reflect.DeepEqual(was.shown(), next.shown()) {
		t.Clients.ToolsChanged()
	}
	if !slices.EqualFunc(was.skills, next.skills, sameSkill) {
		t.Clients.Changed(mcp.ResourcesChanged())
	}
}

func sameSkill(a, b agentSkill) bool { return reflect.DeepEqual(a.Skill, b.Skill) }

// shown returns what clients see of tools.
func (s *skillTools) shown() []mcp.Tool {
	tools := slices.Clone(s.tools)
	for i := range tools {
		tools[i].Call = nil
	}
	return tools
}

// readSkills returns the skills that are to be tools or MCP skills, in the operator's order.
func (t *Tools) readSkills(ctx context.Context) []skillOf {
	everybody := t.Directory.AccessOf(directory.Caller{AllUseCases: true})
	agents := slices.DeleteFunc(t.Directory.Agents(everybody), func(p *directory.Agent) bool {
		return !p.SkillsAsTools && !p.SkillsAsMCPSkills
	})
	var skills []skillOf
	for _, p := range t.Directory.Reach(ctx, agents) {
		card := p.Card()
		known := map[string]bool{
			"":                    true,
			documents.SearchSkill: true,
			documents.FetchSkill:  true,
		} // the tools search and fetch ask every agent that has these
		for _, s := range card.Skills[:min(len(card.Skills), directory.MaxSkills)] {
			if known[s.ID] {
				continue
			}
			known[s.ID] = true
			form, typed := card.SkillForm(s.ID)
			skills = append(skills, skillOf{
				agent: p.AgentConfig,
				title: sanitize.Label(card.Name),
				skill: s,
				form:  form,
				typed: typed,
				files: slices.ContainsFunc(card.InputModesOf(s.ID), isFileType),
			})
		}
	}
	return skills
}

// wanted returns the first maxSkills skills of the agents that want them so.
func wanted(skills []skillOf, so func(directory.AgentConfig) bool) []skillOf {
	some := slices.DeleteFunc(slices.Clone(skills), func(s skillOf) bool { return !so(s.agent) })
	return some[:min(len(some), maxSkills)]
}

func newSkillTools(t *Tools, skills []skillOf) *skillTools {
	taken := map[string]bool{}
	for _, tool := range t.withCard(t.ownTools()) {
		taken[tool.Name] = true
	}

	made := &skillTools{of: map[string]skillOf{}, own: taken}
	made.skills = newAgentSkills(
		wanted(skills, func(a directory.AgentConfig) bool { return a.SkillsAsMCPSkills }),
	)
	skills = wanted(skills, func(a directory.AgentConfig) bool { return a.SkillsAsTools })
	for i, name := range toolNames(skills, taken) {
		s := skills[i]
		made.tools = append(made.tools, t.skillTool(name, s))
		made.of[name] = s
	}

	return made
}

// toolNames returns a name for the tool of each skill: that of the skill if it is
// unique, and AGENT_SKILL otherwise.
func toolNames(skills []skillOf, taken map[string]bool) []string {
	bare := bareNames(skills, taken)
	used := map[string]bool{}
	names := make([]string, len(skills))
	for i, s := range skills {
		name := toolNamePart(s.skill.ID)
		if !bare[name] {
			name = fullName(s)
		}
		long := name
		reserved := bare[name] &&
			name != toolNamePart(s.skill.ID) // for the skill that has this name
		for salt := ""; reserved || len(name) > maxToolName || taken[name] || used[name]; salt += "\x00" {
			reserved = false
			name = long[:min(len(long), maxToolName-9)] + "_" + s.hash(salt)
		}
		names[i], used[name] = name, true
	}

	return names
}

// bareNames returns the names of skills that can be names of tools. A call to
// AGENT_SKILL must not reach another agent with an equally named skill.
func bareNames(skills []skillOf, taken map[string]bool) map[string]bool {
	count := map[string]int{}
	full := map[string]string{}
	for _, s := range skills {
		count[toolNamePart(s.skill.ID)]++
		full[fullName(s)] = s.agent.Name
	}

	bare := map[string]bool{}
	for _, s := range skills {
		word := toolNamePart(s.skill.ID)
		agent, named := full[word]
		bare[word] = !taken[word] && count[word] == 1 && (!named || agent == s.agent.Name)
	}

	return bare
}

func fullName(s skillOf) string { return s.agent.Name + "_" + toolNamePart(s.skill.ID) }

var notInToolNames = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// toolNamePart replaces the characters that names of tools must not have.
func toolNamePart(id string) string { return notInToolNames.ReplaceAllString(id, "_") }

func (t *Tools) skillTool(name string, s skillOf) mcp.Tool {
	tool := mcp.Tool{
		Name:         name,
		Title:        sanitize.Label(s.skill.Name),
		InputSchema:  skillInput,
		OutputSchema: taskOutput,
		ReadOnly: s.typed &&
			s.form.ReadOnly,
		Idempotent:  s.typed && s.form.ReadOnly,
		OpenWorld:   true,
		Tasks:       mcp.TasksOptional,
		DetachedFor: longestWait + time.Minute,
		FileParams:  []string{"attachments"},
	}
	read := messageOf
	if schema := formSchema(s.form.Input); s.typed && schema != nil {
		typed := tool
		if s.files {
			schema, s.files = withFiles(schema)
		}
		typed.InputSchema = schema
		if !s.files {
			typed.FileParams = nil // its arguments are those of the skill
		}
		if typed.Check() == nil {
			tool = typed
			read = dataOf
		}
	}
	tool.Description = describeSkill(s, &tool)

	tool.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		args, err := read(
			s, t.Directory.Access(ctx).OverrideUseCase(c.Arguments),
		) // before words are made of them
		var r *mcp.Result
		if err == nil {
			r, err = t.sendOrAnswer(ctx, c, args)
		}
		if err != nil {
			return t.errorResult(ctx, err)
		}
		return r, nil
	}
	return tool
}

// describeSkill returns the description of the tool of a skill, from its card.
func describeSkill(s skillOf, tool *mcp.Tool) string {
	text := cmp.Or(sanitize.Short(s.skill.Description, 1000), sanitize.Label(s.skill.Name))
	for i, example := range exampleArguments(s, tool) {
		if i == 0 {
			text += " For example:"
		}
		text += " " + example
	}

	return strings.TrimSpace(text) +
		fmt.Sprintf(" (A skill of the agent %s, %s. If the result has a task that is not finished, go on with get_task, or with send_task to answer a question.)", s.agent.Name, s.title)
}

// messageOf decodes the arguments of a tool whose skill takes text.
func messageOf(s skillOf, arguments json.RawMessage) (*sendArgs, error) {
	args := &sendArgs{}
	if err := json.Unmarshal(arguments, args); err != nil {
		return nil, ledger.InputError{
			Text: fmt.Sprintf("The arguments could not be read: %v.", err),
		}
	}
	args.Agent = s.agent.Name
	args.Skill = s.skill.ID
	return args, nil
}

// dataOf decodes the arguments of a tool whose skill takes data. The agent gets them
// unchanged but for files, with a text for agents that read only text.
func dataOf(s skillOf, arguments json.RawMessage) (*sendArgs, error) {
	args := &sendArgs{}
	var err error
	if s.files {
		arguments, err = takeFiles(arguments, args)
	}
	var members map[string]any
	if err == nil {
		err = json.Unmarshal(arguments, &members)
	}
	if err != nil {
		return nil, ledger.InputError{
			Text: fmt.Sprintf("The arguments could not be read: %v.", err),
		}
	}

	args.Agent = s.agent.Name
	args.Skill = s.skill.ID
	args.Message = cmp.Or(wordsOf(members, string(arguments)), s.skill.ID)
	args.Data = arguments
	return args, nil
}

// wordsOf returns the argument that states the request, if one has a known name, or all arguments.
func wordsOf(members map[string]any, all string) string {
	for _, name := range []string{"message", "question", "query", "text", "prompt", "input", "sql"} {
		if s, ok := members[name].(string); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}

	if len(members) == 0 {
		return ""
	}
	if len(members) == 1 {
		for _, v := range members {
			if s, ok := v.(string); ok {
				return strings.TrimSpace(s)
			}
		}
	}

	return all
}

// skillInput is the input of the tool of a skill without a schema.
var skillInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"message": {"type": "string", "minLength": 1, "description": "What you want from the agent, in full: it sees nothing of this chat."},
		"data": {"type": "object", "description": "Structured input, where the description asks for some."},
		"files": ` + skillFiles + `,
		"attachments": {"type": "array", "maxItems": 20, "description": "Files of the chat, if the chat app fills them in.", "items": {"$ref": "#/$defs/attachment"}},
		"context_id": {"type": "string", "description": "Stay in the conversation of an earlier result of this agent."},
		"wait": {
			"type": "number", "minimum": 0, "maximum": 240, "default": 45,
			"description": "Seconds to wait for the result before returning a task_id."
		}
	},
	"required": ["message"],
	"additionalProperties": false,
	"$defs": {"attachment": ` + attachmentSchema + `}
}`)
