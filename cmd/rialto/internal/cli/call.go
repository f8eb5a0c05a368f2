package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/call"
	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/stdio"
	"rialto/cmd/rialto/internal/term"
	"rialto/oauth"
)

// callToken is the environment variable with an access token for "rialto call". It is not a flag,
// because other users of the computer can read flags.
const callToken = "RIALTO_TOKEN"

// caller holds the flags of "rialto call".
type caller struct {
	from                       storeFlags
	url, user, clientID, files string
	asJSON, logout             bool
	timeout                    time.Duration

	grant *oauth.Grant // of the access token; nil with --url
}

func callCommand() *cobra.Command {
	var c caller
	cmd := &cobra.Command{
		Use:   "call [TOOL [KEY=VALUE …]]",
		Short: "Call a tool of an MCP server and print its result",
		Long: "Call plays a chat app in the terminal: it calls a tool of a server and prints the result. Without TOOL it lists the tools; " +
			"\"rialto call TOOL --help\" shows the arguments of a tool.\n\n" +
			"The server is that of --config or --data (the demo), which gives call an access token, or any MCP server with --url. " +
			"With --url, call logs in with your browser and stores the login, unless an access token is in " + callToken + ".\n\n" +
			"KEY=VALUE is read by the type that the tool names, KEY=@FILE is the content of a file (- is standard input), KEY:=JSON is JSON.\n\n" +
			"Exit codes: 0 done, 1 the tool failed, 2 wrong usage, 3 no login, 4 server not reached, 5 the task waits for an answer, 130 interrupted.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args, false) },
	}
	c.from.add(cmd)
	flags := cmd.Flags()
	textFlag(
		cmd,
		&c.url,
		"url",
		"`address` of another MCP server, such as https://mcp.example.com/mcp",
	)
	textFlag(
		cmd,
		&c.user,
		"user",
		"`name` of the account that calls (default: the only account)",
	)
	textFlag(
		cmd,
		&c.clientID,
		"client-id",
		"with --url, `ID` of a registered client, or the address of a client ID metadata document",
	)
	textFlag(cmd, &c.files, "output", "`directory` to save the files of the result in")
	boolFlag(cmd, &c.asJSON, "json", "print the result as the server sent it")
	boolFlag(cmd, &c.logout, "logout", "with --url, forget the stored login")
	flags.DurationVar(&c.timeout, "timeout", time.Hour, "time limit, including the login")
	for _, other := range []string{"data", "config", "database", "user"} {
		cmd.MarkFlagsMutuallyExclusive("url", other)
	}

	completeFrom(cmd, "user", "accounts")
	cmd.ValidArgsFunction = c.complete
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); len(words) > 0 {
			if err := c.run(cmd, words[:1], true); err == nil {
				return
			}
		}
		help(cmd, args)
	})
	return cmd
}

// run calls the tool of the first word with the others as arguments, describes it, or lists the tools.
func (c *caller) run(cmd *cobra.Command, words []string, describe bool) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), c.timeout)
	defer cancel()
	if c.logout {
		return c.forget(cmd)
	}

	defer c.disconnect(cmd)
	s, err := c.connect(ctx, cmd)
	if err != nil {
		return callError(err)
	}
	defer s.Close()
	tools, err := s.List(ctx)
	if err != nil {
		return callError(err)
	}

	out := &call.Printer{Out: cmd.OutOrStdout(), Output: c.files}
	if len(words) == 0 {
		if c.asJSON {
			return out.JSON(tools)
		}
		return out.Tools(tools)
	}

	tool, err := toolNamed(tools, words[0])
	if err != nil {
		return err
	}
	if describe {
		out.Tool(tool, program()+" call")
		return nil
	}

	args, err := call.Arguments(tool, words[1:], cmd.InOrStdin())
	if err != nil {
		return usagef("%w; \"rialto call %s --help\" describes them", err, tool.Name)
	}

	return c.call(ctx, cmd, s, out, tool, args)
}

func (c *caller) call(
	ctx context.Context,
	cmd *cobra.Command,
	s *call.Session,
	out *call.Printer,
	tool *mcp.Tool,
	args map[string]any,
) error {
	r, err := s.Call(ctx, tool, args)
	switch {
	case ctx.Err() != nil:
		return c.interrupted(cmd, s.Task, r)
	case err != nil:
		return callError(err)
	case c.asJSON:
		err = out.JSON(r)
	default:
		err = out.Result(ctx, s, r)
	}

	switch {
	case err != nil:
		return err
	case r.IsError:
		return fmt.Errorf("the tool %s failed", tool.Name)
	case call.Waits(r):
		return exitError{5, errors.New(c.unanswered(r))}
	}

	return nil
}

// forget removes the stored login of --url.
func (c *caller) forget(cmd *cobra.Command) error {
	if c.url == "" {
		return usagef("--logout needs --url: only logins with a browser are stored")
	}

	l, err := newLogin(c.url, c.clientID, cmd.ErrOrStderr())
	if err != nil {
		return err
	}

	had, err := l.Forget()
	if err != nil {
		return err
	}

	done := "Logged out: forgot the stored login for %s\n"
	if !had {
		done = "There is no stored login for %s\n"
	}

	fmt.Fprintf(cmd.OutOrStdout(), done, c.url)
	return nil
}

// interrupted says how to go on after Ctrl-C or the end of --timeout. The result is nil unless a
// question was open.
func (c *caller) interrupted(cmd *cobra.Command, task string, r *mcp.CallToolResult) error {
	why := exitError{130, errors.New("interrupted")}
	if cmd.Context().Err() == nil {
		why = exitError{1, fmt.Errorf("the time limit of %v is over (--timeout)", c.timeout)}
	}

	switch {
	case r != nil && call.Waits(r):
		if why.code == 1 {
			why.code = 5
		}
		why.error = fmt.Errorf("%w; %s", why.error, c.unanswered(r))
	case task != "":
		why.error = fmt.Errorf(
			"%w; the task continues. To wait for it again:\n  %s\nTo cancel it:\n  %s",
			why.error,
			c.again("get_task", task),
			c.again("cancel_task", task),
		)
	}

	return why
}

// unanswered says how to answer or cancel the task of a result.
func (c *caller) unanswered(r *mcp.CallToolResult) string {
	task := call.TaskOf(r)
	at := ""
	if page := call.AnswerURL(r); page != "" {
		at = " Answer at\n  " + page + "\nor with"
	}
	return "the task waits for an answer." + cmp.Or(at, " To answer it:") + "\n  " +
		c.again("send_task message=…", task) + "\nTo cancel it:\n  " + c.again("cancel_task", task)
}

// again returns a command that calls a tool about a task on the same server.
func (c *caller) again(call, task string) string {
	task = sanitize.ShellWord(sanitize.Label(task)) // a hostile server may have written it
	line := program() + " call " + call + " task_id=" + task
	for _, flag := range [][2]string{
		{"url", c.url},
		{"config", c.from.config},
		{"database", c.from.database},
		{"data", c.from.data},
		{"user", c.user},
	} {
		if flag[1] != "" {
			line += " --" + flag[0] + " " + sanitize.ShellWord(flag[1])
		}
	}

	return line
}

// connect finds the server and the login.
func (c *caller) connect(ctx context.Context, cmd *cobra.Command) (*call.Session, error) {
	client := &call.Client{
		URL:     c.url,
		Version: server.Version(),
		Err:     cmd.ErrOrStderr(),
		Dialog:  term.NewDialog(cmd.InOrStdin(), cmd.ErrOrStderr()),
	}
	switch {
	case c.url == "":
		address, token, err := c.own(cmd)
		if err != nil {
			return nil, err
		}
		client.URL = address
		client.Login = &login.Login{URL: address, Token: token}
	case checkAddress(c.url) != nil:
		return nil, checkAddress(c.url)
	default:
		l, err := newLogin(c.url, c.clientID, cmd.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		l.Attended = client.Dialog.Visible()
		l.Browser = client.Dialog.Terminal()
		client.Login = l
	}

	return client.Connect(ctx)
}

// isWebAddress tells whether an address is a whole http or https address.
func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && slices.Contains([]string{"http", "https"}, u.Scheme)
}

func checkAddress(address string) error {
	if !isWebAddress(address) {
		return usagef(
			"%s: write the whole address, such as https://mcp.example.com/mcp", address,
		)
	}
	return nil
}

// newLogin returns the login to another server, which is stored in the user's data directory.
func newLogin(address, clientID string, err io.Writer) (*login.Login, error) {
	dir, dirErr := demoDir("")
	return &login.Login{
		URL:      address,
		File:     filepath.Join(dir, "logins.json"),
		Err:      err,
		Token:    os.Getenv(callToken),
		ClientID: clientID,
	}, dirErr
}

// own returns the address of the server whose store the flags name, and a token for it.
func (c *caller) own(cmd *cobra.Command) (address, token string, err error) {
	cfg, err := c.from.load(cmd)
	if err != nil {
		return "", "", err
	}

	err = c.from.operate(cmd, nil, func(r *request) error {
		user, err := c.account(r)
		if err == nil {
			token, c.grant, err = r.IssueToken(
				r.ctx,
				operator.CommandLine, "",
				user,
				[]string{oauth.ScopeTools},
				c.timeout+time.Minute, // a question is returned after the timeout
			)
		}
		return err
	})
	return cfg.URL + "/mcp", token, err
}

// disconnect ends what own allowed, so that the account does not have a connection for each call.
func (c *caller) disconnect(cmd *cobra.Command) {
	if c.grant == nil {
		return
	}

	cmd.SetContext(context.WithoutCancel(cmd.Context()))
	err := c.from.operate(cmd, nil, func(r *request) error {
		return r.RevokeGrant(r.ctx, operator.CommandLine, c.grant.ID)
	})
	if err != nil {
		until := c.grant.Expires.Format(time.TimeOnly)
		fmt.Fprintf(cmd.ErrOrStderr(), "The access token of this call works until %s: %v\n", until, err)
	}
}

// account returns the account that calls: the named one, the demo's, or the only one.
func (c *caller) account(r *request) (string, error) {
	switch names := r.names("accounts"); {
	case c.user != "":
		return c.user, nil
	case !c.from.ofServer():
		return demoUser, nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", exitError{
			3,
			errors.New("the server has no account yet: add one with \"rialto user add NAME\""),
		}
	}
	return "", usagef("the server has several accounts: name the one that calls with --user")
}

func toolNamed(tools []*mcp.Tool, name string) (*mcp.Tool, error) {
	var names []string
	for _, t := range tools {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}

	return nil, usagef(
		"the server has no tool %q%s; \"rialto call\" lists the tools",
		name,
		didYouMean(name, names),
	)
}

// callError gives the errors of a call their exit codes.
func callError(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return exitError{130, errors.New("interrupted")}
	case errors.Is(err, login.ErrRequired):
		return exitError{3, fmt.Errorf("%w; a program needs an access token in %s", err, callToken)}
	case errors.Is(err, call.ErrUnreachable), errors.Is(err, stdio.ErrUnreachable):
		return exitError{4, err}
	}
	return err
}

// complete completes the name of a tool, and the names of its arguments.
func (c *caller) complete(
	cmd *cobra.Command, args []string, begun string,
) (words []string, directive cobra.ShellCompDirective) {
	directive = cobra.ShellCompDirectiveNoFileComp
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	cmd.SetContext(ctx)
	cmd.SetErr(io.Discard)
	cmd.SetIn(strings.NewReader(""))
	defer c.disconnect(cmd)
	s, err := c.connect(ctx, cmd)
	if err != nil {
		return nil, directive
	}
	defer s.Close()
	tools, err := s.List(ctx)
	if err != nil {
		return nil, directive
	}

	for _, t := range tools {
		switch {
		case len(args) == 0 && strings.HasPrefix(t.Name, begun):
			words = append(words, t.Name)
		case len(args) > 0 && t.Name == args[0]:
			words = call.Keys(t, begun)
			directive = directive | cobra.ShellCompDirectiveNoSpace
		}
	}

	hostile := func(word string) bool { return sanitize.Line(word) != word }
	return slices.DeleteFunc(words, hostile), directive
}
