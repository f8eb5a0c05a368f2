package cli

import (
	"errors"
	"fmt"

	"rialto/bridge/directory"
	"rialto/bridge/operator"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func changeAgentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "change NAME",
		Short: "Change an agent that was added: its address, use cases, credentials and the rest",
		Long: "Changes what is given, and nothing else. Credentials of another --auth begin anew. " +
			"The secret stays, as long as it goes to the same hosts.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames(agentNames),
	}
	var f agentFlags
	f.add(cmd)
	url := cmd.Flags().String("url", "", "`address` of the agent or of its card")
	bare := cmd.Flags().Bool("no-secret", false, "forget the secret")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		present, err := s.Agent(cmd.Context(), args[0])
		if err != nil {
			return agentError(args[0], err)
		}
		if *url == "" {
			*url = present.URL
		}
		if *bare && (f.secretEnv != "" || f.secretFile != "") {
			return errors.New("--no-secret, --secret-env, --secret-file: give one of them")
		}
		changed, err := f.over(cmd.Flags(), present.Settings)
		if err != nil {
			return err
		}
		a, err := changed.agent(*url)
		if err != nil {
			return err
		}
		keep := !*bare && a.Credentials.Secret == "" && a.Credentials.Type == present.Credentials.Type
		if err := s.ChangeAgent(cmd.Context(), operator.CommandLine, a, present.Version, keep); err != nil {
			return agentError(a.Name, err)
		}
		return writeChanged(cmd, s, a.Name, f.json)
	})
}

// over returns flags that hold an agent, with those changed that were given.
func (f *agentFlags) over(given *pflag.FlagSet, present directory.Settings) (*agentFlags, error) {
	to := &agentFlags{Settings: present, protocol: string(present.Protocol), binding: string(present.Binding), secretEnv: f.secretEnv, secretFile: f.secretFile}
	if present.Retention != 0 {
		to.retention = present.Retention.String()
	}
	if given.Changed("auth") && f.Credentials.Type != present.Credentials.Type {
		to.Credentials = directory.Credentials{}
	}
	shadow := &cobra.Command{}
	to.add(shadow)
	var failed error
	given.Visit(func(flag *pflag.Flag) {
		own := shadow.Flags().Lookup(flag.Name)
		if own == nil {
			return // where the store is, and the like
		}
		var err error
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			err = own.Value.(pflag.SliceValue).Replace(list.GetSlice())
		} else {
			err = own.Value.Set(flag.Value.String())
		}
		failed = errors.Join(failed, err)
	})
	return to, failed
}

func writeChanged(cmd *cobra.Command, s *operator.Service, name string, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is changed.\n", name)
		return err
	}
	now, err := s.Agent(cmd.Context(), name)
	if err != nil {
		return agentError(name, err)
	}
	return writeJSON(cmd.OutOrStdout(), now)
}
