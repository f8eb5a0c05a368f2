package jsonrpc_test

import (
	"testing"

	"rialto/internal/jsonrpc"
)

// BenchmarkDecode reads a call as MCP clients send it.
func BenchmarkDecode(b *testing.B) {
	message := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonrpc.DecodeRequest(message); err != nil {
			b.Fatal(err)
		}
	}
}
