// Package peers tests our A2A client and server against the SDKs of others, which live in a module
// of their own so that the product does not depend on them:
//
//	cd a2a/a2atest/peers && go test ./...
//
// theirclient_test.go is a2a-go's client before our server, theirserver_test.go our client before
// a2a-go's server, each in 1.0 and in its 0.3 compatibility mode, over JSON-RPC and HTTP+JSON, and
// over gRPC (grpc_test.go). An agent of ours that shall be tested with foreign clients is a line in
// agents, in agents_test.go. The agents and clients themselves are exported for the command peer,
// by which they meet through the bridge (cmd/rialto/internal/e2e).
package peers
