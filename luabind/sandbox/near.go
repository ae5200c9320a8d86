package sandbox

// nearest returns the one of names that a slip of the keyboard may have meant, or "".
func nearest(name string, names []string) string {
	if len(name) > 40 {
		return ""
	}
	best, bound := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := distance(name, n, bound); d < bound {
			best, bound = n, d
		}
	}
	return best
}

// distance counts the letters to insert, drop, change or swap with their neighbour to make b of a; limit or more says "too many".
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var rows [3][64]int
	if len(b) >= len(rows[0]) {
		return limit
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, before := &rows[i%3], &rows[(i-1)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, above[j]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
