package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestWhatIsNotKnownFails: a typing mistake is no empty list, no new account and no success.
func TestWhatIsNotKnownFails(t *testing.T) {
	config, _ := commandRig(t, "http://127.0.0.1:1")
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"doctor":                               {2, "name the URL"},
		"doctor http://127.0.0.1:1 --client x": {2, "--client: \"x\" is not one of chatgpt, claude, "},
		"tasks list --agent nope":              {2, "--agent: \"nope\" is not one of one"},
		"tasks list --state nope":              {2, "--state: \"nope\" is not one of submitted, working, "},
		"tasks list --limit 0":                 {2, "--limit must be from 1"},
		"tasks list --since nope":              {2, "--since"},
		"tasks list --agent one":               {0, ""},
		"audit --kind nope":                    {2, "--kind: \"nope\" is not one of account, account.added, "},
		"audit --kind account":                 {0, ""},
		"audit --kind sign_in":                 {0, ""},
		"usage --json":                         {0, ""},
		"usage --json --format csv":            {2, "json"},
		"tasks cancel 1":                       {2, "confirm it with --yes"},
		"user password demmo --password-stdin": {1, "there is no account \"demmo\" (\"rialto user add\" adds an account)"},
	} {
		args := strings.Fields(line)
		if args[0] != "doctor" {
			args = append(args, "--config", config)
		}
		cmd := Command(func(time.Duration) {})
		var out, said bytes.Buffer
		cmd.SetArgs(args)
		cmd.SetIn(strings.NewReader("a long password of theirs\n"))
		cmd.SetOut(&out)
		cmd.SetErr(&said)
		err := cmd.ExecuteContext(t.Context())
		if err == nil && want.code == 0 {
			continue
		}
		if err == nil || ExitCode(err) != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("rialto %s: got %v, want %d: %s", line, err, want.code, want.text)
		}
		if line == "doctor" && (out.Len() > 0 || !strings.Contains(said.String(), "Usage:")) {
			t.Errorf("rialto doctor: got %q and %q, want the help on standard error", out.String(), said.String())
		}
	}
}

// TestRenamedCommandsSayTheNewName types names that commands had.
func TestRenamedCommandsSayTheNewName(t *testing.T) {
	for typed, want := range map[string]string{
		"user rm x": "remove", "agents rm x": "remove", "user passwd x": "password", "users list": "user",
	} {
		err := run(t, strings.Fields(typed)...)
		if err == nil || !strings.Contains(err.Error(), "did you mean \""+want+"\"?") {
			t.Errorf("%s: got %v, want %q", typed, err, want)
		}
	}
}
