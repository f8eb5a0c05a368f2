package cli

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/bridge/view"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
	"rialto/store"
)

func tasksCommand() *cobra.Command {
	cmd := command("tasks", "List, show and cancel the tasks of all users")
	cmd.AddCommand(
		listCommand("tasks", "List the tasks, latest first"),
		showTaskCommand(),
		cancelTaskCommand(),
	)
	return cmd
}

// knownAgent returns an error for the name of no agent. An agent that was removed may have tasks.
func (r *request) knownAgent(name string) error {
	if name == "" {
		return nil
	}
	names := r.names("agents")
	p, err := r.Tasks(r.ctx, operator.TaskFilter{Span: operator.Span{Size: 1}, Agent: name})
	if err != nil || len(p.Items) > 0 || len(names) == 0 {
		return err
	}
	return oneOf("--agent", name, names...)
}

func showTaskCommand() *cobra.Command {
	cmd := onEntry("tasks", "show ID", "Show a task with its messages and artifacts")
	return withOperator(cmd, func(r *request) error {
		e, err := r.Task(r.ctx, r.name)
		if err != nil {
			return notFoundError("task", r.name, err, nil)
		}
		if r.asJSON {
			return writeJSON(r.out, taskJSON(e))
		}
		return writeTask(r.out, e)
	})
}

// taskJSON returns a task as JSON shows it.
func taskJSON(e *ledger.Record) any {
	return struct {
		Summary ledger.Summary  `json:"summary"`
		OwnerID string          `json:"owner_id"`
		Task    *a2a.Task       `json:"task,omitempty"`
		Failure *ledger.Failure `json:"failure,omitempty"`
	}{e.Summary(), e.Owner, e.Task, e.Failure}
}

func writeTask(out io.Writer, e *ledger.Record) error {
	style := term.StyleOf(out)
	err := term.Details(out, [][2]string{
		{
			"id",
			e.Handle,
		},
		{"owner", e.Owner},
		{"client", e.Client},
		{"agent", e.Agent},
		{"state", string(e.State())},
		{"created", style.Time(e.Created)},
		{"updated", style.Time(e.Updated)},
	})
	if err != nil {
		return err
	}
	if e.Failure != nil {
		fmt.Fprintf(out, "\nfailed: %s\n", cellText(e.Failure.Message, 2000))
	}
	if e.Task == nil {
		return nil
	}

	said := e.Task.History
	if m := e.Task.Status.Message; m != nil {
		said = append(slices.Clip(said), *m)
	}

	for _, m := range said {
		text := piecesText(style, slices.All(view.Message(nil, &m)))
		fmt.Fprintf(out, "\n%s %s\n", style.Bold(string(m.Role)+":"), text)
	}

	for _, a := range e.Task.Artifacts {
		title := strings.TrimSpace(cellText(a.ID, 100) + " " + cellText(a.Name, 100))
		text := piecesText(style, view.Parts(a.Parts))
		fmt.Fprintf(out, "\n%s\n%s\n", style.Bold("artifact "+title), text)
	}

	return nil
}

// piecesText returns the pieces of a message or artifact as text.
func piecesText(style term.Style, pieces iter.Seq2[int, view.Piece]) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Kind == view.File {
			fmt.Fprintf(&b, "%s (%d bytes, %s)", p.Name, p.Size, p.MediaType)
		}
		text := p.Text()
		if style.Terminal() && p.MediaType != view.JSONType {
			text = strings.TrimSuffix(style.Markdown(text), "\n")
		}
		b.WriteString(p.Link() + text + "\n")
	}
	return strings.TrimSpace(b.String())
}

func cancelTaskCommand() *cobra.Command {
	var from storeFlags
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "Cancel a task at its agent",
		Long: "Cancel a task at its agent. This command calls the agent with the credentials of the configuration; " +
			"a server that follows the task learns it from the agent.",
		Args: cobra.ExactArgs(1),
	}
	takesEntry(cmd, "tasks")
	from.add(destructive(cmd))
	jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task := args[0]
		err := from.operate(cmd, args, func(r *request) error {
			task = r.name
			return r.confirm("Cancel the task %s at its agent?", task)
		})
		if err != nil {
			return err
		}
		bar := term.Start(cmd.ErrOrStderr(), "Asking the agent to stop")
		e, err := from.cancel(cmd, task)
		bar.Stop()
		if err != nil {
			return notFoundError("task", task, err, nil)
		}
		return done(cmd, taskJSON(e), "The task is %s.", e.State())
	}
	return cmd
}

func (f *storeFlags) cancel(cmd *cobra.Command, task string) (e *ledger.Record, err error) {
	cfg, err := f.load(cmd)
	if err != nil {
		return nil, err
	}
	if cfg.Storage.Database == store.Memory {
		return nil, config.ErrInMemory
	}
	return server.CancelTask(cmd.Context(), cfg, operator.CommandLine, task)
}
