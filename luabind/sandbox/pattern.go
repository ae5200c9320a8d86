package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const (
	maxCaptures   = 32
	maxMatchDepth = 200 // of captures and quantifiers inside one another
	unfinished    = -1  // length of a capture that was not closed yet
	positional    = -2  // length of a capture () of a position
	stepsAtOnce   = 512 // of the matcher, between two looks at the call
)

// matcher matches Lua 5.1 patterns. The original recurses on the Go stack for every character, knows no deadline and copies the string for
// every match. A zero byte in a pattern stands for itself, as in Lua 5.2.
type matcher struct {
	L        *lua.LState
	src, pat string
	level    int
	captures [maxCaptures]capture
	depth    int
	steps    int
}

type capture struct{ start, length int }

// takeMatcher takes the spare matcher of the state, which is in use while gsub calls a function.
func takeMatcher(L *lua.LState, src, pat string) *matcher {
	s := CallOf(L).state
	m := s.matcher
	if m == nil {
		m = &matcher{}
	}
	s.matcher = nil
	m.L, m.src, m.pat = L, src, pat
	m.level, m.depth, m.steps = 0, 0, 0
	return m
}

func (m *matcher) giveBack() {
	s := CallOf(m.L).state
	m.L, m.src, m.pat = nil, "", ""
	s.matcher = m
}

// work counts n steps.
func (m *matcher) work(n int) {
	if m.steps += n; m.steps >= stepsAtOnce {
		CallOf(m.L).spend(m.L, m.steps>>2)
		m.steps = 0
	}
}

func (m *matcher) fail(message string) { m.L.RaiseError("%s", message) }

// match matches the pattern from p on against the source from s on, and returns where the match ends, or -1.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxMatchDepth {
		m.fail("pattern too complex")
	}
	end := m.run(s, p)
	m.depth--
	return end
}

func (m *matcher) run(s, p int) int {
	for p < len(m.pat) {
		m.work(1)
		switch m.pat[p] {
		case '(':
			if p+1 < len(m.pat) && m.pat[p+1] == ')' {
				return m.open(s, p+2, positional)
			}
			return m.open(s, p+1, unfinished)
		case ')':
			return m.close(s, p+1)
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			next, at, special := m.escape(s, p)
			if special {
				if at < 0 {
					return -1
				}
				s, p = at, next
				continue
			}
		}
		end := m.classEnd(p)
		quantifier := byte(0)
		if end < len(m.pat) {
			quantifier = m.pat[end]
		}
		switch quantifier {
		case '?':
			if s < len(m.src) && m.single(m.src[s], p, end) {
				if e := m.match(s+1, end+1); e >= 0 {
					return e
				}
			}
			p = end + 1
		case '*':
			return m.most(s, p, end)
		case '+':
			if s < len(m.src) && m.single(m.src[s], p, end) {
				return m.most(s+1, p, end)
			}
			return -1
		case '-':
			return m.least(s, p, end)
		default:
			if s >= len(m.src) || !m.single(m.src[s], p, end) {
				return -1
			}
			s, p = s+1, end
		}
	}
	return s
}

// escape handles %b, %f and %1 to %9; special is false for a class.
func (m *matcher) escape(s, p int) (next, at int, special bool) {
	if p+1 >= len(m.pat) {
		return 0, 0, false
	}
	switch c := m.pat[p+1]; {
	case c == 'b':
		return p + 4, m.balance(s, p+2), true
	case c == 'f':
		p += 2
		if p >= len(m.pat) || m.pat[p] != '[' {
			m.fail("missing '[' after '%f' in pattern")
		}
		end := m.classEnd(p)
		var before, after byte
		if s > 0 {
			before = m.src[s-1]
		}
		if s < len(m.src) {
			after = m.src[s]
		}
		if m.set(before, p, end-1) || !m.set(after, p, end-1) {
			return end, -1, true
		}
		return end, s, true
	case c >= '0' && c <= '9':
		return p + 2, m.back(s, c), true
	}
	return 0, 0, false
}

func (m *matcher) most(s, p, end int) int {
	n := 0
	for s+n < len(m.src) && m.single(m.src[s+n], p, end) {
		n++
		m.work(1)
	}
	for ; n >= 0; n-- {
		if e := m.match(s+n, end+1); e >= 0 {
			return e
		}
	}
	return -1
}

func (m *matcher) least(s, p, end int) int {
	for {
		if e := m.match(s, end+1); e >= 0 {
			return e
		}
		if s >= len(m.src) || !m.single(m.src[s], p, end) {
			return -1
		}
		s++
	}
}

func (m *matcher) open(s, p, length int) int {
	if m.level >= maxCaptures {
		m.fail("too many captures")
	}
	m.captures[m.level] = capture{s, length}
	m.level++
	e := m.match(s, p)
	if e < 0 {
		m.level--
	}
	return e
}

func (m *matcher) close(s, p int) int {
	i := m.level - 1
	for i >= 0 && m.captures[i].length != unfinished {
		i--
	}
	if i < 0 {
		m.fail("invalid pattern capture")
	}
	m.captures[i].length = s - m.captures[i].start
	e := m.match(s, p)
	if e < 0 {
		m.captures[i].length = unfinished
	}
	return e
}

func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pat) {
		m.fail("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	open, shut, depth := m.pat[p], m.pat[p+1], 1
	for s++; s < len(m.src); s++ {
		m.work(1)
		switch m.src[s] {
		case shut:
			if depth--; depth == 0 {
				return s + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

func (m *matcher) back(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.level || m.captures[i].length == unfinished {
		m.fail("invalid capture index")
	}
	length := max(0, m.captures[i].length)
	text := m.src[m.captures[i].start : m.captures[i].start+length]
	if length > len(m.src)-s {
		return -1
	}
	m.work(length >> 6)
	if strings.HasPrefix(m.src[s:], text) {
		return s + length
	}
	return -1
}

// classEnd returns where the single-character class at p ends.
func (m *matcher) classEnd(p int) int {
	c := m.pat[p]
	p++
	switch c {
	case '%':
		if p >= len(m.pat) {
			m.fail("malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		from := p
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
			if p >= len(m.pat) {
				m.fail("malformed pattern (missing ']')")
			}
			c := m.pat[p]
			p++
			if c == '%' && p < len(m.pat) {
				p++
			}
		}
		m.work((p - from) >> 3)
		return p + 1
	}
	return p
}

func (m *matcher) single(c byte, p, end int) bool {
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.set(c, p, end-1)
	}
	return m.pat[p] == c
}

// set reports whether c is in the set whose [ is at p and whose ] is at last.
func (m *matcher) set(c byte, p, last int) bool {
	in := true
	if m.pat[p+1] == '^' {
		in = false
		p++
	}
	m.work((last - p) >> 3)
	for p++; p < last; p++ {
		switch {
		case m.pat[p] == '%':
			p++
			if inClass(c, m.pat[p]) {
				return in
			}
		case p+2 < last && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return in
			}
			p += 2
		case m.pat[p] == c:
			return in
		}
	}
	return !in
}

// inClass knows the classes of the C locale; an upper-case letter is the opposite of its lower-case one.
func inClass(c, class byte) bool {
	var in bool
	switch class | 0x20 {
	case 'a':
		in = isAlpha(c)
	case 'c':
		in = c < 0x20 || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = c > 0x20 && c < 0x7f && !isAlpha(c) && !isDigit(c)
	case 's':
		in = c == ' ' || c >= '\t' && c <= '\r'
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = isAlpha(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if class >= 'A' && class <= 'Z' {
		return !in
	}
	if class >= 'a' && class <= 'z' {
		return in
	}
	return class == c // a control character or sign whose lower-case twin is a class
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// value returns capture i of a match from s to e; i is 0 for the whole match when there are no captures.
func (m *matcher) value(i, s, e int) lua.LValue {
	if i >= m.level {
		if i != 0 {
			m.fail("invalid capture index")
		}
		return lua.LString(m.src[s:e])
	}
	switch c := m.captures[i]; c.length {
	case unfinished:
		m.fail("unfinished capture")
	case positional:
		return lua.LNumber(c.start + 1)
	default:
		return lua.LString(m.src[c.start : c.start+c.length])
	}
	return lua.LNil
}

// push pushes all captures, or the whole match when there are none and whole is set.
func (m *matcher) push(s, e int, whole bool) int {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		m.L.Push(m.value(i, s, e))
	}
	return n
}

func strFind(L *lua.LState) int  { return findOrMatch(L, true) }
func strMatch(L *lua.LState) int { return findOrMatch(L, false) }

func findOrMatch(L *lua.LState, find bool) int {
	src, pat := checkString(L, 1), checkString(L, 2)
	init := min(max(fromStart(optInt(L, 3, 1), len(src))-1, 0), len(src))
	if find && (lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(pat, "^$*+?.([%-")) {
		CallOf(L).spend(L, (len(src)-init)>>6)
		at := strings.Index(src[init:], pat)
		if at < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(init + at + 1))
		L.Push(lua.LNumber(init + at + len(pat)))
		return 2
	}
	m := takeMatcher(L, src, pat)
	defer m.giveBack()
	p := 0
	if strings.HasPrefix(pat, "^") {
		p = 1
	}
	for s := init; ; s++ {
		m.level = 0
		if e := m.match(s, p); e >= 0 {
			if !find {
				return m.push(s, e, true)
			}
			L.Push(lua.LNumber(s + 1))
			L.Push(lua.LNumber(e))
			return m.push(s, e, false) + 2
		}
		if p == 1 || s >= len(src) {
			L.Push(lua.LNil)
			return 1
		}
	}
}

// strGmatch matches as it goes; the original finds all matches first.
func strGmatch(L *lua.LState) int {
	m := &matcher{src: checkString(L, 1), pat: checkString(L, 2)}
	from := 0
	L.Push(&lua.LFunction{IsG: true, Env: L.Env, GFunction: func(L *lua.LState) int {
		m.L, m.depth = L, 0
		defer func() { m.L = nil }()
		for s := from; s <= len(m.src); s++ {
			m.level = 0
			if e := m.match(s, 0); e >= 0 {
				from = e
				if e == s {
					from++
				}
				return m.push(s, e, true)
			}
		}
		from = len(m.src) + 1
		L.Push(lua.LNil)
		return 1
	}})
	return 1
}

// strGsub builds its result once. The original copies the whole string for every match, and finds all of them before the first is replaced.
func strGsub(L *lua.LState) int {
	src, pat, repl := checkString(L, 1), checkString(L, 2), L.Get(3)
	limit := len(src) + 1
	if L.Get(4) != lua.LNil {
		limit = checkInt(L, 4)
	}
	switch repl := repl.(type) {
	case lua.LString, lua.LNumber, *lua.LFunction:
	default:
		if t, _ := tableOf(repl); t == nil {
			typeError(L, 3, "string/function/table")
		}
	}
	m := takeMatcher(L, src, pat)
	defer m.giveBack()
	p := 0
	if strings.HasPrefix(pat, "^") {
		p = 1
	}
	g := gsub{m: m, c: CallOf(L), repl: repl}
	s, n, kept := 0, 0, 0 // kept: where the part of src begins that is not written yet
	for n < limit {
		m.level = 0
		e := m.match(s, p)
		if e >= 0 {
			n++
			g.write(src[kept:s])
			if !g.replace(s, e) {
				g.write(src[s:e])
			}
			kept = e
		}
		switch {
		case e > s:
			s = e
		case s < len(src):
			s++
		default:
			limit = 0
		}
		if p == 1 {
			break
		}
	}
	if n == 0 {
		L.Push(lua.LString(src))
	} else {
		g.write(src[kept:])
		g.c.Charge(L, g.b.Len()-g.charged)
		L.Push(lua.LString(g.b.String()))
	}
	L.Push(lua.LNumber(n))
	return 2
}

type gsub struct {
	m       *matcher
	c       *Call
	repl    lua.LValue
	b       strings.Builder
	charged int
}

func (g *gsub) write(s string) {
	g.b.WriteString(s)
	if g.b.Len()-g.charged > 64<<10 || g.b.Len() > g.c.limits.StringBytes {
		if g.b.Len() > g.c.limits.StringBytes {
			g.c.ChargeString(g.m.L, g.b.Len())
		}
		g.c.Charge(g.m.L, g.b.Len()-g.charged)
		g.charged = g.b.Len()
	}
}

// replace writes what stands for the match from s to e; false keeps the match.
func (g *gsub) replace(s, e int) bool {
	L := g.m.L
	var v lua.LValue
	switch repl := g.repl.(type) {
	case lua.LString:
		g.template(string(repl), s, e)
		return true
	case lua.LNumber:
		g.template(numberText(repl), s, e)
		return true
	case *lua.LFunction:
		L.Push(repl)
		n := g.m.push(s, e, true)
		L.Call(n, 1)
		v = L.Get(-1)
		L.Pop(1)
	default:
		v = L.GetTable(repl, g.m.value(0, s, e))
	}
	if !lua.LVAsBool(v) {
		return false
	}
	text, ok := textOf(v)
	if !ok {
		L.RaiseError("invalid replacement value (a %s)", typeName(v))
	}
	g.write(text)
	return true
}

func (g *gsub) template(t string, s, e int) {
	for {
		i := strings.IndexByte(t, '%')
		if i < 0 {
			g.write(t)
			return
		}
		g.write(t[:i])
		c := byte(0)
		if i+1 < len(t) {
			c = t[i+1]
		}
		switch {
		case c == '0':
			g.write(g.m.src[s:e])
		case isDigit(c):
			text, _ := textOf(g.m.value(int(c-'1'), s, e))
			g.write(text)
		default:
			g.write(string([]byte{c}))
		}
		if i+2 >= len(t) {
			return
		}
		t = t[i+2:]
	}
}
