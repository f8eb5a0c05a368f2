// Package e2e tests the built program from outside, with clients that others wrote: two MCP SDKs
// and the conformance suites, two generations of the A2A SDK, OAuth libraries and the programs that
// sign in with them, and a browser. It holds tests, what finds their tools and, in node/, the
// scripts that drive those clients.
//
// What needs only Go always runs. What needs Node 22, the packages of node/package-lock.json or
// Chromium is skipped where they are missing, unless RIALTO_E2E=1 says that they must be there.
// RIALTO_E2E=later skips all, for those who run this package on its own after the others.
package e2e
