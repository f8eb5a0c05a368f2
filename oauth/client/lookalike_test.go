package client

import (
	"testing"

	"rialto/oauth"
)

const elsewhere = "https://app.example/cb" // where an impostor's answer goes

// warned is a table of names, the redirect URIs of their answers and which known app they look like; "" is none.
var warned = []struct{ name, redirect, want string }{
	// The vendors' own, with the addresses that they really use.
	{"ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect", ""},
	{"ChatGPT", "https://chatgpt.com/connector/oauth/Ab-1_c", ""},
	{"ChatGPT", "https://chatgpt.com/aip/mcp/oauth/callback", ""},
	{"ChatGPT", "https://chat.openai.com/aip/mcp/oauth/callback", ""},
	{"ChatGPT", "https://chatgpt.com/oauth/callback", ""},
	{"OpenAI", "https://platform.openai.com/apps-manage/oauth", ""},
	{"Codex", "http://127.0.0.1:1455/callback/x1", ""},
	{"Claude", "https://claude.ai/api/mcp/auth_callback", ""},
	{"Claude", "https://claude.com/api/mcp/auth_callback", ""},
	{"Claude", "https://claude.ai/api/mcp/oauth/callback", ""},
	{"Claude Code (mini)", "http://localhost:3118/callback", ""},
	{"Visual Studio Code", "https://vscode.dev/redirect", ""},
	{"Visual Studio Code - Insiders", "https://insiders.vscode.dev/redirect", ""},
	{"Visual Studio Code", "http://127.0.0.1:33418/", ""},
	{"GitHub Copilot CLI", "http://127.0.0.1:51234/", ""},
	{"Microsoft Copilot Studio", "https://global.consent.azure-apim.net/redirect/claims-5fholy", ""},
	{"Microsoft 365 Copilot", "https://teams.microsoft.com/api/platform/v1.0/oAuthRedirect", ""},
	{"Google Gemini Enterprise", "https://vertexaisearch.cloud.google.com/oauth-redirect", ""},
	{"Google Gemini", "https://oauth-redirect.googleusercontent.com/r/user_bound_custom-mcp-123-rialto_example", ""},
	{"Google Antigravity", "https://antigravity.google/oauth-callback", ""},
	{"Gemini CLI MCP Client", "http://localhost:7777/oauth/callback", ""},
	{"Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", ""},
	{"Cursor", "https://www.cursor.com/agents/mcp/oauth/callback", ""},
	{"Grok", "https://grok.com/connectors-oauth-exchange-code/", ""},
	{"Grok", "https://console.x.ai/connectors-oauth-exchange-code/", ""},
	{"Grok Bot", "https://www.cursor.com/agents/mcp/oauth/callback", ""},
	{"Mistral Le Chat", "https://callback.mistral.ai/v1/integrations_auth/oauth2_callback", ""},
	{"Perplexity", "https://www.perplexity.ai/rest/connections/oauth_callback", ""},
	{"Perplexity Enterprise", "https://enterprise.perplexity.ai/rest/connections/oauth_callback", ""},
	{"Slack", "https://oauth2.slack.com/external/auth/callback", ""},
	{"Windsurf", "windsurf://codeium.windsurf/callback", ""},

	// Letters that look like others.
	{"CIaude", elsewhere, "Claude (Anthropic)"},
	{"Cl\u0251ude", elsewhere, "Claude (Anthropic)"},
	{"\u03f9laude", elsewhere, "Claude (Anthropic)"},
	{"\u1d04laude", elsewhere, "Claude (Anthropic)"},
	{"C\u01c0aude", elsewhere, "Claude (Anthropic)"},
	{"\u1d04\u029f\u1d00\u1d1c\u1d05\u1d07", elsewhere, "Claude (Anthropic)"},
	{"C l a u d e", elsewhere, "Claude (Anthropic)"},
	{"Ｃｌａｕｄｅ", elsewhere, "Claude (Anthropic)"},
	{"𝐂𝐥𝐚𝐮𝐝𝐞", elsewhere, "Claude (Anthropic)"},
	{"ⓒⓛⓐⓤⓓⓔ", elsewhere, "Claude (Anthropic)"},
	{"🅲🅻🅰🆄🅳🅴", elsewhere, "Claude (Anthropic)"},
	{"🇨🇱🇦🇺🇩🇪", elsewhere, "Claude (Anthropic)"},
	{"Çlàúdé", elsewhere, "Claude (Anthropic)"},
	{"C1audе", elsewhere, "Claude (Anthropic)"},
	{"Cl\u200baude", elsewhere, "Claude (Anthropic)"},
	{"C\u115flaude", elsewhere, "Claude (Anthropic)"}, // an invisible letter
	{"Cl\uffa0aude", elsewhere, "Claude (Anthropic)"},
	{"C!aude", elsewhere, "Claude (Anthropic)"},
	{"©laude", elsewhere, "Claude (Anthropic)"},
	{"ClΛude", elsewhere, "Claude (Anthropic)"},
	{"C│aude", elsewhere, "Claude (Anthropic)"},
	{"Claudɘ", elsewhere, "Claude (Anthropic)"},
	{"C\ua781aude", elsewhere, "Claude (Anthropic)"},
	{"₵laude", elsewhere, "Claude (Anthropic)"},
	{"ᏟᏞᎪᏌᎠᎬ", elsewhere, "Claude (Anthropic)"},
	{"ꓚꓡꓮꓴꓓꓰ", elsewhere, "Claude (Anthropic)"},
	{"Anthr0pic", elsewhere, "Claude (Anthropic)"},
	{"СhаtGРТ", elsewhere, "ChatGPT (OpenAI)"},
	{"Chat-GPT", elsewhere, "ChatGPT (OpenAI)"},
	{"OpenAl", elsewhere, "ChatGPT (OpenAI)"},
	{"ΟρеnАΙ", elsewhere, "ChatGPT (OpenAI)"},
	{"C0dex", elsewhere, "ChatGPT (OpenAI)"},
	{"WlNDSURF", elsewhere, "Windsurf"},
	{"Vvindsurf", elsewhere, "Windsurf"},
	{"rnicrosoft", elsewhere, "Microsoft"},
	{"ΜІСRОЅОFТ", elsewhere, "Microsoft"},
	{"GitHub", elsewhere, "GitHub"},
	{"Visual Studio C0de", elsewhere, "Microsoft"},
	{"VS Code", elsewhere, "Microsoft"},
	{"Perp1exity", elsewhere, "Perplexity"},
	{"Sl@ck", elsewhere, "Slack"},
	{"G00gle Gernini", elsewhere, "Google"},
	{"Сursоr", elsewhere, "Cursor (Anysphere)"},
	{"Acme", elsewhere, "Acme Desk"}, // see below: it is the name in the configuration
	{"Rіalto", elsewhere, "Rialto"},
	{"RlALTO", elsewhere, "Rialto"},

	// Hosts where anyone can publish, and such as only look like a vendor's.
	{"Google Gemini", "https://sites.google.com/view/x", "Google"},
	{"Google Gemini", "https://script.google.com/macros/s/x/exec", "Google"},
	{"Google Gemini", "https://storage.googleapis.com/bucket/cb.html", "Google"},
	{"Google Gemini", "https://oauth-redirect.googleusercontent.com/r/my-project", "Google"},
	{"GitHub", "https://gist.github.com/x/1", "GitHub"},
	{"GitHub Copilot", "https://github.com/attacker/repo", "Microsoft"},
	{"Visual Studio Code", "https://vscode.dev/github/attacker/repo", "Microsoft"},
	{"Visual Studio Code", "https://x.vscode.dev/redirect", "Microsoft"},
	{"Microsoft", "https://x.sharepoint.microsoft.com/cb", "Microsoft"},
	{"Claude", "https://claude.ai/public/artifacts/x", "Claude (Anthropic)"},
	{"Claude", "https://x.claude.ai/api/mcp/auth_callback", "Claude (Anthropic)"},
	{"Claude", "https://claude.ai:8443/api/mcp/auth_callback", "Claude (Anthropic)"},
	{"ChatGPT", "https://chatgpt.com.evil.example/connector/oauth/x", "ChatGPT (OpenAI)"},
	{"ChatGPT", "https://evilchatgpt.com/connector/oauth/x", "ChatGPT (OpenAI)"},
	{"ChatGPT", "https://chatgpt.com/g/g-1-attacker", "ChatGPT (OpenAI)"},
	{"Slack", "https://acme.slack.com/cb", "Slack"},
	{"Perplexity", "https://www.perplexity.ai/page/x", "Perplexity"},
	{"Cursor", "cursor://attacker.extension/cb", "Cursor (Anysphere)"},
	{"Windsurf", "https://x.windsurf.com/cb", "Windsurf"},

	// Brands whose connectors have not been seen here yet, and roles of operators.
	{"Amazon Quick", "https://us-east-1.quicksight.aws.amazon.com/sn/oauthcallback", ""},
	{"Amazon Quick", "https://s3.amazonaws.com/bucket/cb", "Amazon"},
	{"Apple Intelligence", elsewhere, "Apple"},
	{"WhatsApp", elsewhere, "Meta"},
	{"DeepSeek", elsewhere, "DeepSeek"},
	{"N0tion", elsewhere, "Notion"},
	{"Notion", "https://www.notion.so/cb", ""},
	{"Notion", "https://notion.so.evil.example/cb", "Notion"},
	{"Notion", "https://evilnotion.so/cb", "Notion"},
	{"Zapier", elsewhere, "Zapier"},
	{"Salesforce", elsewhere, "Salesforce"},
	{"Jira by Atlassian", elsewhere, "Atlassian"},
	{"JetBrains AI", elsewhere, "JetBrains"},
	{"Figma", elsewhere, "Figma"},
	{"Replit", elsewhere, "Replit"},
	{"Administrator", elsewhere, "Acme Desk"},
	{"Security Team", elsewhere, "Acme Desk"},

	// Names like no known app's.
	{"Pineapple", elsewhere, ""},
	{"My own app", elsewhere, ""},
	{"SimpleChat", elsewhere, ""},
	{"Zed", elsewhere, ""},
	{"Slackline Club", elsewhere, ""},
	{"Open Air Lab", elsewhere, ""},
	{"Codexter", elsewhere, ""},
	{"SlackApp", elsewhere, "Slack"},
	{"The Slack-Bot", elsewhere, "Slack"},
	{"My Open AI desk", elsewhere, "ChatGPT (OpenAI)"},
	{"openaiconnector", elsewhere, "ChatGPT (OpenAI)"},
	{"MyClaudeDesk", elsewhere, "Claude (Anthropic)"},
	{"صباح", elsewhere, ""},
	{"Клод и друзья", elsewhere, ""},
	{"Reporting für Ärzte", elsewhere, ""},
}

func TestANameThatLooksLikeAnothersIsNoticed(t *testing.T) {
	own := Product{Name: "Acme Desk", Issuer: "https://desk.example"}
	for _, test := range warned {
		to, err := ParseRedirect(test.redirect)
		if err != nil {
			t.Fatal(err)
		}
		name := test.name
		if name == "Acme" {
			name = "Acme-Desk Helper"
		}
		if got, _ := LookAlike(&oauth.Client{Name: CleanName(name)}, to, own); got != test.want {
			t.Errorf("%q to %s: got %q, want %q", name, test.redirect, got, test.want)
		}
	}
	to, _ := ParseRedirect("https://desk.example/cb")
	if got, _ := LookAlike(&oauth.Client{Name: "Acme Desk"}, to, own); got != "" {
		t.Error("the product is taken for an impostor at its own address")
	}
	to, _ = ParseRedirect(elsewhere)
	if got, _ := LookAlike(&oauth.Client{Name: "Claude", Configured: true}, to, own); got != "" {
		t.Error("a client of the operator is taken for an impostor")
	}
}

func TestOnlyAVendorsNameAtItsOwnHostIsGenuine(t *testing.T) {
	for _, test := range []struct {
		name, redirect string
		want           bool
	}{
		{"Claude", "https://claude.ai/api/mcp/auth_callback", true},
		{"ChatGPT", "https://chatgpt.com/connector/oauth/x", true},
		{"Claude", elsewhere, false},
		{"Some Chat", "https://claude.ai/api/mcp/auth_callback", false},
		{"Claude for Acme Bank", "https://claude.ai/api/mcp/auth_callback", false},
		{"Claude for Slack", "https://claude.ai/api/mcp/auth_callback", false},
		{"Microsoft Copilot", "https://global.consent.azure-apim.net/redirect/acme", false}, // a customer has named it
		{"Claude Code", "http://localhost:3118/callback", false},
		{"Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", false}, // any program may claim the scheme
	} {
		to, err := ParseRedirect(test.redirect)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := LookAlike(&oauth.Client{Name: test.name}, to, Product{Name: "Acme Desk", Issuer: "https://desk.example"}); got != test.want {
			t.Errorf("%q to %s: got genuine %v, want %v", test.name, test.redirect, got, test.want)
		}
	}
}
