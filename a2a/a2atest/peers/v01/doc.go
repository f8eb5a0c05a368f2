// Package v01 tests our A2A client and server against trpc-a2a-go 0.0.3, which
// speaks A2A 0.1:
//
//	cd a2a/a2atest/peers/v01 && go test ./...
//
// It is a module of its own because the later versions of that SDK, which speak
// 0.2, have the same path.
package v01
