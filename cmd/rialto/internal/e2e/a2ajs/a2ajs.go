// Package a2ajs tests our A2A client and server against the JavaScript SDK,
// @a2a-js/sdk, in the versions that stand for a dialect each:
//
//	go test ./cmd/rialto/internal/e2e/a2ajs
//
// Their servers and clients are the scripts in cmd/rialto/internal/e2e/node/peers.
package a2ajs
