package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
)

func changeAgentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "change NAME",
		Short: "Change an agent that was added",
		Long: "Changes only the settings whose flags are given. With another --auth the credentials are empty at first. " +
			"The secret is kept while it is sent to the same hosts.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames("agents"),
	}
	var f agentFlags
	f.add(cmd)
	cmd.Flags().StringVar(&f.url, "url", "", "`address` of the agent or of its card")
	bare := cmd.Flags().Bool("no-secret", false, "delete the secret")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		if *bare && (f.secretEnv != "" || f.secretFile != "") {
			return errTwoSecrets
		}
		present, err := s.Agents.Agent(cmd.Context(), args[0])
		if err != nil {
			return agentError(args[0], err)
		}
		a, err := f.over(cmd.Flags(), present.AgentConfig)
		if err != nil {
			return err
		}
		keep := !*bare && a.Credentials.Secret == "" && a.Credentials.Type == present.Credentials.Type
		if err := s.Agents.Change(cmd.Context(), operator.CommandLine, a, present.Version, keep); err != nil {
			return agentError(a.Name, err)
		}
		return writeChanged(cmd, s, a.Name)
	})
}

func writeChanged(cmd *cobra.Command, s *operator.Service, name string) error {
	if !wantsJSON(cmd) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is changed.\n", name)
		return err
	}
	now, err := s.Agents.Agent(cmd.Context(), name)
	if err != nil {
		return agentError(name, err)
	}
	return writeJSON(cmd.OutOrStdout(), now)
}
