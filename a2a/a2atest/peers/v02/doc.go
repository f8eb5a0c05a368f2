// Package v02 tests our A2A client and server against trpc-a2a-go 0.2.5, which speaks A2A 0.2:
//
//	cd a2a/a2atest/peers/v02 && go test ./...
package v02
