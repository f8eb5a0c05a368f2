// Package server puts the program together and runs it: it builds the parts from
// a configuration, mounts all routes with their guards, listens and shuts down.
// It does not know the command line, and it does not decide what a part does.
package server
