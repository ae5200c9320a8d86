//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// setup is what the first stage prepares while there is a network, for the second stage, which has none.
type setup struct {
	Binary string // luatools
	CLIs   []installed
	Skip   string // why there are no CLIs
}

// installed is one version of the CLI.
type installed struct {
	Want, Version, Path string
}

// stageEnv hands a setup to the second stage.
const stageEnv = "LUATOOLS_E2E_STAGE"

var ready setup

func TestMain(m *testing.M) {
	if stage := os.Getenv(stageEnv); stage != "" {
		if err := json.Unmarshal([]byte(stage), &ready); err != nil {
			fmt.Fprintln(os.Stderr, "e2e: the stage cannot be read:", err)
			os.Exit(2)
		}
		os.Exit(m.Run())
	}
	code, err := firstStage(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func firstStage(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "luatools-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	cache := os.Getenv("LUATOOLS_E2E_CACHE")
	if cache == "" {
		cache = filepath.Join(dir, "cli")
	}
	if ready.Binary, err = build(dir); err != nil {
		return 1, err
	}
	for _, want := range []string{"2.1.33", "latest"} {
		c, err := install(cache, want)
		if missing, ok := errors.AsType[*missingError](err); ok {
			ready.Skip = missing.Error()
			break
		}
		if err != nil {
			return 1, err
		}
		ready.CLIs = append(ready.CLIs, c)
	}
	if ready.Skip != "" && os.Getenv("LUATOOLS_E2E_REQUIRE") == "1" {
		return 1, errors.New(ready.Skip)
	}
	if ready.Skip != "" || !canUnshare() {
		fmt.Fprintln(os.Stderr, "e2e: without a network namespace")
		return m.Run(), nil
	}
	return secondStage()
}

// build builds the program from the root of the repository.
func build(dir string) (string, error) {
	binary := filepath.Join(dir, "luatools")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", binary, ".")
	cmd.Dir = filepath.Join("..", "..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build luatools: %w\n%s", err, out)
	}
	return binary, nil
}

// loopback is the shell text that a namespace starts with.
const loopback = `ip link set lo up && exec "$0" "$@"`

// unshare is the command line that runs sh -c loopback in a network namespace.
func unshare(command ...string) *exec.Cmd {
	args := []string{"-n"}
	if os.Geteuid() != 0 {
		args = []string{"-r", "-n"}
	}
	return exec.Command("unshare", append(append(args, "sh", "-c", loopback), command...)...)
}

func canUnshare() bool { return runtime.GOOS == "linux" && unshare("true").Run() == nil }

// secondStage runs this test program again where only loopback is left, and returns its exit code.
func secondStage() (int, error) {
	stage, err := json.Marshal(ready)
	if err != nil {
		return 1, err
	}
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	cmd := unshare(append([]string{self}, os.Args[1:]...)...)
	cmd.Env = append(os.Environ(), stageEnv+"="+string(stage))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
