package client

import (
	"net/url"
	"slices"
	"strings"
)

// vendor is a company whose products attackers imitate.
type vendor struct {
	name      string
	words     []string // in names of its products
	callbacks []string // where its answers go; a "*" at the end stands for any rest
	documents []string // where it publishes metadata documents of its clients
}

// The addresses are those that the vendors' clients really use. Whole hosts stand here only if the
// vendor alone publishes there: anyone can publish below google.com, github.com and vscode.dev.
var (
	openAICallbacks = []string{
		"https://chatgpt.com/connector/*",
		"https://chatgpt.com/connector_platform_oauth_redirect",
		"https://chatgpt.com/aip/*",
		"https://chatgpt.com/backend-api/aip/*",
		"https://chatgpt.com/oauth/*",
		"https://chat.openai.com/aip/*",
		"https://platform.openai.com/*",
	}
	claudeCallbacks = []string{
		"https://claude.ai/api/*",
		"https://claude.com/api/*",
		"https://platform.claude.com/oauth/*",
		"https://console.anthropic.com/oauth/*",
	}
	microsoftCallbacks = []string{
		"https://vscode.dev/redirect",
		"https://insiders.vscode.dev/redirect",
		"https://teams.microsoft.com/api/platform/*",
		"https://global.consent.azure-apim.net/redirect/*",
		"https://token.botframework.com/.auth/web/redirect",
	}
	googleCallbacks = []string{
		"https://vertexaisearch.cloud.google.com/oauth-redirect",
		"https://vertexaisearch.cloud.google/*",
		"https://antigravity.google/*",
		"https://oauth-redirect.googleusercontent.com/r/user_bound_custom-mcp-*", // no project's name has "_" in it
	}
	cursorCallbacks = []string{
		"cursor://anysphere.cursor-mcp/*",
		"cursor://anysphere.cursor-retrieval/*",
		"https://www.cursor.com/agents/mcp/oauth/callback",
		"https://cursor.com/agents/mcp/oauth/callback",
		"https://www.cursor.com/bot/mcp/oauth/callback",
	}
	grokCallbacks = []string{
		"https://grok.com/connectors-oauth-exchange-code/",
		"https://console.x.ai/connectors-oauth-exchange-code/",
	}
	perplexityCallbacks = []string{
		"https://www.perplexity.ai/rest/connections/*",
		"https://enterprise.perplexity.ai/rest/connections/*",
		"https://www.perplexity.com/rest/connections/*",
		"https://enterprise.perplexity.com/rest/connections/*",
	}
)

// relays are the vendors whose callbacks also serve connectors that their customers make and name.
var relays = []string{"Microsoft", "GitHub", "Google"}

// domains are the addresses of vendors that attackers imitate and whose connectors are not known one
// by one. Only hosts below them that the vendor alone publishes at may stand here.
var domains = []vendor{
	atDomains("Amazon", "amazon.com", "amazon", "alexa"),
	atDomains("Apple", "apple.com", "apple"),
	atDomains("Meta", "meta.com", "facebook", "whatsapp", "instagram"),
	atDomains("DeepSeek", "deepseek.com", "deepseek"),
	atDomains("Notion", "notion.so", "notion"),
	atDomains("Zapier", "zapier.com", "zapier"),
	atDomains("Salesforce", "salesforce.com", "salesforce"),
	atDomains("Atlassian", "atlassian.com", "atlassian", "jira"),
	atDomains("JetBrains", "jetbrains.com", "jetbrains"),
	atDomains("Figma", "figma.com", "figma"),
	atDomains("Replit", "replit.com", "replit"),
}

func atDomains(name, domain string, words ...string) vendor {
	at := []string{"https://*." + domain, "https://" + domain + "/*"}
	return vendor{name, words, at, at}
}

// vendors lists those whose connectors log in here.
func vendors() []vendor {
	microsoftDocuments := []string{
		"https://vscode.dev/oauth/*",
		"https://insiders.vscode.dev/oauth/*",
	}
	return append([]vendor{
		{
			"ChatGPT (OpenAI)",
			[]string{"chatgpt", "openai", "codex"},
			openAICallbacks,
			[]string{"https://chatgpt.com/oauth/*", "https://openai.com/*"},
		},
		{
			"Claude (Anthropic)",
			[]string{"claude", "anthropic"},
			claudeCallbacks,
			[]string{
				"https://claude.ai/oauth/*",
				"https://claude.com/oauth/*",
				"https://www.anthropic.com/*",
			},
		},
		{
			"Microsoft",
			[]string{"microsoft", "copilot", "visualstudio", "vscode"},
			microsoftCallbacks,
			microsoftDocuments,
		},
		{"GitHub", []string{"github"}, microsoftCallbacks, microsoftDocuments},
		{
			"Google",
			[]string{"google", "gemini"},
			googleCallbacks,
			[]string{"https://gemini.google/*", "https://antigravity.google/*"},
		},
		{
			"Cursor (Anysphere)",
			[]string{"cursor", "anysphere"},
			cursorCallbacks,
			[]string{"https://www.cursor.com/*", "https://cursor.com/*"},
		},
		{
			"Grok (xAI)",
			[]string{"grok"},
			slices.Concat(grokCallbacks, cursorCallbacks),
			[]string{"https://grok.com/oauth/*", "https://x.ai/*"},
		}, // Grok Bot logs in through Cursor
		{
			"Mistral",
			[]string{"mistral"},
			[]string{"https://callback.mistral.ai/*"},
			[]string{"https://callback.mistral.ai/*", "https://mistral.ai/*"},
		},
		{
			"Perplexity",
			[]string{"perplexity"},
			perplexityCallbacks,
			[]string{"https://www.perplexity.ai/rest/*"},
		},
		{
			"Slack",
			[]string{"slack"},
			[]string{"https://oauth2.slack.com/external/auth/callback"},
			nil,
		},
		{
			"Windsurf",
			[]string{"windsurf", "codeium"},
			[]string{"windsurf://codeium.windsurf/*"},
			[]string{"https://windsurf.com/*"},
		},
	}, domains...)
}

// isOneOf tells whether a URL is at one of some addresses, whatever its query says.
func isOneOf(u *url.URL, addresses []string) bool {
	at := strings.ToLower(u.Scheme+"://"+u.Host) + u.EscapedPath()
	return slices.ContainsFunc(addresses, func(address string) bool {
		if domain, ok := strings.CutPrefix(address, "https://*"); ok {
			return u.Scheme == "https" && strings.HasSuffix(strings.ToLower(u.Host), domain)
		}
		if prefix, ok := strings.CutSuffix(address, "*"); ok {
			return strings.HasPrefix(at, prefix)
		}
		return at == address
	})
}
