// Package layout keeps the architecture true: its tests fail when a package
// imports what does not stand above it, has no package comment, or is missing
// from the table of floors. docs/design.md explains the table.
package layout

const module = "rialto"

// floors lists, for each package, those of ours that it may import. "*" means
// all of them.
var floors = map[string][]string{
	"a2a":                                    {},
	"static":                                 {},
	"wellknown":                              {},
	"internal/jsonrpc":                       {},
	"internal/sse":                           {},
	"internal/guardhttp":                     {},
	"internal/doctor":                        {"internal/jsonrpc", "internal/sse"},
	"internal/layout":                        {},
	"internal/batch":                         {},
	"internal/raced":                         {},
	"internal/sealed":                        {},
	"internal/audit":                         {"internal/batch"},
	"internal/usage":                         {"internal/batch"},
	"templates":                              {"static"},
	"mcp":                                    {"internal/jsonrpc", "internal/sse"},
	"mcp/mcptest":                            {"mcp"},
	"mcp/mcptest/fixture":                    {"mcp", "mcp/mcptest"},
	"mcp/mcptest/wire":                       {"mcp", "internal/sse"},
	"a2a/internal/wire":                      {"a2a", "internal/jsonrpc"},
	"a2a/a2asign":                            {},
	"a2a/a2aexec":                            {"a2a"},
	"a2a/a2aclient":                          {"a2a", "a2a/internal/wire", "internal/jsonrpc", "internal/sse"},
	"a2a/a2agrpc":                            {"a2a", "a2a/internal/wire"},
	"a2a/a2apush":                            {"a2a", "a2a/internal/wire", "internal/guardhttp"},
	"a2a/a2aauth":                            {"a2a", "a2a/a2aclient"},
	"a2a/a2avault":                           {"a2a", "a2a/a2aauth", "a2a/a2aclient", "internal/guardhttp", "internal/sealed"},
	"a2a/a2avault/vaulttest":                 {"a2a/a2avault"},
	"a2a/a2aserver":                          {"a2a", "a2a/internal/wire", "internal/jsonrpc", "internal/sse"},
	"a2a/a2atest":                            {"a2a", "a2a/a2aexec", "a2a/a2aclient", "a2a/a2aserver", "internal/sse", "internal/jsonrpc"},
	"a2a/a2atest/interop":                    {},
	"a2a/a2atest/tour":                       {},
	"a2a/a2atest/kitagent":                   {"a2a", "a2a/a2aexec", "a2a/a2agrpc", "a2a/a2aserver"},
	"oauth":                                  {"templates", "static", "internal/guardhttp", "internal/sealed"},
	"oauth/oauthtest":                        {"oauth"},
	"bridge/sanitize":                        {},
	"bridge/ledger":                          {"a2a", "bridge/sanitize"},
	"bridge/form":                            {},
	"bridge":                                 {"a2a", "mcp", "bridge/form", "internal/sealed", "internal/usage", "bridge/ledger", "bridge/sanitize"},
	"bridge/push":                            {"a2a", "bridge", "internal/sealed", "bridge/ledger", "bridge/sanitize"},
	"bridge/bridgetest":                      {"bridge", "bridge/push", "bridge/registry", "a2a", "mcp", "bridge/ledger", "bridge/sanitize"},
	"bridge/api":                             {"a2a", "bridge", "bridge/operator", "bridge/registry", "internal/audit", "internal/usage", "bridge/ledger", "bridge/sanitize"},
	"bridge/web":                             {"a2a", "a2a/a2avault", "bridge", "bridge/form", "internal/sse", "templates", "bridge/ledger", "bridge/sanitize"},
	"bridge/registry":                        {"a2a", "bridge", "internal/sealed", "bridge/ledger", "bridge/sanitize"},
	"bridge/operator":                        {"a2a", "bridge", "bridge/registry", "internal/audit", "internal/doctor", "internal/usage", "oauth", "templates", "bridge/ledger", "bridge/sanitize"},
	"bridge/operator/operatortest":           {"a2a", "bridge", "bridge/operator", "internal/audit", "internal/usage", "oauth", "bridge/ledger", "bridge/sanitize"},
	"bridge/console":                         {"a2a", "a2a/a2avault", "bridge", "bridge/operator", "bridge/registry", "internal/audit", "internal/usage", "oauth", "templates", "internal/doctor", "internal/sse", "bridge/ledger", "bridge/sanitize"},
	"internal/store":                         {"a2a/a2avault", "bridge", "bridge/operator", "bridge/push", "bridge/registry", "internal/audit", "internal/usage", "oauth", "a2a", "bridge/ledger", "bridge/sanitize"},
	"internal/store/storetest":               {},
	"internal/tableexpert":                   {"a2a", "a2a/a2aexec", "internal/tableexpert/plain", "internal/tableexpert/sqlbox"},
	"internal/tableexpert/plain":             {},
	"internal/tableexpert/sqlbox":            {},
	"internal/tableexpert/sqlbox/sqlboxtest": {"internal/tableexpert/sqlbox"},
	"internal/e2e":                           {"*"},
	"internal/e2e/a2ajs":                     {"*"},
	"internal/config":                        {"a2a", "a2a/a2aauth", "a2a/a2asign", "bridge/operator", "bridge/registry", "internal/guardhttp", "internal/store", "oauth", "static"},
	"internal/server":                        {"*"},
	"internal/cli":                           {"bridge/ledger", "bridge/sanitize", "a2a", "bridge", "bridge/operator", "bridge/registry", "internal/audit", "internal/config", "internal/doctor", "internal/server", "internal/store", "internal/tableexpert", "internal/usage", "oauth"},
	"cmd/rialto":                             {"bridge/ledger", "bridge/sanitize", "bridge", "internal/cli"},
}

// owned lists modules that only some packages may import, so that each can be
// replaced in one place.
var owned = map[string][]string{
	"github.com/mark3labs/mcp-go":  {"mcp"},
	"github.com/pressly/goose":     {"internal/store"},
	"github.com/jackc/pgx":         {"internal/store"},
	"modernc.org/sqlite":           {"internal/store", "internal/tableexpert", "internal/tableexpert/sqlbox"},
	"github.com/spf13/cobra":       {"internal/cli", "cmd/rialto"},
	"github.com/knadh/koanf":       {"internal/config"},
	"google.golang.org/grpc":       {"a2a/a2agrpc"},
	"github.com/a2aproject/a2a-go": {"a2a/a2agrpc"},
	"github.com/go-jose/go-jose":   {"oauth", "oauth/oauthtest", "a2a/a2asign", "a2a/a2apush"},
}
