package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/mcp"
)

const (
	listedCards     = 100     // the others are known by list_agents
	listedTasks     = 50      // the latest; search finds the others
	listedArtifacts = 20      // of one task; the others are known by the task
	listedBytes     = 4 << 20 // of tasks that are looked into for their artifacts
)

// ListResources lists what the caller is likely to pick (mcp.ResourceLister): the agents, and then
// the latest tasks of the caller, each with its artifacts. Without a user the list is empty. It has
// one page, because clients follow few, and list again after each task.
func (rs Resources) ListResources(ctx context.Context, _ string) ([]mcp.Resource, error) {
	access := rs.service.Directory.Access(ctx)
	if access.User() == "" {
		return nil, nil
	}

	all := rs.listCards(access)
	latest := ledger.Filter{Limit: listedTasks}
	tasks, _, err := rs.service.Runner.Summaries(ctx, access, latest, "")
	if err != nil {
		return nil, err
	}

	bytes := 0
	for i := range tasks {
		if bytes > listedBytes {
			all = append(all, listTask(&tasks[i]))
			continue
		}
		e, err := rs.service.Runner.Task(ctx, access, tasks[i].TaskID)
		if errors.Is(err, ledger.ErrNoTask) {
			continue // it was forgotten meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(append(all, listTask(&tasks[i])), listArtifacts(e)...)
		if e.Task != nil {
			bytes += ledger.Size(e.Task)
		}
	}

	return all, nil
}

func (rs Resources) listCards(access directory.Access) (cards []mcp.Resource) {
	agents := rs.service.Directory.Agents(access)
	for _, a := range agents[:min(len(agents), listedCards)] {
		cards = append(cards, mcp.Resource{
			URI:         CardURI(a.Name),
			Name:        a.Name,
			Title:       "Agent " + a.Name,
			MIMEType:    view.JSONType,
			Description: "What the agent can do.",
		})
	}

	return cards
}

func listTask(s *ledger.Summary) mcp.Resource {
	about := fmt.Sprintf("Task of %s, %s", s.Agent, s.State)
	r := mcp.Resource{
		URI:         TaskURI(s.TaskID),
		Name:        s.TaskID,
		Title:       cmp.Or(ledger.Title(s.Asked), about),
		Description: about,
		MIMEType:    view.JSONType,
	}
	if s.Message != "" {
		r.Description += ": " + s.Message
	}

	return r
}

func listArtifacts(e *ledger.Record) (all []mcp.Resource) {
	if e.Task == nil {
		return nil
	}

	for i := range e.Task.Artifacts[:min(len(e.Task.Artifacts), listedArtifacts)] {
		a := &e.Task.Artifacts[i]
		if uri := artifactURI(e.Handle, a.ID); uri != "" {
			all = append(all, listArtifact(uri, a))
		}
	}

	return all
}

func listArtifact(uri string, a *a2a.Artifact) mcp.Resource {
	r := mcp.Resource{
		URI:         uri,
		Name:        sanitize.Label(cmp.Or(a.Name, a.ID)),
		Description: sanitize.Short(a.Description, 1000),
	}
	if len(a.Parts) == 1 {
		for _, p := range view.Parts(a.Parts) {
			r.MIMEType = contentsOf(uri, &p).MIMEType
			r.Name = cmp.Or(p.Name, r.Name)
			r.Size = int64(p.Size)
		}
	}

	return r
}

// MaySubscribe reports whether the caller may subscribe to a resource (mcp.Access.MaySubscribe).
// Changes of a task reach the clients of its owner only, so the agent of the task decides.
func (rs Resources) MaySubscribe(ctx context.Context, uri string) bool {
	access := rs.service.Directory.Access(ctx)
	kind, rest, _ := strings.Cut(strings.TrimPrefix(uri, "rialto://"), "/")
	name, _, _ := strings.Cut(rest, "/")
	name, err := url.PathUnescape(name)
	switch {
	case err != nil:
		return false
	case kind == "agents":
		return rs.service.Directory.Agent(access, name) != nil
	case access.AllowsAllTasks():
		return true
	}

	_, err = rs.service.Runner.Task(ctx, access, name)
	return err == nil
}

// Complete completes the variables of the templates (mcp.Completer).
func (rs Resources) Complete(ctx context.Context, c *mcp.Completion) (*mcp.Completions, error) {
	all, err := rs.values(ctx, c.Argument, c.Known["task"], c.Known["artifact"])
	found := &mcp.Completions{}
	for _, v := range all {
		if strings.HasPrefix(v, c.Value) {
			found.Values = append(found.Values, v)
		}
	}
	return found, err
}

// values returns the values of a variable; of tasks, the latest.
func (rs Resources) values(
	ctx context.Context,
	variable, task, artifact string,
) (all []string, err error) {
	access := rs.service.Directory.Access(ctx)
	switch variable {
	case "agent":
		for _, a := range rs.service.Directory.Agents(access) {
			all = append(all, a.Name)
		}
	case "task":
		tasks, _, err := rs.service.Runner.Summaries(
			ctx,
			access,
			ledger.Filter{Limit: runner.LargestPage},
			"",
		)
		for _, t := range tasks {
			all = append(all, t.TaskID)
		}
		return all, err
	case "artifact", "part":
		e, err := rs.service.Runner.Task(ctx, access, task)
		if errors.Is(err, ledger.ErrNoTask) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return idsWithin(e.Task, variable, artifact), nil
	}

	return all, nil
}

// idsWithin returns the ids of the artifacts of a task, or the part numbers of one.
func idsWithin(t *a2a.Task, variable, artifact string) (all []string) {
	if variable == "part" {
		if a, _ := ledger.ArtifactOf(t, artifact); a != nil {
			for i := range a.Parts {
				all = append(all, strconv.Itoa(i))
			}
		}
		return all
	}
	if t != nil {
		for i := range t.Artifacts {
			all = append(all, t.Artifacts[i].ID)
		}
	}

	return all
}
