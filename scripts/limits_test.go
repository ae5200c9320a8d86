package scripts

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/luatools/luatools/luabind/sandbox"
)

func TestEveryLimitHasANameADefaultAndAPlace(t *testing.T) {
	want := Limits{Wall: 15 * time.Minute, Steps: 2e9, Bytes: 64 << 20, String: 16 << 20, Heap: 200 << 20, Result: 4 << 20, Source: 256 << 10,
		Calls: 64, Queue: 1024, Coroutines: 2000, Depth: 100}
	if got := (Limits{}).WithDefaults(); got != want {
		t.Errorf("defaults %+v\nwant %+v", got, want)
	}
	if n := reflect.TypeFor[Limits]().NumField(); n != len(limitTable) {
		t.Errorf("%d fields, %d names", n, len(limitTable))
	}
	call := want.Call()
	if want := (sandbox.Limits{Steps: 2e9, Bytes: 64 << 20, StringBytes: 16 << 20, Heap: 200 << 20, Coroutines: 2000, Depth: 100}); call != want {
		t.Errorf("of one call %+v\nwant %+v", call, want)
	}
	for i := range limitTable {
		var l Limits
		*limitTable[i].field(&l) = 7
		if got := reflect.ValueOf(l).Field(i).Int(); got != 7 {
			t.Errorf("%s is another field", limitTable[i].name)
		}
	}
}

func TestLimitsAreSetByName(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        Limits
		fault       string
	}{
		{"wall", "2m", Limits{Wall: 2 * time.Minute}, ""},
		{"wall", "90", Limits{Wall: 90 * time.Second}, ""},
		{"steps", "2e6", Limits{Steps: 2_000_000}, ""},
		{"bytes", "128MiB", Limits{Bytes: 128 << 20}, ""},
		{"string", "1 MiB", Limits{String: 1 << 20}, ""},
		{"heap", "4GiB", Limits{Heap: 4 << 30}, ""},
		{"result", "512KiB", Limits{Result: 512 << 10}, ""},
		{"source", "1000", Limits{Source: 1000}, ""},
		{"calls", "8", Limits{Calls: 8}, ""},
		{"queue", "1", Limits{Queue: 1}, ""},
		{"coroutines", "10", Limits{Coroutines: 10}, ""},
		{"depth", "5", Limits{Depth: 5}, ""},
		{"wall", "soon", Limits{}, `want a time such as "500ms", "10s" or "1h30m", or seconds, got soon`},
		{"steps", "many", Limits{}, `want a whole number above 0, got "many"`},
		{"calls", "0", Limits{}, "want a whole number above 0, got 0"},
		{"calls", "1.5", Limits{}, "want a whole number above 0, got 1.5"},
		{"heap", "-1", Limits{}, `want a size such as "64 MiB", or bytes, got -1`},
		{"heap", "64 MB", Limits{}, `want a size such as "64 MiB", or bytes, got "64 MB"`},
		{"heap", "inf", Limits{}, `want a size such as "64 MiB", or bytes, got +Inf`},
		{"depth", "101", Limits{}, "101 is too much, it may be 100 at most: arguments are judged with no more"},
		{"source", "1MiB", Limits{}, `"1MiB" is too much, it may be 256 KiB at most: the compiler is proven with no more`},
		{"haep", "1", Limits{}, "unknown, did you mean 'heap'?"},
	} {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			var l Limits
			err := l.Set(tt.name, tt.value)
			switch {
			case tt.fault == "" && err != nil, tt.fault != "" && (err == nil || err.Error() != tt.fault):
				t.Errorf("error %v, want %s", err, tt.fault)
			case l != tt.want:
				t.Errorf("%+v, want %+v", l, tt.want)
			}
		})
	}
}

func TestLimitsAreJoinedAndTightened(t *testing.T) {
	l := Limits{Steps: 5, Heap: 1 << 40}.Or(Limits{Steps: 6, Calls: 128, Depth: 3})
	if want := (Limits{Steps: 5, Heap: 1 << 40, Calls: 128, Depth: 3}); l != want {
		t.Errorf("%+v", l)
	}
	if names := l.Tighten(); !slices.Equal(names, []string{"heap", "calls"}) || l != (Limits{Steps: 5, Depth: 3}) {
		t.Errorf("%v, %+v", names, l)
	}
}
