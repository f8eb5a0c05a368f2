// Package v02 tests our A2A client and server against trpc-a2a-go 0.2.5, which
// speaks A2A 0.2:
//
//	cd a2a/a2atest/peers/v02 && go test ./...
//
// It is a module of its own because the earlier versions of that SDK, which
// speak 0.1, have the same path.
package v02
