//go:build !race

package raced

// Enabled tells whether the race detector is built in.
const Enabled = false
