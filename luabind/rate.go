package luabind

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is how often a tool may be called: Count times in Per, Burst of them at once.
type Rate struct {
	Count, Burst int
	Per          time.Duration
}

// ParseRate reads "60/m", "5/s burst 10", "1000/h" or "20000/d". Without burst, all of Count may come at once.
func ParseRate(text string) (Rate, error) {
	bad := fmt.Errorf(`want a rate such as "60/m" or "5/s burst 10", got %s`, quote(text))
	words := strings.Fields(text)
	if len(words) != 1 && (len(words) != 3 || words[1] != "burst") {
		return Rate{}, bad
	}
	count, per, ok := strings.Cut(words[0], "/")
	r := Rate{Per: map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[per]}
	if !ok || r.Per == 0 || !positive(count, &r.Count) {
		return Rate{}, bad
	}
	r.Burst = r.Count
	if len(words) == 3 && !positive(words[2], &r.Burst) {
		return Rate{}, bad
	}
	return r, nil
}

// positive reads a whole number from 1 to a million.
func positive(text string, n *int) bool {
	v, err := strconv.Atoi(text)
	*n = v
	return err == nil && v >= 1 && v <= 1_000_000 && text[0] != '+'
}
