package mcptest

import (
	"context"

	"rialto/mcp"
)

// Skills is an mcp.SkillLister.
type Skills struct{}

// Skills returns two skills. It panics if one of them is invalid.
func (Skills) Skills(context.Context) []*mcp.Skill {
	return []*mcp.Skill{
		skill("fixture", "echo-well", "Use this when \"echo\" is too plain:\nit says how to echo."),
		skill("fixture/more", "ask-well", "Use this before you ask a person."),
	}
}

func skill(folder, name, description string) *mcp.Skill {
	s, err := mcp.NewSkill(folder, name, description, "# "+name+"\n\nCall the tool once.\n")
	if err != nil {
		panic(err)
	}
	return s
}
