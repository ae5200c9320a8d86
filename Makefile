# One line a target; `make check` is what a change must pass.
SHELL       := /bin/bash
FUZZTIME    ?= 30s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
INTEROP     := protocol/mcp/interop
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     := -s -w -X github.com/luatools/luatools/host.Version=$(VERSION)

.PHONY: build test race lint bench fuzz e2e run check compile release

build: ; CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o luatools .

test: ; go test ./... && cd $(INTEROP) && go test ./...

race: ; go test -race ./...

lint: ; @test -z "$$(gofmt -l . | tee /dev/stderr)" && go vet ./... && go vet -tags e2e ./host/cli/e2e/ && go run $(STATICCHECK) ./... && (cd $(INTEROP) && go vet ./...)

bench: ; go test -run '^$$' -bench . -benchmem ./...

fuzz: ; @set -e; for d in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do for f in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$d/*_test.go | cut -c6-); do echo "== $$d $$f"; go test $$d -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s; done; done

e2e: ; go test -tags e2e -count=1 -timeout 20m ./host/cli/e2e/

run: ; @go run . run -C examples/greet "greet name=Alice"

compile: ; @for p in $(PLATFORMS); do CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -o /dev/null . || exit 1; done

check: lint test race compile

release: ; @mkdir -p dist; for p in $(PLATFORMS); do os=$${p%/*}; out=dist/luatools-$$os-$${p#*/}; [ $$os = windows ] && out=$$out.exe; CGO_ENABLED=0 GOOS=$$os GOARCH=$${p#*/} go build -trimpath -ldflags '$(LDFLAGS)' -o $$out . || exit 1; done; ls -l dist
