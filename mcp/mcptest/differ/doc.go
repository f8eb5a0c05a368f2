// Package differ compares package mcp with the official Go SDK: its server
// answers the same transcripts, and its client uses the built program. It is a
// module of its own, so that the SDK stays out of the product's.
package differ
