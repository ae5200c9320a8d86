package luabind

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Fault is one thing that is wrong with a tool as declared.
type Fault struct {
	Line    int    // of the tool call
	Message string // begins with the tool's name
}

// FaultsError is all that is wrong with the tools that a file returned.
type FaultsError struct {
	Faults []Fault
	Tools  int // how many the file returned
}

func (e *FaultsError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.Message
	}
	return strings.Join(texts, "; ")
}

// declarationFaults returns a *FaultsError when a tool among the values has faults.
func declarationFaults(values []lua.LValue) error {
	e := &FaultsError{}
	add := func(v lua.LValue) {
		if ud, ok := v.(*lua.LUserData); ok {
			if t, ok := ud.Value.(*toolValue); ok {
				e.Faults = append(e.Faults, t.faults...)
				e.Tools++
			}
		}
	}
	if list, ok := first(values).(*lua.LTable); ok && len(values) == 1 {
		for i := 1; i <= list.Len(); i++ {
			add(list.RawGetInt(i))
		}
	} else {
		for _, v := range values {
			add(v)
		}
	}
	if len(e.Faults) == 0 {
		return nil
	}
	return e
}

// each returns the errors that were joined, or the error alone.
func each(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, each(err)...)
	}
	return all
}

// within puts what the errors are about in front of each.
func within(what string, err error) error {
	var all []error
	for _, err := range each(err) {
		all = append(all, fmt.Errorf("%s: %w", what, err))
	}
	return errors.Join(all...)
}
