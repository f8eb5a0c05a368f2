package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rialto/oauth/oauthtest"
)

// TestTheDoctorFindsNothing runs "rialto doctor --login" on "rialto demo", with
// a person who signs in and says yes.
func TestTheDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	p := demo(t, t.TempDir(), "")
	cmd := exec.CommandContext(t.Context(), binary, "doctor", p.URL+"/mcp", "--login", "--json")
	var report bytes.Buffer
	cmd.Stdout = &report
	asks, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := answerDoctor(bufio.NewScanner(asks), oauthtest.NewBrowser(t, nil))
	if err := cmd.Wait(); err != nil {
		t.Errorf("the doctor ended with %v: %s\n%s", err, said, report.String())
	}
	var got struct {
		Steps []struct{ ID, Status, Got string }
	}
	if err := json.Unmarshal(report.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Steps {
		// Not on loopback, and the demo calls no webhooks there.
		public := slices.Contains([]string{"https", "public", "ipv4", "tls", "events-subscribe", "events-challenge", "events-signature", "events-again", "events-unsubscribe"}, s.ID)
		if s.Status != "ok" && !public {
			t.Errorf("%s: got %s, %s", s.ID, s.Status, s.Got)
		}
	}
}

// answerDoctor signs in and says yes where the doctor asks for it, and returns
// what it said.
func answerDoctor(lines *bufio.Scanner, browser *oauthtest.Browser) string {
	var said strings.Builder
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if address := strings.TrimSpace(lines.Text()); strings.HasPrefix(address, "http") {
			browser.Get(browser.Authorize(address, username, password).String())
		}
	}
	return said.String()
}
