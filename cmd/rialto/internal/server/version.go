package server

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// release, commit and date are set by the linker where the build does not see a Git repository, as
// in the Dockerfile, and release for releases:
// -ldflags="-X rialto/cmd/rialto/internal/server.release=v1.2.3".
var release, commit, date string

// Build says which program this is. A build in a Git repository knows its commit and its date.
type Build struct {
	Version  string `json:"version"`  // the release, or dev- and the commit
	Commit   string `json:"commit"`   // empty if unknown
	Date     string `json:"date"`     // when the commit was made, RFC 3339
	Modified bool   `json:"modified"` // the files differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild returns the build of the running program.
func ThisBuild() Build {
	b := Build{
		Version:  release,
		Commit:   commit,
		Date:     date,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = cmp.Or(b.Commit, s.Value)
			case "vcs.time":
				b.Date = cmp.Or(b.Date, s.Value)
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if b.Version == "" {
		b.Version = strings.TrimSuffix("dev-"+b.Commit[:min(len(b.Commit), 12)], "-")
	}

	return b
}

// Version returns the release, or the commit the binary was built from.
func Version() string { return ThisBuild().Version }
