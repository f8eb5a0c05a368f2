// Talks to a fixture server with the official TypeScript SDK (1.x) and prints
// what it saw, a line each. Usage: node sdk.cjs NODE_MODULES URL
const [modules, url] = process.argv.slice(2);
const load = require("module").createRequire(modules + "/");
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");

async function main() {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  const client = new Client({ name: "sdk", version: "1" }, { capabilities: {} });
  await client.connect(transport);
  console.log("server", client.getServerVersion().name);
  console.log("tools", (await client.listTools()).tools.map((t) => t.name).includes("echo"));
  const json = await client.callTool({ name: "echo", arguments: { text: "grüß <b>" } });
  console.log("json", json.content[0].text, JSON.stringify(json.structuredContent));

  let seen = 0;
  const calls = Array.from({ length: 50 }, () =>
    client.callTool({ name: "test_tool_with_progress" }, undefined, { onprogress: () => seen++ }));
  const answers = await Promise.all(calls);
  console.log("stream", answers.every((a) => a.content[0].text === "done"), seen);

  console.log("input", (await client.callTool({ name: "echo", arguments: {} })).isError);
  await client.callTool({ name: "nope" }).catch((e) => console.log("unknown", e.code));
  await client.callTool({ name: "breaks", arguments: { how: "panic" } }).catch((e) => console.log("broken", e.code));
  await transport.terminateSession();
  await client.close();
}

main().catch((e) => { console.error(e); process.exit(1); });
