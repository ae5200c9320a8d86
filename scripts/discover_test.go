package scripts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// one is a tool file in the shortest form.
const one = `return tool{ description = "Does one thing, and does it well.", run = function() return "ok" end }
`

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options Options
		archive string
		tools   []string
		faults  []string
	}{
		{"files of the top folder belong to the server named after it", Options{},
			"-- greet.lua --\n" + one, []string{"tools/greet"}, nil},
		{"an option renames the server of the top folder and no other", Options{Server: "mine"},
			"-- greet.lua --\n" + one + "-- db/query.lua --\n" + one, []string{"db/query", "mine/greet"}, nil},
		{"the folder is the server, deeper folders join the name", Options{},
			"-- ops/k8s/logs.lua --\n" + one, []string{"ops/k8s_logs"}, nil},
		{"a name in the file replaces the file's own part only", Options{},
			"-- ops/k8s/logs.lua --\nreturn tool{ name = 'tail', description = 'Shows the last lines of a log.', run = function() end }\n", []string{"ops/k8s_tail"}, nil},
		{"hyphens are legal", Options{}, "-- math-tools/add-up.lua --\n" + one, []string{"math-tools/add-up"}, nil},
		{"lib, tests, hidden and reserved files are no tools", Options{},
			"-- lib/x.lua --\nreturn {}\n-- lib/A__b/y.lua --\nreturn {}\n-- greet_test.lua --\nx\n-- _draft.lua --\nx\n-- .hidden.lua --\nx\n-- hooks.lua --\nx\n-- .git/x.lua --\nx\n-- _old/x.lua --\nx\n-- notes.txt --\nx\n",
			nil, nil},
		{"a folder below the top that does not fit is a fault, once", Options{},
			"-- My Tools/a.lua --\n" + one + "-- My Tools/b.lua --\n" + one + "-- Pictures/x.png --\nx\n-- ok.lua --\n" + one, []string{"tools/ok"},
			[]string{`tools/My Tools: "My Tools" cannot name a folder of tools: names are lower-case letters, digits, _ and -, begin with a letter and hold no __`}},
		{"a server's name does not run into the separator", Options{}, "-- db_/q.lua --\n" + one, nil,
			[]string{`tools/db_: "db_" cannot name a folder of tools: names are lower-case letters, digits, _ and -, begin with a letter and hold no __; those of servers do not end in _`}},
		{"a file whose name does not fit is a fault that shows a name", Options{}, "-- MyTool.lua --\n" + one, nil,
			[]string{`tools/MyTool.lua:1:8: "MyTool" cannot name a tool: names are lower-case letters, digits, _ and -, begin with a letter and hold no __ ("mytool" would do)`}},
		{"a double underscore is a fault", Options{}, "-- a__b.lua --\n" + one, nil,
			[]string{`tools/a__b.lua:1:8: "a__b" cannot name a tool: names are lower-case letters, digits, _ and -, begin with a letter and hold no __ ("a_b" would do)`}},
		{"the name on the wire has 64 characters at most", Options{},
			"-- s/" + strings.Repeat("a", 56) + ".lua --\n" + one + "-- s/" + strings.Repeat("b", 57) + ".lua --\n" + one,
			[]string{"s/" + strings.Repeat("a", 56)},
			[]string{"tools/s/" + strings.Repeat("b", 57) + ".lua:1:8: mcp__s__" + strings.Repeat("b", 57) + " is 65 characters long, models take 64: shorten the name of the tool or of its folder"}},
		{"two tools of one name are a fault that names both places", Options{},
			"-- db/a.lua --\n" + one + "-- db/b.lua --\n\nreturn tool{ name = 'a', description = 'Does one thing, and does it well.', run = function() end }\n",
			[]string{"db/a"}, []string{`tools/db/b.lua:2:8: tool "a" of server "db" is already at tools/db/a.lua:1`}},
		{"two names that a plain client cannot tell apart are a fault", Options{},
			"-- db/query.lua --\n" + one + "-- db_query.lua --\n" + one,
			[]string{"db/query"}, []string{`tools/db_query.lua:1:8: plain MCP clients would see this tool as "db_query", and so the one at tools/db/query.lua:1: rename one`}},
		{"a folder named like the top folder's server is a fault", Options{},
			"-- a.lua --\n" + one + "-- tools/b.lua --\n" + one,
			[]string{"tools/a"}, []string{"tools/tools/b.lua: the folder tools is named like the server of the top folder: rename it, or name the top folder's server with --server"}},
		{"an empty folder is a snapshot without servers", Options{}, "", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := openArchive(t, tt.archive, tt.options)
			equal(t, "tools", names(l.Snapshot()), tt.tools)
			equal(t, "faults", faults(l.Snapshot()), tt.faults)
		})
	}
}

func TestIgnoredFilesSayWhy(t *testing.T) {
	l, dir := openArchive(t, "-- a_test.lua --\n-- _b.lua --\n-- hooks.lua --\n-- real.lua --\n"+one, Options{})
	outside := filepath.Join(t.TempDir(), "outside.lua")
	if err := os.WriteFile(outside, []byte(one), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out.lua": outside, "up.lua": "../../outside.lua", "gone.lua": "nowhere.lua", "loop.lua": "loop.lua", "same.lua": "real.lua"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	s := reload(t, l)
	got := []string{}
	for _, i := range s.Ignored {
		got = append(got, i.File+": "+i.Reason)
	}
	equal(t, "ignored", got, []string{
		"tools/_b.lua: a file whose name begins with _ holds no tools",
		"tools/a_test.lua: tests",
		"tools/folder: a link out of the tools folder is not followed",
		"tools/gone.lua: a link to nothing",
		"tools/hooks.lua: the name hooks.lua is reserved",
		"tools/loop.lua: a link to itself",
		"tools/out.lua: a link out of the tools folder is not followed",
		"tools/up.lua: a link out of the tools folder is not followed",
	})
	equal(t, "tools", names(s), []string{"tools/real", "tools/same"})
}

func TestLinkToTheToolsFolderWorks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "-- real/greet.lua --\n"+one)
	link := filepath.Join(dir, "My Tools")
	if err := os.Symlink("real", link); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	l, err := Open(link, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tool := find(t, l.Snapshot(), "tools/greet") // "My Tools" cannot name a server
	if want := "My Tools/greet.lua"; tool.File != want {
		t.Errorf("File = %q, want %q", tool.File, want)
	}
}

func TestOpenFaults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, dir string
		options   Options
		want      string
	}{
		{"a missing folder says what to do", filepath.Join(dir, "none"), Options{}, "make it, or name another with --tools"},
		{"a file is no folder", file, Options{}, "--tools wants the folder that holds it"},
		{"no name at all", "", Options{}, "name one with --tools"},
		{"a server name that does not fit", dir, Options{Server: "My Server"}, `"My Server" cannot name a server`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.dir, tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open = %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Open(filepath.Join(dir, "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open = %v, want fs.ErrNotExist", err)
	}
}

func TestPlainNames(t *testing.T) {
	s := openGood(t, "-- a.lua --\n"+one+"-- db/q.lua --\n"+one).Snapshot()
	if got := find(t, s, "tools/a").Plain; got != "a" {
		t.Errorf("top folder: %q, want a", got)
	}
	if got := find(t, s, "db/q").Plain; got != "db_q" {
		t.Errorf("other folder: %q, want db_q", got)
	}
}
