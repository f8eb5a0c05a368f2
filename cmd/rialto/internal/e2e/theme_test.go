package e2e

import "testing"

// TestThemes chooses a theme in Chromium: see theme.mjs.
func TestThemes(t *testing.T) {
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	p := console(t)
	script{"theme.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path}}.run(t, p)
}
