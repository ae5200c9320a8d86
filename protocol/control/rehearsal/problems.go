package rehearsal

import (
	"fmt"
	"slices"
)

// Problems lists what the host did wrong so far, in order: answers that were missing, given twice, flat or with
// the wrong JSON-RPC id, lines that a CLI cannot read, tools that a CLI would drop. After Wait the list is complete.
func (a *Agent) Problems() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.problems)
}

func (a *Agent) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.problems = append(a.problems, text)
}
