# The commands of a working day. CI runs .ci/run, which calls these.
export CGO_ENABLED ?= 0

.PHONY: help build reproducible release-check vulnerabilities test check fmt vet lint race bench-mcp bench-oauth bench-a2a bench-bridge

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## a static binary, ./rialto
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o rialto ./cmd/rialto

reproducible: ## build twice in two folders, and compare
	.ci/reproducible

# These tools take minutes to build, so CI does not: it runs what they would, in cmd/rialto/internal/e2e.
goreleaser = go run github.com/goreleaser/goreleaser/v2@v2.15.4
helm = go run helm.sh/helm/v3/cmd/helm@v3.22.0
chart = deploy/helm/rialto -f deploy/helm/rialto/ci/all-values.yaml

release-check: ## check .goreleaser.yaml and the chart, and build a release without publishing it
	$(helm) lint --strict $(chart)
	$(helm) template rialto $(chart) --kube-version 1.34.0 | diff cmd/rialto/internal/e2e/testdata/chart.yaml -
	$(goreleaser) check
	$(goreleaser) release --snapshot --clean --skip=docker,sbom,sign

vulnerabilities: ## govulncheck, which needs its database, https://vuln.go.dev
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

test: ## all tests that need nothing but Go
	go test ./...

check: fmt vet lint race ## what must be clean before a commit

fmt: ## list unformatted files
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt these files:"; echo "$$unformatted"; exit 1; }

vet: ## go vet
	go vet ./...

lint: ## golangci-lint, in the version that .ci/tools.mod pins
	go tool -modfile=.ci/tools.mod golangci-lint run ./...

# The code of SQLite and of password hashing is not ours, and many times slower
# under the race detector. cmd/rialto/internal/e2e runs the program, which is built without it.
unraced = -gcflags=modernc.org/...=-race=false -gcflags=golang.org/x/crypto/...=-race=false

# A package is left out if neither its code nor its tests start a goroutine, synchronize, or serve.
concurrent = '^[[:space:]]*go [a-z(]|\.Go\(|"sync"|"sync/atomic"|"testing/synctest"|\<chan\>|httptest\.New.*Server'
raced = $$(go list -f '{{.Dir}} {{.ImportPath}}' ./... | grep -v /cmd/rialto/internal/e2e | \
	while read -r dir package; do ! grep -qE $(concurrent) $$dir/*.go || echo $$package; done)

# Programs with the race detector sleep for a second before they exit, and there
# are hundreds. The target vet has vetted them.
race: ## the tests under the race detector, which needs cgo; the product does not
	GORACE=atexit_sleep_ms=50 CGO_ENABLED=1 go test -race -vet=off -timeout 40m $(unraced) $(raced)

bench-mcp: ## calls per second, beside mcp-go and go-sdk
	cd cmd/rialto/internal/bench && go run . mcp

bench-oauth: ## codes, refreshes and checks per second, beside fosite
	cd cmd/rialto/internal/bench && go run . oauth

bench-a2a: ## A2A clients and servers, beside a2a-go and a client written by hand
	cd cmd/rialto/internal/bench && go run . a2a

bench-bridge: ## send_task from end to end, beside handlers that only pass the message on
	cd cmd/rialto/internal/bench && go run . bridge
