package e2e

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestTheProgramNeedsNoLibraries: the image holds the program and nothing
// that it could load.
func TestTheProgramNeedsNoLibraries(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the image runs on Linux")
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err != nil || len(libs) > 0 {
		t.Errorf("got libraries %v, %v, want none", libs, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("got a program interpreter, want a static program")
		}
	}
}

// TestTheProgramRunsAsNobody does what the image does: an unprivileged user,
// no home, one folder to write to.
func TestTheProgramRunsAsNobody(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	addr := freeAddress(t)
	p := &program{URL: "http://" + addr, cmd: exec.Command(binary, "demo", "--listen", addr, "--data", data), log: &logBuffer{}, done: make(chan error, 1)}
	p.cmd.Env = []string{"RIALTO_DEMO_PASSWORD=" + password}
	p.cmd.Dir = "/"
	if os.Getuid() == 0 {
		const nobody = 65532
		openPath(t, data)
		if err := os.Chown(data, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	p.launch(t)

	health := exec.Command(binary, "health", "--url", p.URL)
	health.Env = []string{}
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("health: %v: %s", err, out)
	}
}

func TestHealthTellsThatNobodyAnswers(t *testing.T) {
	health := exec.Command(binary, "health", "--url", "http://"+freeAddress(t))
	out, err := health.CombinedOutput()
	if health.ProcessState.ExitCode() != 1 || !strings.HasPrefix(string(out), "rialto: ") {
		t.Errorf("got %v: %s, want exit code 1 and one line", err, out)
	}
}

// openPath lets another user through the private folders above dir that the
// test made.
func openPath(t *testing.T, dir string) {
	t.Helper()
	for up := dir; strings.HasPrefix(up, os.TempDir()+"/"); up = up[:strings.LastIndexByte(up, '/')] {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheDockerfileBuildsWhatWeTest: the same flags, and every folder that the
// build reads.
func TestTheDockerfileBuildsWhatWeTest(t *testing.T) {
	dockerfile, err := os.ReadFile("../../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags="-s -w `, ` -o /out/rialto ./cmd/rialto`} {
		if !strings.Contains(string(dockerfile), want) {
			t.Errorf("the Dockerfile does not build with %s", want)
		}
	}
	for _, base := range regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`).FindAllStringSubmatch(string(dockerfile), -1) {
		name, tag, _ := strings.Cut(base[1], ":")
		if name == "golang" && !regexp.MustCompile(`^\d+\.\d+\.\d+-[a-z]+$`).MatchString(tag) {
			t.Errorf("the base %s has no exact version", base[1])
		}
	}
	ignore, err := os.ReadFile("../../../../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "rialto/cmd/rialto")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		folder, _, _ := strings.Cut(strings.TrimPrefix(path, "rialto/"), "/")
		if !strings.Contains(string(ignore), "\n!"+folder+"\n") {
			t.Errorf(".dockerignore keeps %s out of the build", folder)
		}
	}
}

// TestTheLinkerSetsWhichBuildItIs builds as the Dockerfile does, where Git is missing.
func TestTheLinkerSetsWhichBuildItIs(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "rialto")
	const in = "-X rialto/cmd/rialto/internal/server."
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program,
		"-ldflags=-s -w "+in+"release=v1.2.3 "+in+"commit=83f11e2 "+in+"date=2026-11-22T18:02:17Z", "rialto/cmd/rialto")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program, "version", "--json").Output()
	var got struct{ Version, Commit, Date string }
	if err := errors.Join(err, json.Unmarshal(out, &got)); err != nil {
		t.Fatal(err)
	}
	if got.Version != "v1.2.3" || got.Commit != "83f11e2" || got.Date != "2026-11-22T18:02:17Z" {
		t.Errorf("got %s", out)
	}
}
