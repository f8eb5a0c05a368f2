package templates

import "strings"

// Snippets tells, for each client, how to add the connector at url. Those that can use url come first.
func Snippets(url string) []Snippet {
	if strings.HasPrefix(url, "https://") {
		return append(hostedSnippets(url, ""), localSnippets(url)...)
	}
	note := "This app needs a public https address. If you run this server, expose it with a tunnel and restart it with --url https://…"
	return append(localSnippets(url), hostedSnippets(url, note)...)
}

// hostedSnippets are of apps that run elsewhere.
func hostedSnippets(url, note string) []Snippet {
	return []Snippet{
		{
			Client: "ChatGPT",
			Note:   note,
			Steps:  "In Settings, Apps & Connectors, Advanced settings, turn on Developer mode.\nChoose Create, paste the address, keep OAuth, and confirm.\nSign in, review what it asks for, and allow it.",
			Code:   url,
		},
		{
			Client: "Claude",
			Note:   note,
			Steps:  "In Settings, Connectors, choose Add custom connector, paste the address, and choose Connect.\nSign in, review what it asks for, and allow it.",
			Code:   url,
		},
	}
}

// localSnippets are of apps that run on the user's computer.
func localSnippets(url string) []Snippet {
	return []Snippet{
		{
			Client: "Claude Code",
			Steps:  "Add the connector, then log in.",
			Code:   "claude mcp add --transport http rialto " + url + "\nclaude mcp login rialto",
		},
		{
			Client: "Codex",
			Steps:  "Add the connector. A browser opens to log in.",
			Code:   "codex mcp add rialto --url " + url,
		},
		{
			Client: "Cursor",
			Steps:  "Put this into .cursor/mcp.json in your project, or into ~/.cursor/mcp.json.\nIn Cursor Settings, under MCP, choose Login beside rialto.",
			Code:   `{"mcpServers": {"rialto": {"url": "` + url + `"}}}`,
		},
		{
			Client: "VS Code",
			Steps:  "Add the server, or put it into .vscode/mcp.json.\nRun the command MCP: List Servers, choose rialto, then Start Server, and allow VS Code to sign in.",
			Code:   `code --add-mcp '{"name":"rialto","type":"http","url":"` + url + `"}'`,
		},
		{
			Client: "MCP Inspector",
			Steps:  "Choose Streamable HTTP, then Open Auth Settings and Quick OAuth Flow.",
			Code:   "npx @modelcontextprotocol/inspector --transport http --server-url " + url,
		},
	}
}
