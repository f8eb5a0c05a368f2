package mcp

import (
	"context"
	"strings"

	"rialto/mcp/internal/revision"
)

// Extensions are the extensions of the protocol that a server offers in addition to tasks.
type Extensions struct {
	// Skills lists the skills, whose files are listed and read as resources; nil if skills are not
	// offered.
	Skills SkillLister

	// Events tells clients what happens; nil if events are not offered.
	Events Events

	// Apps tells whether a client shows apps that has not declared the extension; nil if apps are not
	// offered. The apps are those of Resources whose type is AppMIMEType.
	Apps func(Client) bool
}

// declared returns the extensions that the server offers with their settings, as members of
// an object. Those that are not bound to a revision are declared in every one.
func (x *Extensions) declared(rev string, tasks bool) string {
	var members []string
	add := func(offered bool, name, settings string) {
		if offered {
			members = append(members, `"`+name+`":`+settings)
		}
	}
	add(tasks && revision.Modern(rev), TasksExtension, "{}")
	add(x.Events != nil, EventsExtension, "{}")
	add(x.Apps != nil, AppsExtension, `{"mimeTypes":["`+AppMIMEType+`"]}`)
	add(x.Skills != nil, SkillsExtension, "{}")
	return strings.Join(members, ",")
}

// showsApps tells whether the client gets what is for clients that show apps.
func (x *Extensions) showsApps(c Client) bool {
	return x.Apps != nil && (c.Extends(AppsExtension) || x.Apps(c))
}

// skill returns the skill whose file has the URI, if the caller of the context may see it; nil
// otherwise.
func (x *Extensions) skill(ctx context.Context, uri string) *Skill {
	if x.Skills == nil || !strings.HasPrefix(uri, "skill://") {
		return nil
	}
	for _, s := range x.Skills.Skills(ctx) {
		if s.uri == uri {
			return s
		}
	}
	return nil
}

// skillFiles returns the files of the skills that the caller of the context may see.
func (x *Extensions) skillFiles(ctx context.Context) (files []*Resource) {
	if x.Skills == nil {
		return nil
	}
	for _, s := range x.Skills.Skills(ctx) {
		files = append(files, s.resource())
	}
	return files
}
