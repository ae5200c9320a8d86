package luabind

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Permissions is what a tool's code declares that it touches. Each right is one string: "api.x.com" or "GET,HEAD api.x.com" for net,
// "git" or "git status" for run (one for each first argument that is allowed), "orders:read" for db.
type Permissions struct {
	Net, Read, Write, Env, Run, DB, Secrets, Tools []string
	Raw                                            json.RawMessage // the same lists as an object, for display; nil when there are none
}

// permissionNames are the keys of permissions.
var permissionNames = []string{"net", "read", "write", "env", "run", "db", "secrets", "tools"}

func permissions(v lua.LValue) (p Permissions, err error) {
	t, ok := v.(*lua.LTable)
	if !ok {
		return p, fmt.Errorf(`want a table such as { net = { "api.example.com" } }, got %s`, describe(v))
	}
	if complaint := unknownKey(t, "right", permissionNames); complaint != "" {
		return p, fmt.Errorf("%s", complaint)
	}
	var shown writer
	for _, right := range []struct {
		name  string
		list  *[]string
		check func(string) string
		entry func(*lua.LTable) (words []string, complaint string) // of an entry that is a table; nil: there is none
	}{
		{"net", &p.Net, checkHost, netEntry}, {"read", &p.Read, checkPath, nil}, {"write", &p.Write, checkPath, nil},
		{"env", &p.Env, checkVariable, nil}, {"run", &p.Run, checkProgram, runEntry}, {"db", &p.DB, checkDB, nil},
		{"secrets", &p.Secrets, checkVariable, nil}, {"tools", &p.Tools, checkTool, nil},
	} {
		if *right.list, err = rights(t.RawGetString(right.name), right.check, right.entry); err != nil {
			return p, fmt.Errorf("%s: %w", right.name, err)
		}
		if len(*right.list) > 0 {
			var words [][]byte
			for _, word := range *right.list {
				words = append(words, appendString(nil, word))
			}
			shown.raw(right.name, join(words))
		}
	}
	if shown.shown != nil {
		p.Raw = shown.end().shown
	}
	return p, nil
}

// rights reads one right: a string, or a list of strings and, where there are any, of special entries.
func rights(v lua.LValue, check func(string) string, entry func(*lua.LTable) ([]string, string)) ([]string, error) {
	switch v := v.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LString:
		if complaint := check(string(v)); complaint != "" {
			return nil, fmt.Errorf("%s: %s", quote(string(v)), complaint)
		}
		return []string{string(v)}, nil
	case *lua.LTable:
		if k, _ := v.Next(lua.LNil); v.Len() == 0 && k != lua.LNil {
			return nil, fmt.Errorf("want a list of strings, got a table with the key %s", keyText(k))
		}
		var list []string
		for i := 1; i <= v.Len(); i++ {
			switch x := v.RawGetInt(i).(type) {
			case lua.LString:
				if complaint := check(string(x)); complaint != "" {
					return nil, fmt.Errorf("%s: %s", quote(string(x)), complaint)
				}
				list = append(list, string(x))
				continue
			case *lua.LTable:
				if entry != nil {
					words, complaint := entry(x)
					if complaint != "" {
						return nil, fmt.Errorf("entry %d: %s", i, complaint)
					}
					list = append(list, words...)
					continue
				}
			}
			return nil, fmt.Errorf("entry %d: want a string, got %s", i, describe(v.RawGetInt(i)))
		}
		return list, nil
	}
	return nil, fmt.Errorf("want a list of strings, got %s", describe(v))
}

// methods are what may stand before the host in { "GET", "api.x.com" }.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// netEntry reads { "GET", "POST", "api.x.com" }.
func netEntry(t *lua.LTable) ([]string, string) {
	var words []string
	for i := 1; i <= t.Len(); i++ {
		s, ok := t.RawGetInt(i).(lua.LString)
		if !ok {
			return nil, "want methods and a host as strings, got " + describe(t.RawGetInt(i))
		}
		words = append(words, string(s))
	}
	if len(words) < 2 || t.MaxN() != len(words) {
		return nil, `want methods and a host, as in { "GET", "api.example.com" }`
	}
	host := words[len(words)-1]
	for _, m := range words[:len(words)-1] {
		if !slices.Contains(methods, m) {
			return nil, "unknown method " + quote(m) + hint(m, methods) + ": the host stands last"
		}
	}
	if complaint := checkHost(host); complaint != "" {
		return nil, quote(host) + ": " + complaint
	}
	return []string{strings.Join(words[:len(words)-1], ",") + " " + host}, ""
}

// runEntry reads { "git", args = { "status", "log" } }.
func runEntry(t *lua.LTable) ([]string, string) {
	program, ok := t.RawGetInt(1).(lua.LString)
	if !ok || t.Len() != 1 {
		return nil, `want a program and its first arguments, as in { "git", args = { "status", "log" } }`
	}
	if complaint := checkProgram(string(program)); complaint != "" {
		return nil, quote(string(program)) + ": " + complaint
	}
	for k, _ := t.Next(lua.LNumber(1)); k != lua.LNil; k, _ = t.Next(k) {
		if k != lua.LValue(lua.LString("args")) {
			return nil, "unknown field " + keyText(k) + hint(k.String(), []string{"args"})
		}
	}
	args, ok := t.RawGetString("args").(*lua.LTable)
	if !ok {
		return []string{string(program)}, ""
	}
	var list []string
	for i := 1; i <= args.Len(); i++ {
		arg, ok := args.RawGetInt(i).(lua.LString)
		if !ok || arg == "" {
			return nil, "args: want strings, got " + describe(args.RawGetInt(i))
		}
		list = append(list, string(program)+" "+string(arg))
	}
	if len(list) == 0 {
		return nil, "args: want a list of first arguments"
	}
	return list, ""
}

func checkHost(s string) string {
	host := s
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if scheme != "https" && scheme != "http" {
			return "want http or https"
		}
		host, _, _ = strings.Cut(rest, "/")
	} else if strings.Contains(s, "/") {
		return "a path needs its scheme, as in https://api.example.com/v1/"
	}
	name := strings.TrimPrefix(host, "*.")
	if i := strings.LastIndexByte(name, ':'); i >= 0 && !strings.HasSuffix(name, "]") {
		if port := name[i+1:]; port == "" || strings.Trim(port, "0123456789") != "" || len(port) > 5 {
			return "the port is no number"
		}
		name = name[:i]
	}
	if name == "" || name != "*" && strings.ContainsAny(name, " *?@#%\\\"'<>{}|") {
		return `want a host such as "api.example.com", "*.example.com" or "https://example.com/path/"`
	}
	return ""
}

func checkPath(s string) string {
	switch {
	case s == "":
		return `want a path such as "." or "data/**"`
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~"), len(s) > 1 && s[1] == ':', strings.Contains(s, "\\"):
		return "want a path relative to the root, with slashes"
	case path.Clean(s) == "..", strings.HasPrefix(path.Clean(s), "../"):
		return "the path leads out of the root"
	}
	return ""
}

func checkVariable(s string) string {
	name := strings.TrimSuffix(s, "*")
	for i, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '.' || c == '-')) {
			name = ""
			break
		}
	}
	if name == "" {
		return `want a name such as "HOME" or "AWS_*"`
	}
	return ""
}

func checkProgram(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"'|&;<>$`*?") {
		return `want the name of one program; for some of its arguments only, write { "git", args = { "status" } }`
	}
	return ""
}

func checkDB(s string) string {
	name, right, ok := strings.Cut(s, ":")
	if !ok || name == "" || right != "read" && right != "write" {
		return `want a connection and a right, as in "orders:read" or "orders:write"`
	}
	return ""
}

func checkTool(s string) string {
	server, tool, ok := strings.Cut(s, "/")
	if !ok {
		server, tool = "x", s
	}
	if !isToolName(server) || tool != "*" && !isToolName(tool) {
		return `want a tool such as "db/query", or "db/*"`
	}
	return ""
}
