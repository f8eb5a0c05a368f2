package harness

import (
	"bytes"
	"fmt"
)

// Era is the revision of MCP in which a client calls.
type Era string

// The two eras: with a session and without.
const (
	Legacy  Era = "2025-11-25"
	Current Era = "2026-07-28"
)

// MCPCaller is an MCP client with one connection that repeats one prepared call.
type MCPCaller struct {
	path    string
	conn    *Conn
	era     Era
	token   string
	tool    string
	request []byte
}

const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// DialMCP connects, initializes a session where the era has one, and prepares
// a call of a tool with arguments as JSON.
func DialMCP(addr, token string, era Era, tool, arguments string) (*MCPCaller, error) {
	return DialMCPAt(addr, "/mcp", token, era, tool, arguments)
}

// DialMCPAt is DialMCP at another path.
func DialMCPAt(addr, path, token string, era Era, tool, arguments string) (*MCPCaller, error) {
	conn, err := Dial(addr)
	if err != nil {
		return nil, err
	}
	c, extra := &MCPCaller{conn: conn, path: path, era: era, token: token, tool: tool}, meta
	if era == Legacy {
		extra = ""
		_, err := conn.Do(c.message("initialize", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
		if err == nil {
			_, err = conn.Do(c.message("notifications/initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		}
		if err != nil {
			conn.Close()
			return nil, err
		}
	}
	c.request = c.message("tools/call", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool, arguments, extra))
	return c, nil
}

// Call makes the prepared call and checks that the answer contains want.
func (c *MCPCaller) Call(want string) error {
	body, err := c.conn.Do(c.request)
	if err == nil && !bytes.Contains(body, []byte(want)) {
		err = fmt.Errorf("got %s", body)
	}
	return err
}

// Close closes the connection.
func (c *MCPCaller) Close() error { return c.conn.Close() }

func (c *MCPCaller) message(method, body string) []byte {
	header := "POST " + c.path + " HTTP/1.1\r\nHost: " + c.conn.conn.RemoteAddr().String() + "\r\nUser-Agent: bench/1\r\nContent-Type: application/json\r\n" +
		"Accept: application/json, text/event-stream\r\nAuthorization: Bearer " + c.token + "\r\n"
	if method != "initialize" {
		header += "Mcp-Protocol-Version: " + string(c.era) + "\r\n"
	}
	if c.conn.Session != "" {
		header += "Mcp-Session-Id: " + c.conn.Session + "\r\n"
	}
	if c.era == Current {
		header += "Mcp-Method: " + method + "\r\nMcp-Name: " + c.tool + "\r\n"
	}
	return fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}
