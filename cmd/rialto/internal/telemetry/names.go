package telemetry

import "go.opentelemetry.io/otel/attribute"

// Names of the semantic conventions. Those for MCP, GenAI and A2A are in development, and
// no module has constants for them.
const (
	mcpMethod        = attribute.Key("mcp.method.name")
	mcpRevision      = attribute.Key("mcp.protocol.version")
	mcpSession       = attribute.Key("mcp.session.id")
	rpcID            = attribute.Key("jsonrpc.request.id")
	rpcStatus        = attribute.Key("rpc.response.status_code")
	toolName         = attribute.Key("gen_ai.tool.name")
	promptName       = attribute.Key("gen_ai.prompt.name")
	operationName    = attribute.Key("gen_ai.operation.name")
	errorType        = attribute.Key("error.type")
	networkTransport = attribute.Key("network.transport")
	networkProtocol  = attribute.Key("network.protocol.name")
	networkVersion   = attribute.Key("network.protocol.version")
	resourceURI      = attribute.Key("mcp.resource.uri")

	a2aMethod   = attribute.Key("a2a.method.name")
	a2aVersion  = attribute.Key("a2a.protocol.version")
	a2aTask     = attribute.Key("a2a.task.id")
	a2aState    = attribute.Key("a2a.task.state")
	a2aBinding  = attribute.Key("a2a.protocol.binding")
	agentName   = attribute.Key("gen_ai.agent.name")
	agentID     = attribute.Key("gen_ai.agent.id")
	cardVersion = attribute.Key("gen_ai.agent.version")
	contextID   = attribute.Key("gen_ai.conversation.id")
	serverHost  = attribute.Key("server.address")
	serverPort  = attribute.Key("server.port")

	httpMethod = attribute.Key("http.request.method")
	httpStatus = attribute.Key("http.response.status_code")
	httpRoute  = attribute.Key("http.route")
	urlScheme  = attribute.Key("url.scheme")

	dbSystem    = attribute.Key("db.system.name")
	dbOperation = attribute.Key("db.operation.name")
	dbQuery     = attribute.Key("db.query.text")

	grantType = attribute.Key("oauth.grant_type")
	outcome   = attribute.Key("outcome")
	agent     = attribute.Key("agent")
	state     = attribute.Key("state")
	door      = attribute.Key("door")
	kind      = attribute.Key("kind")
	queue     = attribute.Key("queue")
	version   = attribute.Key("version")
	revision  = attribute.Key("revision")
	key       = attribute.Key("key")
)

// other stands for a value that is not of the closed set of its attribute.
const other = "_OTHER"

// toolError is the error.type of a tool whose result says isError.
const toolError = "tool_error"

// Metrics. The Prometheus exporter writes rialto.task.duration in seconds as
// rialto_task_duration_seconds, and adds _total to counters.
const (
	mcpDuration  = "mcp.server.operation.duration"
	mcpSessions  = "mcp.server.session.duration"
	httpDuration = "http.server.request.duration"
	dbDuration   = "db.client.operation.duration"

	agentCalls   = "rialto.agent.call.duration"
	taskDuration = "rialto.task.duration"
	firstEvent   = "rialto.task.first_event"
	takeovers    = "rialto.takeovers"
	cardChanges  = "rialto.agent.card_changes"
	oauthTokens  = "rialto.oauth.tokens"
	refreshReuse = "rialto.oauth.refresh_reuse"
	registration = "rialto.oauth.registrations"
	hybrids      = "rialto.mcp.hybrids"
	deliveries   = "rialto.push.deliveries"
	rateLimited  = "rialto.rate_limited"

	tasks        = "rialto.tasks"
	followers    = "rialto.followers"
	circuit      = "rialto.agent.circuit_open"
	agentUp      = "rialto.agent.up"
	gaugesAge    = "rialto.gauges.age"
	certificate  = "rialto.certificate.expiry"
	reloaded     = "rialto.config.last_reload_successful"
	outbox       = "rialto.outbox"
	outboxLag    = "rialto.outbox.lag"
	streams      = "rialto.mcp.streams"
	usageDropped = "rialto.usage.dropped"
	keyExpiry    = "rialto.key.expiry"
	queueLength  = "rialto.queue.length"
	buildInfo    = "rialto.build.info"
)

var (
	operationBuckets = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
	requestBuckets   = []float64{
		0.005,
		0.01,
		0.025,
		0.05,
		0.075,
		0.1,
		0.25,
		0.5,
		0.75,
		1,
		2.5,
		5,
		7.5,
		10,
	}
	databaseBuckets = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10}
	taskBuckets     = []float64{0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400}
)
