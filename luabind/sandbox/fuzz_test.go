package sandbox

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// FuzzPattern compares find with the original on short inputs. Where the original does not follow the reference it is not asked: see
// followsReference.
func FuzzPattern(f *testing.F) {
	for _, s := range [][2]string{{"hello world", "(%w+) (%w+)"}, {"aaa", "a-$"}, {"[[x]]", "%b[]"}, {"a1b2", "()%d()"}, {"x=1, y=2", "(%w)=(%d)"},
		{"  trim ", "^%s*(.-)%s*$"}, {"abc", "[^b-]+"}, {"aXb", "%u"}, {"]]", "[]]+"}, {"a.b", "%."}, {"abab", "(ab)%1"}} {
		f.Add(s[0], s[1])
	}
	find := compiled(f, `local s, p = ... return string.find(s, p)`)
	original := lua.NewState()
	f.Cleanup(original.Close)
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		if len(subject) > 16 || len(pattern) > 12 || !followsReference(subject, pattern) {
			return
		}
		s := testEnv.NewState()
		defer s.Close()
		s.Begin(context.Background(), Calling, Limits{Wall: time.Second}, nil)
		defer s.End()
		values, err := s.Run(find, lua.LString(subject), lua.LString(pattern))
		original.SetTop(0)
		originalErr := original.CallByParam(lua.P{Fn: original.GetField(original.GetGlobal("string"), "find"), NRet: lua.MultRet, Protect: true},
			lua.LString(subject), lua.LString(pattern))
		if err != nil || originalErr != nil {
			if fault, ok := err.(*Fault); ok && fault.Kind != Broken {
				t.Errorf("find(%q, %q): %v %s", subject, pattern, fault.Kind, fault.Message)
			}
			return // the two refuse different malformed patterns
		}
		if original.GetTop() != len(values) {
			t.Fatalf("find(%q, %q) gives %v, the original %d values", subject, pattern, values, original.GetTop())
		}
		for i, v := range values {
			if original.Get(i+1) != v {
				t.Errorf("find(%q, %q): value %d is %v, of the original %v", subject, pattern, i+1, v, original.Get(i+1))
			}
		}
	})
}

// followsReference leaves out what the original gets wrong, as lua5.1 shows: bytes beyond ASCII and zeros, %f, %z, ranges and quantifiers
// that stand where they have no meaning, $ and ^ in the middle.
func followsReference(subject, pattern string) bool {
	for _, s := range []string{subject, pattern} {
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
			return false
		}
	}
	for _, wrong := range []string{"%f", "%z", "%Z", "-]", "[-", "[^-", "(^", "$)", "%0", "[%", "[]", "[^]"} {
		if strings.Contains(pattern, wrong) {
			return false
		}
	}
	if strings.Contains(strings.TrimSuffix(pattern, "$"), "$") || strings.Contains(strings.TrimPrefix(pattern, "^"), "^") {
		return false
	}
	for i := range len(pattern) {
		if strings.IndexByte("*+?-", pattern[i]) >= 0 && (i == 0 || strings.IndexByte("(^*+?-)", pattern[i-1]) >= 0) {
			return false
		}
	}
	return pattern != ""
}

// FuzzSource loads any bytes as a file and runs them, within narrow limits.
func FuzzSource(f *testing.F) {
	for _, s := range []string{"return 1", twentySlots, show, everyValue, "local t = {} for k, v in next, t do end return t.x .. 1",
		"goto a ::a:: return ...", "return function(...) return select('#', ...) end", "local x <const> = 1", "\xef\xbb\xbf#!lua\nreturn [==[\n]]]==]",
		"return 0x1p4, 1e999, 0010, 'a\\z'", "return (('x'):rep(10)):gsub('x', '%0%0')", "while true do pcall(function() while true do end end) end"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		stuck := time.AfterFunc(20*time.Second, func() { panic(fmt.Sprintf("stuck: %q", src)) })
		defer stuck.Stop()
		chunk, err := Parse("fuzz.lua", src)
		if err == nil {
			var proto *lua.FunctionProto
			if proto, err = Compile(chunk, "fuzz.lua"); err == nil {
				s := testEnv.NewState()
				defer s.Close()
				s.Begin(context.Background(), Calling, Limits{Wall: 200 * time.Millisecond, Steps: 1e6, Bytes: 1 << 20, StringBytes: 1 << 18}, nil)
				defer s.End()
				values, err := s.Run(proto)
				if fault, ok := err.(*Fault); ok && fault.Kind == Crashed {
					t.Fatalf("%s\n%s", fault.Message, fault.Panic)
				}
				s.Record(values...)
				s.Unchanged()
				return
			}
		}
		if se, ok := err.(*SyntaxError); !ok || se.Line < 1 || se.Message == "the file cannot be compiled" {
			t.Errorf("%#v", err)
		}
	})
}
