package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	fields := []string{"name", "title", "description", "input", "output", "run", "get", "put"}
	for _, tt := range []struct{ name, want, near string }{
		{"a missing letter is found", "descripton", "description"},
		{"two swapped letters count as one", "nmae", "name"},
		{"case does not count", "Title", "title"},
		{"one wrong letter of three is near", "ger", "get"},
		{"another word is not near", "weather", ""},
		{"a single letter suggests nothing", "x", ""},
		{"the empty name suggests nothing", "", ""},
		{"a very long name suggests nothing", strings.Repeat("description", 10), ""},
		{"of equally near ones the first wins", "gut", "get"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Name(tt.want, fields); got != tt.near {
				t.Errorf("Name(%q) = %q, want %q", tt.want, got, tt.near)
			}
		})
	}
}

func TestNamesAreSortedByDistance(t *testing.T) {
	got := Names("curent", []string{"currents", "recent", "current", "other"}, 2)
	if want := []string{"current", "currents"}; !slices.Equal(got, want) {
		t.Errorf("Names = %q, want %q", got, want)
	}
}

func TestHint(t *testing.T) {
	if got := Hint("rnu", []string{"run"}); got != " (did you mean 'run'?)" {
		t.Errorf("Hint = %q", got)
	}
	if got := Hint("weather", []string{"run"}); got != "" {
		t.Errorf("Hint = %q, want nothing", got)
	}
}
