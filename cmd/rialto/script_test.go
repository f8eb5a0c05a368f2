package main

import (
	"net"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rialto": main})
}

// TestScripts runs testdata/*.txtar: what a user types, and what is answered.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// occupy VAR listens on a port and puts its address into VAR.
			"occupy": func(ts *testscript.TestScript, neg bool, args []string) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				ts.Check(err)
				ts.Defer(func() { l.Close() })
				ts.Setenv(args[0], l.Addr().String())
			},
			// private FILE fails unless only its owner may read it.
			"private": func(ts *testscript.TestScript, neg bool, args []string) {
				info, err := os.Stat(ts.MkAbs(args[0]))
				ts.Check(err)
				if perm := info.Mode().Perm(); perm&0o077 != 0 {
					ts.Fatalf("%s has mode %v", args[0], perm)
				}
			},
		},
	})
}
