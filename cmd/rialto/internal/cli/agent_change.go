package cli

import (
	"github.com/spf13/cobra"

	"rialto/bridge/operator"
)

func changeAgentCommand() *cobra.Command {
	cmd := onEntry("agents", "change NAME", "Change an agent that was added")
	cmd.Long = "Changes only the settings whose flags are given. With another --auth the credentials are empty at first. " +
		"The secret is kept while it is sent to the same hosts."
	var f agentFlags
	f.add(cmd)
	textFlag(cmd, &f.url, "url", "`address` of the agent or of its card")
	bare := cmd.Flags().Bool("no-secret", false, "delete the secret")
	return withOperator(cmd, func(r *request) error {
		if *bare && (f.secretEnv != "" || f.secretFile != "") {
			return errTwoSecrets
		}
		present, err := r.Agents.Agent(r.ctx, r.name)
		if err != nil {
			return agentError(r.name, err)
		}
		a, err := f.over(r.cmd.Flags(), present.AgentConfig)
		if err != nil {
			return err
		}
		keep := !*bare && a.Credentials.Secret == "" &&
			a.Credentials.Type == present.Credentials.Type
		if err := r.Agents.Change(
			r.ctx,
			operator.CommandLine,
			a,
			present.Version,
			keep,
		); err != nil {
			return agentError(a.Name, err)
		}
		return r.agentDone(a.Name, "changed")
	})
}
