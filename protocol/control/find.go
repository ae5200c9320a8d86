package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// The ways in which a CLI cannot be started, for errors.Is.
var (
	ErrNotFound = errors.New("the claude CLI was not found")
	ErrDir      = errors.New("the working directory cannot be used")
	ErrSpawn    = errors.New("the claude CLI cannot be started")
)

// usualPlaces are where installers put the CLI, below the home directory.
var usualPlaces = []string{
	".local/bin/claude",
	".claude/local/claude",
	".npm-global/bin/claude",
	".yarn/bin/claude",
	".bun/bin/claude",
	"node_modules/.bin/claude",
}

// Find looks for the CLI and returns its absolute path: the explicit name or path, else the environment's
// LUATOOLS_CLAUDE, else claude on PATH, else the usual places in the home directory. A name that was given and is not
// there is [ErrNotFound]; nothing else is tried then.
func Find(explicit string) (string, error) {
	for _, given := range []struct{ path, by string }{
		{explicit, "named"}, {os.Getenv("LUATOOLS_CLAUDE"), "named by LUATOOLS_CLAUDE"},
	} {
		if given.path != "" {
			path, err := lookPath(given.path)
			if err != nil {
				return "", fmt.Errorf("%w: %s, %s, %s; give the path of the program", ErrNotFound, given.path, given.by, why(err))
			}
			return path, nil
		}
	}
	if path, err := lookPath("claude"); err == nil {
		return path, nil
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, place := range usualPlaces {
			if path, err := lookPath(filepath.Join(home, filepath.FromSlash(place))); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%w on PATH or in the usual places of the home directory; install it (npm install -g @anthropic-ai/claude-code) or name it with --claude PATH", ErrNotFound)
}

// lookPath is exec.LookPath with an absolute result: the CLI may be started in another directory.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", err
	}
	return filepath.Abs(path)
}

// why says in a few words why a program was not found.
func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "may not be executed"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "does not exist"
	}
	return err.Error()
}

// probeTime is how long a CLI may take to print its version or its help.
const probeTime = 5 * time.Second

// Probe asks the CLI at path for its version and its flags, within 5 s. A CLI that says nothing usable is no error: its
// Number is empty and it counts as a current one. A program that cannot be started is [ErrNotFound] or [ErrSpawn].
func Probe(ctx context.Context, path string) (Version, error) { return probe(ctx, path, probeTime) }

func probe(ctx context.Context, path string, limit time.Duration) (Version, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var help string
	var wg sync.WaitGroup
	wg.Go(func() { help, _ = ask(ctx, path, "--help") }) // of the two -v reports what is wrong
	said, err := ask(ctx, path, "-v")
	wg.Wait()
	if err != nil {
		return Version{}, err
	}
	number := versionIn(said)
	return Version{number, featuresOf(number, help)}, nil
}

// ask returns what the CLI prints when it is called with one flag. How it ends does not matter.
func ask(ctx context.Context, path, flag string) (string, error) {
	cmd := exec.CommandContext(ctx, path, flag)
	cmd.Env = (&Command{}).environ(os.Environ())
	setGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = time.Second // for what it left behind and holds the pipe
	var out limited
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return "", startError(path, err)
	}
	_ = cmd.Wait()
	return out.String(), nil
}

// limited is a buffer that keeps the first MiB and takes the rest without a word.
type limited struct{ bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if room := 1<<20 - l.Len(); room > 0 {
		l.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// startError tells the ways apart in which a program does not start.
func startError(path string, err error) error {
	if _, stat := os.Stat(path); errors.Is(err, exec.ErrNotFound) || errors.Is(stat, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s does not exist", ErrNotFound, path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s: the interpreter in its first line does not exist", ErrSpawn, path)
	}
	return fmt.Errorf("%w: %w", ErrSpawn, err)
}
