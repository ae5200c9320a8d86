// Package nearest finds the name that somebody probably meant, for the suggestions in error messages.
package nearest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is the length in bytes above which a name gets no suggestions: the distance costs the product of both lengths,
// and the name may come from a model.
const longest = 64

// Name returns the one of have that is nearest to want, or "" when none is near enough to be worth a suggestion.
// Upper and lower case count as equal; of equally near ones the first in have wins.
func Name(want string, have []string) string {
	if names := Names(want, have, 1); len(names) > 0 {
		return names[0]
	}
	return ""
}

// Names returns up to n of have that are near to want, the nearest first and equally near ones in the order of have.
func Names(want string, have []string, n int) []string {
	if want == "" || len(want) > longest {
		return nil
	}
	type near struct {
		name     string
		distance int
	}
	var found []near
	lower := strings.ToLower(want)
	// A third of the letters may be wrong: "ger" for "get", "descripton" for "description", but not "x" for "y".
	limit := max(1, utf8.RuneCountInString(want)/3)
	for _, name := range have {
		if name == want || len(name) > longest {
			continue
		}
		d := distance(lower, strings.ToLower(name), limit)
		if d <= limit && d < utf8.RuneCountInString(name) && d < utf8.RuneCountInString(want) {
			found = append(found, near{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.distance - b.distance })
	names := make([]string, 0, min(n, len(found)))
	for _, f := range found {
		if len(names) == n {
			break
		}
		names = append(names, f.name)
	}
	return names
}

// Hint returns " (did you mean 'name'?)" for the nearest of have, or "" when none is near.
func Hint(want string, have []string) string {
	if name := Name(want, have); name != "" {
		return " (did you mean '" + name + "'?)"
	}
	return ""
}

// distance counts the letters to insert, delete, change or swap with their neighbour to make b of a. Above limit it returns limit+1.
func distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) > limit || len(t)-len(s) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
