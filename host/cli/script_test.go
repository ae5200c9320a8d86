package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/luatools/luatools/host/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"luatools": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// bare is the environment of a machine without a Claude CLI, whatever this one has.
func bare(env *testscript.Env) error {
	own := filepath.SplitList(env.Getenv("PATH"))[0] // where testscript put luatools
	env.Setenv("PATH", strings.Join([]string{own, "/usr/bin", "/bin"}, string(os.PathListSeparator)))
	home := filepath.Join(env.WorkDir, ".home")
	env.Setenv("HOME", home)
	return os.Mkdir(home, 0o700)
}

// TestCommands runs the stories of testdata at a prompt.
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Setup: bare, RequireExplicitExec: true})
}

// TestExamples runs the story of each folder of examples in a copy of it.
func TestExamples(t *testing.T) {
	stories, err := filepath.Glob("../../examples/*/story.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories in examples (%v)", err)
	}
	for _, story := range stories {
		dir := filepath.Dir(story)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Files:               []string{story},
				RequireExplicitExec: true,
				Setup: func(env *testscript.Env) error {
					if err := bare(env); err != nil {
						return err
					}
					return copyTree(filepath.Join(dir, "tools"), filepath.Join(env.WorkDir, "tools"))
				},
			})
		})
	}
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}
