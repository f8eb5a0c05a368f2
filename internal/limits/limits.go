// Package limits knows which size and time limits the program has that are not settings: a table
// for docs/limits.md. Each limit is a constant or a default of the package that enforces it; the
// test of this package reads the values there. It does not know what a limit is for at run time.
package limits

// Limit is one row of the table.
type Limit struct {
	Area    string
	Package string // below the module
	Name    string // of a constant, or of a field with a default
	Meaning string
}

// Table lists the limits that users, operators and peers can meet.
var Table = []Limit{
	{"MCP", "mcp/internal/transport", "MaxBody", "a message"},
	{"MCP", "mcp/internal/transport", "bodyTimeout", "sending a message"},
	{"MCP", "mcp/internal/transport", "MaxCalls", "open requests of a user through one client"},
	{"MCP", "mcp/internal/transport", "MaxListens", "open subscription streams of a user through one client"},
	{"MCP", "mcp/internal/transport", "CallTimeout", "a call"},
	{"MCP", "mcp/internal/transport", "ListenFor", "a subscription stream"},
	{"MCP", "mcp/internal/transport", "ResumeFor", "resuming a stream that broke off"},
	{"MCP", "mcp/internal/session", "life", "a session"},
	{"MCP", "mcp/internal/subscription", "MaxURIs", "subscribed resources of a stream"},
	{"MCP", "mcp/internal/replay", "maxEvents", "events that are kept for a stream that broke off"},
	{"MCP", "mcp/internal/replay", "maxStreamBytes", "bytes that are kept for such a stream"},
	{"MCP", "mcp/internal/transport", "maxStreamAge", "a stream of the HTTP+SSE transport (2024-11-05)"},
	{"MCP", "mcp", "stateLife", "a question that a client carries as state"},
	{"MCP", "mcp", "maxState", "such a state"},

	{"Tools and results", "bridge/tools", "defaultWait", "waiting for a task, unless the call says otherwise"},
	{"Tools and results", "bridge/tools", "longestWait", "waiting for a task, at most"},
	{"Tools and results", "bridge/documents", "MaxResult", "characters of a result"},
	{"Tools and results", "bridge/documents", "MaxText", "characters of text in a result"},
	{"Tools and results", "bridge/documents", "maxInline", "characters of a file inside a result"},
	{"Tools and results", "bridge/documents", "MaxResource", "a file that is read as a resource"},
	{"Tools and results", "bridge/documents", "searchBudget", "a search"},
	{"Tools and results", "bridge/documents", "fetchBudget", "fetching a document"},
	{"Tools and results", "bridge/documents", "maxHits", "hits of a search"},
	{"Tools and results", "bridge/documents", "MostShares", "shared links of a user"},
	{"Tools and results", "bridge/tools", "maxSkillTools", "tools made of skills"},

	{"Tasks", "bridge/runner", "MaxRunning", "running tasks of a user"},
	{"Tasks", "bridge/runner", "maxTask", "a task with its artifacts"},
	{"Tasks", "bridge/runner", "cancelBudget", "canceling a task"},
	{"Tasks", "bridge/runner", "leaseFor", "until another replica takes over the tasks of a dead one"},
	{"Tasks", "bridge/runner", "retryLast", "longest pause between attempts to reach an agent"},
	{"Tasks", "bridge/runner", "maxSilence", "an agent that cannot be reached, until its task fails"},
	{"Tasks", "bridge/directory", "defaultRetention", "an idle task, unless the agent's retention is set"},
	{"Tasks", "bridge/ledger", "historyKept", "messages in the history of a task"},
	{"Tasks", "bridge/ledger", "RepeatsFor", "recognizing a repeated message without an ID"},

	{"Agents", "bridge/directory", "MaxAdded", "agents that operators add"},
	{"Agents", "bridge/directory", "cardTTL", "a cached card"},
	{"Agents", "bridge/directory", "dialTimeout", "connecting to an agent"},
	{"Agents", "bridge/directory", "MaxSkills", "skills of a card"},
	{"Agents", "a2a/a2aclient", "maxCard", "a card"},
	{"Agents", "a2a/a2aclient", "DefaultMaxBody", "an answer of an agent"},

	{"A2A and REST", "a2a/a2aserver", "DefaultMaxBody", "a request"},
	{"A2A and REST", "a2a/a2agrpc", "DefaultMaxMessage", "a gRPC message"},
	{"A2A and REST", "a2a/a2agrpc", "maxCalls", "open calls of a gRPC connection"},
	{"A2A and REST", "internal/server", "callsPerSecond", "calls of a user per second"},
	{"A2A and REST", "internal/server", "callBurst", "calls of a user in a burst"},
	{"A2A and REST", "internal/server", "maxOpenCalls", "open calls and streams of a user"},
	{"A2A and REST", "bridge/api", "maxBody", "a REST request"},
	{"A2A and REST", "bridge/operator", "LargestPage", "rows of a page of a list for operators"},

	{"Push notifications", "bridge/push", "maxHooks", "webhooks of a task"},
	{"Push notifications", "bridge/push", "attemptTimeout", "one delivery"},
	{"Push notifications", "bridge/push", "maxAttempts", "attempts to deliver a notification"},
	{"Push notifications", "bridge/push", "maxBackoff", "longest pause between attempts"},
	{"Push notifications", "internal/server", "failedPushRetention", "an undeliverable notification"},
	{"Push notifications", "a2a/a2apush", "MaxBody", "a notification from an agent"},

	{"OAuth", "oauth/authserver", "Access", "an access token"},
	{"OAuth", "oauth/authserver", "RefreshIdle", "a refresh token that is not used"},
	{"OAuth", "oauth/authserver", "Grant", "a grant"},
	{"OAuth", "oauth/authserver", "Code", "an authorization code"},
	{"OAuth", "oauth/authserver", "Session", "a browser session"},
	{"OAuth", "oauth/internal/endpoint", "RequestTTL", "an authorization request"},
	{"OAuth", "oauth/flow", "pushedTTL", "a pushed authorization request"},
	{"OAuth", "oauth/internal/endpoint", "MaxBody", "a request"},
	{"OAuth", "oauth/internal/jwt", "MaxToken", "a token"},
	{"OAuth", "oauth/client", "maxClients", "registered clients"},
	{"OAuth", "oauth/client", "maxRedirectURIs", "redirect URIs of a client"},
	{"OAuth", "oauth/client", "fetchTimeout", "fetching a client metadata document"},
	{"OAuth", "oauth/token", "keyLife", "a signing key, until it is rotated"},
	{"OAuth", "oauth/token", "keyLead", "a new signing key, before it signs"},
	{"OAuth", "oauth/signin", "setupTTL", "the setup code"},
	{"OAuth", "oauth/signin", "minPassword", "characters of a password, at least"},
	{"OAuth", "oauth/internal/limit", "FreeAttempts", "wrong passwords before there is a pause"},
	{"OAuth", "oauth/internal/limit", "maxBackoff", "longest such pause"},

	{"Server", "internal/server", "bodyTimeout", "sending a request body"},
	{"Server", "internal/server", "databaseTimeout", "a database query at start"},
	{"Server", "cmd/rialto", "shutdownTimeout", "shutdown, until the process exits anyway"},
	{"Server", "static", "MaxLogo", "the logo"},
}
