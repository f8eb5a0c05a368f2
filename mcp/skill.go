package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// SkillsExtension is the name under which a server declares skills (SEP-2640).
const SkillsExtension = "io.modelcontextprotocol/skills"

// Skill teaches a model how to do something (SEP-2640). It is one file, SKILL.md. A client asks a
// person to approve the file, and asks again when its digest changes. NewSkill makes one.
type Skill struct {
	uri, name, description, text string
	entry                        json.RawMessage // as skills/list shows it
}

// SkillLister lists skills. It is used concurrently.
type SkillLister interface {
	// Skills returns the skills that the caller of the context may see, always in the same order.
	Skills(context.Context) []*Skill
}

// The bounds of a skill, in characters.
const (
	MaxSkillName        = 64
	MaxSkillDescription = 1024
)

const markdown = "text/markdown"

var (
	skillName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	skillFolder = regexp.MustCompile(`^[a-z0-9._-]+(/[a-z0-9._-]+)*$`)
)

// NewSkill returns the skill whose file is skill://FOLDER/NAME/SKILL.md. The description says when a
// model should read it; the body is Markdown. The same arguments make the same file.
func NewSkill(folder, name, description, body string) (*Skill, error) {
	switch {
	case !skillFolder.MatchString(folder):
		return nil, fmt.Errorf("mcp: skill %q: %q is not a folder", name, folder)
	case !skillName.MatchString(name), len(name) > MaxSkillName:
		return nil, fmt.Errorf("mcp: %q is not a name of a skill", name)
	case description == "", utf8.RuneCountInString(description) > MaxSkillDescription:
		return nil, fmt.Errorf(
			"mcp: skill %q has no description, or a longer one than %d characters",
			name, MaxSkillDescription,
		)
	}

	s := &Skill{
		uri:         "skill://" + folder + "/" + name + "/SKILL.md",
		name:        name,
		description: description,
	}
	quoted := quoted(description) // a JSON string is a YAML string
	s.text = "---\nname: " + name + "\ndescription: " + quoted + "\n---\n\n" + body
	digest := sha256.Sum256([]byte(s.text))
	s.entry = fmt.Appendf(
		nil,
		`{"uri":%q,"frontmatter":{"name":%q,"description":%s},"resources":[{"uri":%q,"digest":"sha256:%s","size":%d}]}`,
		s.uri,
		name,
		quoted,
		s.uri,
		hex.EncodeToString(digest[:]),
		len(s.text),
	)
	return s, nil
}

// URI returns the URI of the skill's file.
func (s *Skill) URI() string { return s.uri }

// Name returns the skill's name.
func (s *Skill) Name() string { return s.name }

// resource returns the skill's file as a resource.
func (s *Skill) resource() *Resource {
	return &Resource{
		URI:         s.uri,
		Name:        s.name,
		Description: s.description,
		MIMEType:    markdown,
		Size:        int64(len(s.text)),
	}
}

func (s *Skill) contents() []Contents {
	return []Contents{{URI: s.uri, MIMEType: markdown, Text: s.text}}
}
