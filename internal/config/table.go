package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/knadh/koanf/v2"
)

// Setting is one setting of the configuration. Its type is that of the field with
// the key as its koanf tag. The environment variable of a key outside a list is the
// key in upper case, with RIALTO_ before it and __ for a dot.
type Setting struct {
	Key     string // in the file; [] stands for each item of a list
	Default string // as written in the file; "" is the zero value
	Shown   string // the documented default, where it is computed
	Doc     string // Markdown
	Secret  bool   // never shown
	Live    bool   // a reload applies it; all settings of agents are live

	// For a setting of an agent:
	Flag  string // of "rialto agents add"
	Usage string // the help of the flag
	Form  string // the input in the console's form; "-" is none
}

// table lists all settings, by the table of the documentation that has them.
// Defaults, environment variables, the flags of "rialto agents" and those tables
// follow from it; TestTable compares it with the fields of Config.
var table = map[string][]Setting{
	"server":       serverSettings,
	"limits":       limitSettings,
	"agents":       agentSettings,
	"credentials":  credentialSettings,
	"clients":      clientSettings,
	"tokens":       tokenSettings,
	"sign_in":      signInSettings,
	"oidc":         providerSettings,
	"pasted_token": pastedTokenSettings,
}

func find(key string) (Setting, bool) {
	for _, part := range table {
		if i := slices.IndexFunc(part, func(s Setting) bool { return s.Key == key }); i >= 0 {
			return part[i], true
		}
	}
	return Setting{}, false
}

// isScalar tells whether the environment and flags can set a key: it is not in a list.
func isScalar(key string) bool {
	_, ok := find(key)
	return ok && !strings.Contains(key, "[]")
}

// AgentSettings returns the settings of an agent.
func AgentSettings() []Setting { return slices.Concat(agentSettings, credentialSettings) }

// AgentFlags returns the settings of an agent that have a flag.
func AgentFlags() []Setting {
	return slices.DeleteFunc(AgentSettings(), func(s Setting) bool { return s.Flag == "" })
}

// SetAgent sets what values, by their keys in the table, say of an agent.
func SetAgent(a *Agent, values map[string]any) error {
	k := koanf.New(".")
	for key, v := range values {
		if err := k.Set(strings.TrimPrefix(key, "agents[]."), v); err != nil {
			return err
		}
	}
	return explain(decode(k, a))
}

// Type returns the type of the setting's field.
func (s Setting) Type() reflect.Type {
	t := reflect.TypeFor[Config]()
	for name := range strings.SplitSeq(strings.ReplaceAll(s.Key, "[]", ""), ".") {
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		for _, f := range reflect.VisibleFields(t) {
			if f.Tag.Get("koanf") == name {
				t = f.Type
				break
			}
		}
	}
	return t
}

var limitSettings = []Setting{
	{Key: "limits.calls", Live: true, Default: "4096", Doc: "Open calls in all, through MCP, A2A and REST. More are refused with 503."},
	{Key: "limits.calls_per_user", Live: true, Default: "256", Doc: "Open calls of a user, through all clients and doors. More are refused with 429."},
	{Key: "limits.calls_per_client", Live: true, Default: "2048", Doc: "Open calls of a client, for all its users. A hosted chat app is one client."},
	{Key: "limits.calls_per_address", Live: true, Default: "64", Doc: "Open calls of an address without a token, at most `limits.calls_per_user`."},
	{Key: "limits.rate_per_user", Live: true, Default: "50", Doc: "Calls of a user per second through A2A and REST, four times as many in a burst. `0`: no limit."},
	{Key: "limits.mcp_rate_per_user", Live: true, Default: "0", Doc: "Calls of a user per second through MCP, four times as many in a burst. `0`: no limit."},
	{Key: "limits.authorize_rate_per_network", Live: true, Default: "60", Doc: "Authorization requests of a network per minute, twice as many in a burst. See [Limits of the login](security.md#limits-of-the-login) for what a network is."},
	{Key: "limits.par_rate_per_network", Live: true, Default: "60", Doc: "Pushed authorization requests of a network per minute, twice as many in a burst."},
	{Key: "limits.sign_in_rate_per_network", Live: true, Default: "60", Doc: "Browsers of a network that are sent to an identity provider per minute, twice as many in a burst; and as many that come back."},
	{Key: "limits.document_rate_per_network", Live: true, Default: "10", Doc: "Documents and keys of clients that the server fetches per minute for a network, as many in a burst."},
	{Key: "limits.registration_rate_per_network", Live: true, Default: "10", Doc: "Clients that a network may register per hour without the token of `registration.token`, as many in a burst. Loopback has 60 times as much."},
	{Key: "limits.refusal_rate_per_network", Live: true, Default: "120", Doc: "Wrong codes, tokens and secrets of a network per minute that get their own answer and a line in the log, 200 in a burst at the default. More get 429. It stops no good request."},
	{Key: "limits.request_size", Default: "4MiB", Doc: "The size of a request through MCP, A2A and REST."},
	{Key: "limits.answer_size", Live: true, Default: "16MiB", Doc: "The size of an answer of an agent, or of one event of its stream."},
	{Key: "limits.tasks", Live: true, Default: "20000", Doc: "Running tasks in all. Messages that would start more are refused with 503."},
	{Key: "limits.tasks_per_user", Live: true, Default: "1000", Doc: "Running tasks of a user, on all replicas."},
	{Key: "limits.tasks_per_client", Live: true, Default: "10000", Doc: "Running tasks of a client, for all its users."},
	{Key: "limits.tasks_per_agent", Live: true, Default: "10000", Doc: "Running tasks at an agent. This also bounds the calls that wait for it."},
	{Key: "limits.task_size", Live: true, Default: "16MiB", Doc: "The size of a task with its artifacts. A larger one ends there, with what the agent sent before."},
	{Key: "limits.memory_per_user", Live: true, Default: "48MiB", Doc: "What the running tasks of a user, and the answers that agents send them now, hold in memory. A task beyond it ends, with what the agent sent before."},
	{Key: "limits.memory", Live: true, Default: "256MiB", Doc: "The same of all users. Beyond it, tasks and answers larger than 256 KiB end where they grow."},
	{Key: "limits.stored_per_user", Live: true, Default: "1GiB", Doc: "What the tasks of a user take up in the database, without those up to 4 KiB. Beyond it no task starts, and one that grows ends, with what the agent sent before. `0`: no limit."},
	{Key: "limits.stored_per_agent", Live: true, Default: "10GiB", Doc: "What the tasks of an agent, of all users, take up in the database. It works as `limits.stored_per_user`."},
	{Key: "limits.streams", Default: "10000", Doc: "Open event streams of MCP clients in all, without those of running calls. More are refused with 503."},
	{Key: "limits.streams_per_user", Default: "64", Doc: "Open event streams of a user, through all clients, without those of running calls. More are refused with 429."},
	{Key: "limits.event_subscriptions", Live: true, Default: "10000", Doc: "Webhooks that get events for MCP clients, in all."},
	{Key: "limits.event_subscriptions_per_user", Live: true, Default: "100", Doc: "Webhooks of a user that get events, through all clients."},
	{Key: "limits.connections_per_agent", Live: true, Default: "2000", Doc: "Open connections to an agent, without gRPC. A silent task holds one. A message that finds all in use is not sent."},
}

var serverSettings = []Setting{
	{Key: "listen", Default: "127.0.0.1:8080", Doc: "The address to listen on, `HOST:PORT`."},
	{Key: "url", Shown: "`http://` (with `tls`: `https://`) and `listen`, on loopback only", Doc: "The public address of the server: scheme and host, without a path. Tokens are issued for `url` + `/mcp`. Required off loopback, and then https."},
	{Key: "name", Default: "Rialto", Doc: "The product name on pages and in clients."},
	{Key: "stage", Doc: "The stage of this deployment (`staging`, `prod` …). Automatic approval is allowed in staging."},
	{Key: "database", Default: "rialto.db", Doc: "The path of a SQLite file (`sqlite:` in front is optional), or `postgres://…` when several replicas share the state. `memory` keeps everything in the process and loses it at exit: accounts, logins, signing keys, tasks."},
	{Key: "database_connections", Default: "8", Doc: "Open connections to PostgreSQL of a replica for logins and everything but tasks. See [Operations](operations.md#connections-to-the-database)."},
	{Key: "database_task_connections", Default: "12", Doc: "Open connections to PostgreSQL of a replica for tasks."},
	{Key: "migrate", Default: "auto", Doc: "`auto`: the server and commands bring the tables of the database up to date when they start. `check`: they refuse tables that are older than the program, and `rialto migrate` changes them."},
	{Key: "secret_file", Shown: "the database file with `.key` added", Doc: "A file with 32 random bytes in base64. They seal the signing keys in the database. With SQLite the file is created at the first start; with `memory` there is none. With PostgreSQL it is required, and all replicas need the same one. The server warns at the start if other users of the machine may read it."},
	{Key: "secret", Secret: true, Doc: "The bytes of `secret_file` as a value. Meant for the environment (`RIALTO_SECRET`)."},
	{Key: "default_agent", Live: true, Shown: "the only agent, if there is one", Doc: "The agent of a call that names none."},
	{Key: "default_scope", Shown: "`mcp:tools`", Doc: "The scopes that clients are invited to request, separated by spaces. A client that requests none gets these."},
	{Key: "redirect_prefixes", Live: true, Shown: "everywhere", Doc: "Prefixes for the `https` redirect URIs of clients that register or have a metadata document: the same host, and the path or one below it. Apps on people's own computers are not restricted."},
	{Key: "registration.mode", Default: "open", Doc: "Who may register a client (RFC 7591): `open`: every app, within [limits](security.md#limits-of-the-login); `token`: apps that present the initial access token; `closed`: only the operator, at `/admin/clients` or in `clients`. With `token` and `closed`, apps that cannot present a token need a metadata document (`client_documents`) or a client that you set up."},
	{Key: "registration.token.env", Doc: "The environment variable with the initial access token: 16 characters or more, better 32 random bytes. A request that presents it (`Authorization: Bearer …`) is not limited, with `open` too."},
	{Key: "registration.token.file", Doc: "The file with that token."},
	{Key: "force_usecase", Live: true, Shown: "the caller's, if it has one", Doc: "The use case of every call, whatever the client says. It decides which agents and skills are visible; agents receive it with each task and search (metadata `usecase`)."},
	{Key: "default_topic", Live: true, Doc: "The topic that agents should keep to (metadata `topic`). `*`, `any` and `all` mean none."},
	{Key: "client_documents", Default: "true", Doc: "Let apps identify themselves by the URL of a Client ID Metadata Document, as Claude, ChatGPT and VS Code do. The server fetches it over https, from public addresses only."},
	{Key: "trusted_proxies", Doc: "Networks whose `X-Forwarded-For` is trusted, for rate limits only, and `X-Forwarded-Proto`, for telemetry only."},
	{Key: "allowed_origins", Live: true, Doc: "More web origins that may call `/mcp` from a browser: `https://app.example.com`, or `https://*.example.com` for all hosts below. The pages of ChatGPT and Claude always may."},
	{Key: "mcp.events", Default: "true", Doc: "Tell MCP clients when tasks end, ask or go on (`events/subscribe`, `events/poll`, `events/stream`): see [Events](events.md). Webhooks follow `push.allowed_hosts`."},
	{Key: "mcp.event_errors", Default: "auto", Doc: "Which numbers the errors of events have: `sep-3415`, `sketch` (the draft that ChatGPT was built on) or `auto` (of the SEP for clients that declare the extension, else of the sketch). See [Events](events.md#requests)."},
	{Key: "mcp.event_webhook_id", Default: "event", Doc: "What the header `webhook-id` identifies: the `event`, as ChatGPT and the AI SDK require, or the `message`, so that each subscription has its own for an event."},
	{Key: "mcp.event_subscriber", Default: "client", Doc: "Whom a subscription belongs to: a user through one `client`, or the user's `account`, so that any client of the user renews and ends it."},
	{Key: "mcp.public_listing", Default: "true", Doc: "Show the tools at `/mcp/tools/list` (and `/mcp/resources/list`, `/mcp/validate`) without a token, as chat apps expect before they log in, and the agents in the AI catalog. Calling a tool always needs a token."},
	{Key: "mcp.task_card", Default: "auto", Doc: "Which clients get the task card, which shows a task live in a chat: `auto` (those that declare MCP Apps, ChatGPT and claude.ai), `always` or `never`. See [Task card](apps.md)."},
	{Key: "mcp.strict", Default: "false", Doc: "Refuse requests that mix MCP revisions, as some hosted clients send them. Otherwise they are accepted, counted and logged."},
	{Key: "tls.cert_file", Doc: "The certificate (PEM, with its chain) with which the server answers over HTTPS and gRPC. Without one it needs a [proxy](proxy.md). See [Certificate](#certificate)."},
	{Key: "tls.key_file", Doc: "The private key of the certificate."},
	{Key: "grpc.listen", Doc: "`HOST:PORT` where the agents are also served over gRPC: see [A2A](a2a.md). Without `tls` it is for loopback or a proxy."},
	{Key: "grpc.address", Shown: "the host of `url`, the port of `grpc.listen`", Doc: "`HOST:PORT` that agent cards name for gRPC, if it is behind a proxy."},
	{Key: "push.send", Default: "true", Doc: "Let A2A clients register webhooks for their tasks."},
	{Key: "push.allowed_hosts", Live: true, Doc: "Webhook hosts that you trust, as `HOST` or `HOST:PORT`. They may be in a private network, use plain http or a port other than 443, and are not verified. All others need a public address and https."},
	{Key: "push.verify", Default: "true", Doc: "Before a webhook is registered, have it repeat a `validationToken`. So no client can point the server at a host that did not ask for calls."},
	{Key: "push.receive", Default: "false", Doc: "Give agents that send push notifications a webhook with each task, below `url` + `/hooks/`. Set it if agents can reach `url`. A notification only wakes the follower: the task is read from the agent again."},
	{Key: "download_links", Default: "24h", Doc: "How long links to files in results work. The link alone gives access to the file, while its owner's account is enabled. `0`: no links; files that are too large for a result can then only be read as resources."},
	{Key: "config_watch", Live: true, Default: "false", Doc: "Reload when the configuration file changes, or a file that it names, such as a credential or the logo: see [Reload](#reload)."},
	{Key: "shutdown_delay", Default: "0s", Doc: "How long `/readyz` fails after SIGTERM before the server closes its listeners, up to `5m`. Behind a load balancer or in Kubernetes, set it to the time after which no more requests arrive, such as `5s`."},
	{Key: "share_links", Shown: "`0`", Doc: "How long links last with which people share their tasks and documents, for example `7d`. `0`: sharing is off, and existing links do not work. See [Sharing](#sharing)."},
	{Key: "brand.accent", Live: true, Shown: "`#0b666a`", Doc: "The color of buttons and links, as `#rrggbb`. It is made darker or lighter as far as the contrast in the light and the dark theme requires."},
	{Key: "brand.logo", Live: true, Shown: "Rialto's", Doc: "A file with your logo: SVG, PNG or WebP, square, at most 64 KiB."},
	{Key: "usage.retention", Live: true, Default: "90d", Doc: "How long the records of calls are kept: see [Operations](operations.md)."},
	{Key: "audit.retention", Live: true, Default: "365d", Doc: "How long the audit log is kept."},
	{Key: "audit.stream", Doc: "Where events of the audit log go as they happen, in addition to the database: `file:/path` (a JSON object to a line), `stdout`, or `otlp` (as logs of OpenTelemetry, which `OTEL_*` variables must switch on). See [Operations](operations.md#audit-log)."},
	{Key: "metrics.listen", Doc: "`HOST:PORT` of a listener of its own with metrics for Prometheus at `/metrics` and Go's profiles below `/debug/pprof/`. It has no guard: let only operators reach it. See [Operations](operations.md#telemetry)."},
	{Key: "log.level", Live: true, Default: "info", Doc: "`debug`, `info`, `warn` or `error`."},
	{Key: "log.format", Shown: "`text` on a terminal, else `json`", Doc: "`text` or `json`."},
}

var agentSettings = []Setting{
	{Key: "agents[].name", Form: "name", Doc: "The agent's name in tool calls and addresses: `a-z 0-9 - _`; not `agents` or `tasks`."},
	{Key: "agents[].url", Form: "url", Doc: "Its base address, the address of its card, or its endpoint."},
	{Key: "agents[].protocol", Form: "protocol", Shown: "read from the card", Doc: "The A2A generation, if the card is wrong: `0.1`, `0.2`, `0.3` or `1.0`, with or without quotes.",
		Flag: "protocol", Usage: "A2A `generation`: 0.1, 0.2, 0.3 or 1.0 (default: detected)"},
	{Key: "agents[].binding", Form: "binding", Shown: "read from the card", Doc: "`JSONRPC`, `HTTP+JSON` or `GRPC`. gRPC cannot carry an API key that goes into the query.",
		Flag: "binding", Usage: "`binding`: JSONRPC, HTTP+JSON or GRPC (default: detected)"},
	{Key: "agents[].use_cases", Form: "use_cases", Shown: "all", Doc: "The use cases whose callers may see the agent: those with a token for one of them (`mcp:tools:<use case>`) or for all (`mcp:tools`).",
		Flag: "use-case", Usage: "`use case` whose callers see the agent (repeatable; default: everybody)"},
	{Key: "agents[].skills[].id", Form: "skills", Doc: "A skill that is restricted to use cases, for example `{id: peek, use_cases: [claims]}`. Other skills are for all who may see the agent."},
	{Key: "agents[].skills[].use_cases", Form: "skills", Shown: "all", Doc: "The use cases whose callers may see that skill."},
	{Key: "agents[].skills_as_tools", Form: "skills_as_tools", Default: "false", Doc: "Make an MCP tool of each skill: see [Skills as tools](#skills-as-tools).",
		Flag: "skills-as-tools", Usage: "make an MCP tool of each of its skills"},
	{Key: "agents[].skills_as_mcp_skills", Form: "skills_as_mcp_skills", Default: "false", Doc: "Make an MCP skill of each skill, which tells models how to use it: see [Skills as MCP skills](#skills-as-mcp-skills).",
		Flag: "skills-as-mcp-skills", Usage: "make an MCP skill of each of its skills"},
	{Key: "agents[].retention", Form: "retention", Shown: "`90d`", Doc: "How long its tasks are kept after they ended or last waited for an answer, such as `12h` or `30d`.",
		Flag: "retention", Usage: "how long its idle tasks are kept: a `time` such as 90d"},
	{Key: "agents[].card.keys", Form: "-", Doc: "The keys that may sign the agent's card: a file with a JWKS, or its https address. A card that none of them has signed is refused, and members that the signature does not cover are ignored.",
		Flag: "card-keys", Usage: "https `address` of the keys that sign its card"},
	{Key: "agents[].review", Form: "review", Default: "false", Doc: "Hold a changed card back until an operator accepts it: see [Changed cards](#changed-cards).",
		Flag: "review", Usage: "let a changed card wait until an operator accepts it"},
}

var credentialSettings = []Setting{
	{Key: "agents[].credentials.type", Form: "auth", Shown: "as the card asks", Doc: "`bearer`, `basic`, `api_key`, `client_credentials`, `token_exchange` or `user`. Without a type the secret is sent as the agent's card asks: as a bearer token if the card accepts one or names nothing, otherwise as an API key or password.",
		Flag: "auth", Usage: "`how` the secret is used: bearer, basic, api_key, client_credentials, token_exchange, user (default: as the card asks)"},
	{Key: "agents[].credentials.env", Form: "-", Doc: "The environment variable that holds the secret. A client without a secret needs neither `env` nor `file`."},
	{Key: "agents[].credentials.file", Form: "-", Doc: "The file that holds the secret."},
	{Key: "agents[].credentials.header", Form: "-", Shown: "`Authorization`", Doc: "Without a type: the header to send.",
		Flag: "auth-header", Usage: "`header` that carries it"},
	{Key: "agents[].credentials.scheme", Form: "-", Shown: "`Bearer` for `Authorization`", Doc: "Without a type: the word before the secret in that header.",
		Flag: "auth-scheme", Usage: "`word` before it in the header"},
	{Key: "agents[].credentials.user", Form: "auth_user", Doc: "`basic`: the user name of the password.",
		Flag: "auth-user", Usage: "user `name` of a password"},
	{Key: "agents[].credentials.in", Form: "auth_in", Shown: "`header`", Doc: "`api_key`: where the key goes: `header`, `query` or `cookie`.",
		Flag: "auth-in", Usage: "`place` of an API key: header, query or cookie"},
	{Key: "agents[].credentials.name", Form: "auth_key", Doc: "`api_key`: its name there.",
		Flag: "auth-name", Usage: "`name` of an API key there"},
	{Key: "agents[].credentials.issuer", Form: "-", Shown: "read from the card", Doc: "`user`: the agent's authorization server, whose metadata names its endpoints."},
	{Key: "agents[].credentials.authorization_url", Form: "-", Doc: "`user`: where people sign in, for a server without metadata; with `token_url`."},
	{Key: "agents[].credentials.token_url", Form: "auth_token_url", Doc: "`client_credentials`, `token_exchange`, `user`: the token endpoint, over https. With `user` it may be left out.",
		Flag: "auth-token-url", Usage: "`address` of the token endpoint"},
	{Key: "agents[].credentials.client_id", Form: "auth_client_id", Doc: "The same types: this server's client ID there. With `user` it may be left out if the server registers clients (RFC 7591).",
		Flag: "auth-client-id", Usage: "client `ID` of this server there"},
	{Key: "agents[].credentials.client_auth", Form: "-", Shown: "`basic`", Doc: "The same types: `basic`, or `post` if the endpoint wants the secret in the body.",
		Flag: "auth-client-auth", Usage: "`how` the secret is sent there: basic or post"},
	{Key: "agents[].credentials.scopes", Form: "auth_scopes", Shown: "with `user`: those of the card", Doc: "The same types: the scopes to request.",
		Flag: "auth-scope", Usage: "`scope` of the tokens (repeatable)"},
	{Key: "agents[].credentials.resource", Form: "-", Doc: "The same types: the resource to request tokens for (RFC 8707).",
		Flag: "auth-resource", Usage: "`resource` of the tokens"},
	{Key: "agents[].credentials.audience", Form: "-", Doc: "`client_credentials`, `token_exchange`: the audience, for servers that do not know `resource`.",
		Flag: "auth-audience", Usage: "`audience` of the tokens"},
	{Key: "agents[].credentials.cert_file", Form: "-", Doc: "Any type, or none: the client certificate (mutual TLS). It is read again for each connection."},
	{Key: "agents[].credentials.key_file", Form: "-", Doc: "The private key of the certificate."},
	{Key: "agents[].credentials.ca_file", Form: "-", Shown: "those of the system", Doc: "Any type, or none: the certificate authorities for the agent."},
}

var signInSettings = []Setting{
	{Key: "sign_in.local", Default: "true", Doc: "Let local accounts (`rialto user add`) sign in. Other ways to sign in: see [Sign-in](sign-in.md)."},
	{Key: "sign_in.auto_approve.enabled", Default: "false", Doc: "Approve every app without a question: see [Automatic approval](sign-in.md#automatic-approval)."},
	{Key: "sign_in.auto_approve.usecase", Doc: "The use case of approved apps."},
	{Key: "sign_in.auto_approve.token.env", Doc: "The environment variable with a token that apps must send to be approved."},
	{Key: "sign_in.auto_approve.token.file", Doc: "The file with that token."},
	{Key: "sign_in.auto_approve.force", Default: "false", Doc: "Allow automatic approval at a public address outside staging."},
}

var providerSettings = []Setting{
	{Key: "sign_in.oidc[].id", Doc: "A word (`a-z 0-9 -`), used in the callback URL and as prefix of account names (`corp:ada`)."},
	{Key: "sign_in.oidc[].name", Shown: "the `id`", Doc: "The label of the button."},
	{Key: "sign_in.oidc[].issuer", Doc: "The issuer, byte for byte as in its metadata."},
	{Key: "sign_in.oidc[].client_id", Doc: "The client ID, as registered there."},
	{Key: "sign_in.oidc[].client_secret.env", Doc: "The environment variable with the client secret. Without a secret Rialto is a public client."},
	{Key: "sign_in.oidc[].client_secret.file", Doc: "The file with the client secret."},
	{Key: "sign_in.oidc[].scopes", Shown: "`openid, profile, email`", Doc: "The requested scopes."},
	{Key: "sign_in.oidc[].authorization_url", Shown: "found in the metadata", Doc: "The authorization endpoint, for a provider whose metadata is wrong or missing."},
	{Key: "sign_in.oidc[].token_url", Shown: "found in the metadata", Doc: "The token endpoint."},
	{Key: "sign_in.oidc[].userinfo_url", Shown: "found in the metadata", Doc: "The userinfo endpoint."},
	{Key: "sign_in.oidc[].jwks_url", Shown: "found in the metadata", Doc: "The URL of the provider's keys."},
	{Key: "sign_in.oidc[].algorithms", Shown: "`ES256`, `ES384`, `PS256`, `RS256`, `EdDSA`", Doc: "The accepted signature algorithms."},
	{Key: "sign_in.oidc[].private_network", Default: "false", Doc: "Allow these URLs to be in a private network, also over http."},
	{Key: "sign_in.oidc[].name_claim", Shown: "`preferred_username`, or else `email`", Doc: "The claim with the name to show."},
	{Key: "sign_in.oidc[].usecases_claim", Shown: "no limit", Doc: "The claim that lists the person's use cases; `*` means all. A person without any cannot sign in."},
	{Key: "sign_in.oidc[].admin.claim", Doc: "Administrators: the claim (a name, or a path such as `realm_access.roles`) that is read when they sign in."},
	{Key: "sign_in.oidc[].admin.values", Doc: "People whose claim contains a value of this list are administrators."},
	{Key: "sign_in.oidc[].allow.claim", Shown: "everyone", Doc: "The claim that decides who may sign in."},
	{Key: "sign_in.oidc[].allow.values", Doc: "People whose claim contains a value of this list may sign in."},
	{Key: "sign_in.oidc[].email_domains", Shown: "all", Doc: "Domains of verified e-mail addresses that may sign in."},
	{Key: "sign_in.oidc[].lifetime", Shown: "`720h`", Doc: "How long grants last before the person has to sign in at the provider again."},
}

var pastedTokenSettings = []Setting{
	{Key: "sign_in.pasted_token.issuer", Doc: "The `iss` of the tokens."},
	{Key: "sign_in.pasted_token.audiences", Shown: "`url`", Doc: "One of them must be in the token's `aud`."},
	{Key: "sign_in.pasted_token.jwks_url", Shown: "found in the metadata", Doc: "The URL of the issuer's keys."},
	{Key: "sign_in.pasted_token.algorithms", Shown: "`ES256`, `ES384`, `PS256`, `RS256`, `EdDSA`", Doc: "The accepted signature algorithms."},
	{Key: "sign_in.pasted_token.private_network", Default: "false", Doc: "Allow the URLs of the issuer to be in a private network, also over http."},
}

var clientSettings = []Setting{
	{Key: "clients[].id", Doc: "The ID of an OAuth client that need not register. Most chat apps register themselves; this is for those whose form asks for an ID, and for resource servers."},
	{Key: "clients[].name", Shown: "the ID", Doc: "Its name on the consent page."},
	{Key: "clients[].redirect_uris", Doc: "Its redirect URIs: `https`, or `http` on loopback (any port)."},
	{Key: "clients[].auth", Shown: "`none`, or `client_secret_basic` with a secret", Doc: "`none`, `client_secret_basic` or `client_secret_post`."},
	{Key: "clients[].secret.env", Doc: "The environment variable with its secret."},
	{Key: "clients[].secret.file", Doc: "The file with its secret."},
	{Key: "clients[].user", Doc: "The account for which it acts when it requests a token with its secret alone (`client_credentials`)."},
	{Key: "clients[].introspect", Default: "false", Doc: "Let it introspect every token at `/introspect`, not only its own."},
	{Key: "clients[].exchange", Default: "false", Doc: "Let it exchange a caller's access token for one of its own with fewer rights, to act for the caller (RFC 8693). The new token ends with the old one."},
}

var tokenSettings = []Setting{
	{Key: "upstream_tokens[].issuer", Doc: "An issuer whose access tokens (RFC 9068, or JWTs like them) are accepted without a login here. It is compared byte for byte with `iss`. Its scope `admin` has no effect."},
	{Key: "upstream_tokens[].audiences", Doc: "The `aud` of its tokens for this server: at least one."},
	{Key: "upstream_tokens[].scope", Doc: "A scope that each of its tokens must have. Use cases are read from `mcp:tools:<use case>` in any case."},
	{Key: "upstream_tokens[].jwks_url", Shown: "found in its metadata", Doc: "The URL of its keys."},
	{Key: "upstream_tokens[].algorithms", Shown: "all of them", Doc: "Its signature algorithms: `ES256`, `ES384`, `PS256`, `RS256`, `EdDSA`."},
	{Key: "upstream_tokens[].private_network", Default: "false", Doc: "Allow it to be at a private address."},
	{Key: "tokens.algorithm", Shown: "`ES256`", Doc: "The algorithm that signs access tokens: `ES256`, `RS256` for resource servers without elliptic curves, or `EdDSA`. A change takes effect ten minutes after the start, as a rotation; existing tokens stay valid. `HS256` is for resource servers that can only share a secret: no public key is published, a server that can verify tokens can forge them, and a change to or from it ends all existing tokens."},
	{Key: "tokens.secret.env", Doc: "The environment variable with the secret for `HS256`: 32 bytes or more."},
	{Key: "tokens.secret.file", Doc: "The file with that secret."},
	{Key: "tokens.dpop_nonces", Default: "false", Doc: "Require a server nonce in every DPoP proof, in addition to the time limit and the single use. Clients sometimes need one more request."},
}
