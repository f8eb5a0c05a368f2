package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"rialto/oauth/oauthtest"
)

// container is the configuration of a container, by Compose or by Kubernetes.
type container struct {
	args  []string
	env   map[string]string
	files map[string]string // by their path in the container

	database string
}

// run runs the container's program to its end.
func (c container) run(t *testing.T) {
	t.Helper()
	p := c.program(t, freeAddress(t))
	if out, err := p.cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", c.args, err, out)
	}
}

// start runs the container's program until the test ends.
func (c container) start(t *testing.T) *program {
	t.Helper()
	p := c.program(t, freeAddress(t))
	p.launch(t)
	return p
}

// program returns the container's program, which listens at addresses of the test and reads its files
// elsewhere.
func (c container) program(t *testing.T, addr string) *program {
	t.Helper()
	dir := t.TempDir()
	port := addr[strings.LastIndexByte(addr, ':'):]
	here := []string{"localhost:8080", addr, ":8080", port, ":9464", freeAddress(t), ":9090", freeAddress(t)}
	for path, content := range c.files {
		file := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(file, []byte(strings.NewReplacer(here...).Replace(content)), 0o600); err != nil {
			t.Fatal(err)
		}
		here = append(here, path, file)
	}
	moved := strings.NewReplacer(here...)
	p := &program{URL: "http://" + addr, cmd: exec.Command(binary), log: &logBuffer{}, done: make(chan error, 1)}
	for _, arg := range c.args {
		p.cmd.Args = append(p.cmd.Args, moved.Replace(arg))
	}
	c.env["RIALTO_DATABASE"] = c.database
	for name, value := range c.env {
		p.cmd.Env = append(p.cmd.Env, name+"="+moved.Replace(value))
	}
	return p
}

const secretOfTests = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// TestTheComposeFileStartsTheServer runs the server with the environment of deploy/compose.yaml, and
// Caddy with its Caddyfile before it.
func TestTheComposeFileStartsTheServer(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("caddy")
	Need(t, err)
	var file struct {
		Services map[string]struct {
			Image       string
			Environment map[string]string
			Secrets     []string
		}
		Secrets map[string]struct{ File string }
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for name, s := range file.Services {
		if name != "rialto" && !regexp.MustCompile(`:\d+\.\d+`).MatchString(s.Image) {
			t.Errorf("the image %s of %s has no exact version", s.Image, name)
		}
	}
	at := freeAddress(t)
	c := container{
		args: []string{"serve"}, env: file.Services["rialto"].Environment, files: map[string]string{},
		database: oauthtest.PostgresSchema(t),
	}
	for name, value := range c.env {
		c.env[name] = regexp.MustCompile(`\$\{\w+:\?[^}]*\}`).ReplaceAllString(value, at)
	}
	for _, name := range file.Services["rialto"].Secrets {
		if file.Secrets[name].File == "" {
			t.Errorf("the secret %s has no file", name)
		}
		c.files["/run/secrets/"+name] = secretOfTests
	}
	p := c.start(t)

	cert, key := certificate(t)
	text := regexp.MustCompile(`(?s)\t\tdynamic a \{.*?\}\n`).ReplaceAllString(deployed(t, "compose/Caddyfile"), "\t\tto "+strings.TrimPrefix(p.URL, "http://")+"\n")
	text = strings.Replace(text, "{$RIALTO_HOST} {", "https://"+at+" {\n\ttls "+cert+" "+key, 1)
	folder := t.TempDir()
	caddyfile := filepath.Join(folder, "Caddyfile")
	if err := os.WriteFile(caddyfile, []byte("{\n\tadmin off\n\tauto_https disable_redirects\n}\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "run", "--config", caddyfile, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
	serving(t, cmd, "https://"+at+"/readyz")
}

// kubernetes is what the tests read of an object.
type kubernetes struct {
	Kind     string
	Data     map[string]string
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		JobLabel string `yaml:"jobLabel"`
		Ports    []struct{ Name string }
		Ingress  []struct {
			Ports []struct{ Port string }
		}
		Template struct {
			Metadata struct{ Annotations map[string]string }
			Spec     struct {
				Grace           int               `yaml:"terminationGracePeriodSeconds"`
				NodeSelector    map[string]string `yaml:"nodeSelector"`
				Volumes         []struct{ Name string }
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []pod
			}
		}
	}
}

type pod struct {
	Args []string
	Env  []struct{ Name, Value string }

	Startup   probe `yaml:"startupProbe"`
	Liveness  probe `yaml:"livenessProbe"`
	Readiness probe `yaml:"readinessProbe"`

	SecurityContext struct {
		ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
	} `yaml:"securityContext"`
}

func (p pod) env() map[string]string {
	all := map[string]string{}
	for _, v := range p.Env {
		all[v.Name] = v.Value
	}
	return all
}

type probe struct {
	HTTPGet struct{ Path string } `yaml:"httpGet"`
}

// TestTheChartStartsTheServer runs the container of the chart, as testdata/chart.yaml has it with all of
// ci/all-values.yaml, and asks what its probes ask.
func TestTheChartStartsTheServer(t *testing.T) {
	t.Parallel()
	rendered, err := os.ReadFile("testdata/chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]kubernetes{}
	for d := yaml.NewDecoder(bytes.NewReader(rendered)); ; {
		var k kubernetes
		if err := d.Decode(&k); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds[k.Kind] = k
	}
	for _, kind := range []string{"Service", "Ingress", "PodDisruptionBudget", "HorizontalPodAutoscaler", "ServiceMonitor", "NetworkPolicy"} {
		if _, ok := kinds[kind]; !ok {
			t.Errorf("the chart has no %s", kind)
		}
	}
	if job := kinds["Service"].Metadata.Labels[kinds["ServiceMonitor"].Spec.JobLabel]; job != "rialto" {
		t.Errorf("Prometheus names the job %q, and deploy/monitoring rialto", job)
	}
	template := kinds["Deployment"].Spec.Template
	spec := template.Spec
	if spec.Grace != 140 { // shutdown_delay: 1m30s, drain_timeout, and a shutdown takes up to 20 s
		t.Errorf("Kubernetes waits %d s for a pod to end", spec.Grace)
	}
	if spec.NodeSelector["kubernetes.io/arch"] != "amd64" || template.Metadata.Annotations["a"] != "b" {
		t.Errorf("got the node selector %v, the annotations %v", spec.NodeSelector, template.Metadata.Annotations)
	}
	if !slices.ContainsFunc(spec.Volumes, func(v struct{ Name string }) bool { return v.Name == "crm" }) {
		t.Errorf("got the volumes %v, want the extra one", spec.Volumes)
	}
	for _, port := range []string{"http", "metrics", "grpc"} { // the monitor was kept out
		in := slices.ContainsFunc(kinds["NetworkPolicy"].Spec.Ingress, func(rule struct{ Ports []struct{ Port string } }) bool {
			return rule.Ports[0].Port == port
		})
		served := slices.ContainsFunc(kinds["Service"].Spec.Ports, func(p struct{ Name string }) bool { return p.Name == port })
		if !in || !served {
			t.Errorf("%s: served %v, let in %v", port, served, in)
		}
	}
	if len(spec.Containers) != 1 {
		t.Fatalf("got %d containers, want one", len(spec.Containers))
	}
	one := spec.Containers[0]
	if !spec.SecurityContext.RunAsNonRoot || !one.SecurityContext.ReadOnlyRootFilesystem {
		t.Error("the container may run as root or write to its image")
	}
	c := container{args: one.Args, env: one.env(), files: map[string]string{
		"/etc/rialto/rialto.yaml": kinds["ConfigMap"].Data["rialto.yaml"], "/run/secrets/rialto/secret": secretOfTests,
	}, database: oauthtest.PostgresSchema(t)}
	job := kinds["Job"].Spec.Template.Spec.Containers
	if len(job) != 1 || c.env["RIALTO_MIGRATE"] != "check" {
		t.Fatalf("got the job %+v, RIALTO_MIGRATE=%s", job, c.env["RIALTO_MIGRATE"])
	}
	container{args: job[0].Args, env: job[0].env(), files: c.files, database: c.database}.run(t)
	c.env["RIALTO_SHUTDOWN_DELAY"] = "0s" // no test waits so long
	p := c.start(t)
	for _, probe := range []probe{one.Startup, one.Liveness, one.Readiness} {
		resp, err := http.Get(p.URL + cmp.Or(probe.HTTPGet.Path, "/missing"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s, want 200", probe.HTTPGet.Path, resp.Status)
		}
	}
}

// TestTheChartIsRendered holds testdata/chart.yaml to the chart.
func TestTheChartIsRendered(t *testing.T) {
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("there is no helm here: make release-check builds one")
	}
	const chart, values = "../../../../deploy/helm/rialto", "../../../../deploy/helm/rialto/ci/all-values.yaml"
	if out, err := exec.Command(helm, "lint", "--strict", chart, "-f", values).CombinedOutput(); err != nil {
		t.Errorf("helm lint: %v: %s", err, out)
	}
	got, err := exec.Command(helm, "template", "rialto", chart, "--kube-version", "1.34.0", "-f", values).Output()
	want, missing := os.ReadFile("testdata/chart.yaml")
	if err := errors.Join(err, missing); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the chart renders as this, and testdata/chart.yaml does not:\n%s", got)
	}
}

// TestTheRegistryFileStartsTheImage runs the server as the MCP registry tells programs to: with the image's own
// variables and those of deploy/server.json. It named none, and the image did not start.
func TestTheRegistryFileStartsTheImage(t *testing.T) {
	t.Parallel()
	var file struct {
		Packages []struct {
			RuntimeArguments     []struct{ Name, Value string }
			EnvironmentVariables []struct{ Name, Default string }
			Transport            struct{ URL string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "server.json")), &file); err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	image := file.Packages[0]
	c := container{args: []string{"serve"}, env: map[string]string{}, database: filepath.Join(t.TempDir(), "rialto.db")}
	variables := regexp.MustCompile(`(?m)^ENV .*$`).Find(dockerfile)
	for _, v := range regexp.MustCompile(`(RIALTO_\w+)=(\S+)`).FindAllStringSubmatch(string(variables), -1) {
		c.env[v[1]] = v[2]
	}
	endpoint := image.Transport.URL
	for _, v := range image.EnvironmentVariables {
		c.env[v.Name] = v.Default
		endpoint = strings.ReplaceAll(endpoint, "{"+v.Name+"}", v.Default)
	}
	ports := slices.IndexFunc(image.RuntimeArguments, func(a struct{ Name, Value string }) bool { return a.Name == "-p" })
	if ports < 0 || image.RuntimeArguments[ports].Value != "8080:8080" || endpoint != "http://localhost:8080/mcp" {
		t.Errorf("got the arguments %v, the endpoint %s", image.RuntimeArguments, endpoint)
	}
	p := c.start(t)
	resp, err := http.Get(p.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("got %s, want a login", resp.Status)
	}
}

// TestTheReleaseFindsItsParts checks what .goreleaser.yaml names. GoReleaser does it at a release.
func TestTheReleaseFindsItsParts(t *testing.T) {
	b, err := os.ReadFile("../../../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds []struct{ Main, Ldflags any }
		Nfpms  []struct{ Contents []struct{ Src, Dst string } }
	}
	if err := yaml.Unmarshal(b, &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Builds) != 1 || config.Builds[0].Main != "./cmd/rialto" || len(config.Nfpms) != 1 {
		t.Fatalf("got %+v, want one program, and packages of it", config)
	}
	for _, c := range config.Nfpms[0].Contents {
		if _, err := os.Stat(filepath.Join("..", "..", "..", "..", c.Src)); err != nil {
			t.Error(err)
		}
	}
	version, err := os.ReadFile("../server/version.go")
	if err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	set := regexp.MustCompile(`-X rialto/cmd/rialto/internal/server\.(\w+)=`).FindAllSubmatch(append(b, dockerfile...), -1)
	if len(set) != 4 {
		t.Errorf("the linker sets %d variables, want one in releases and three in images", len(set))
	}
	for _, name := range set {
		if !regexp.MustCompile(`(?m)^var .*\b` + string(name[1]) + `\b.* string$`).Match(version) {
			t.Errorf("cmd/rialto/internal/server has no variable %s", name[1])
		}
	}
}
