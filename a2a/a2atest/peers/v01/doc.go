// Package v01 tests our A2A client and server against trpc-a2a-go 0.0.3, which speaks A2A 0.1:
//
//	cd a2a/a2atest/peers/v01 && go test ./...
//
// It is a module of its own because version 0.2.5 of that SDK (../v02), which speaks
// 0.2, has the same path.
package v01
