package sandbox

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// spec is one conversion of a format, as in %-08.3f.
type spec struct {
	minus, plus, space, alternate, zero bool
	width, precision                    int // precision -1: not given
	verb                                byte
}

// strFormat knows the conversions of Lua 5.1 and their meaning in C. The original hands the format to Go's fmt, whose %v, %p, %T and widths
// of any size are another language. %s takes any value, as in later Luas.
func strFormat(L *lua.LState) int {
	format := checkString(L, 1)
	f := formatter{L: L, c: CallOf(L)}
	arg := 1
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			f.write(format)
			break
		}
		f.write(format[:i])
		format = format[i+1:]
		if strings.HasPrefix(format, "%") {
			f.write("%")
			format = format[1:]
			continue
		}
		var s spec
		s, format = f.parse(format)
		arg++
		f.convert(s, arg)
	}
	f.c.ChargeString(L, len(f.b))
	L.Push(lua.LString(f.b))
	return 1
}

type formatter struct {
	L *lua.LState
	c *Call
	b []byte
}

func (f *formatter) write(s string) {
	f.b = append(f.b, s...)
	if len(f.b) > f.c.limits.StringBytes {
		f.c.ChargeString(f.L, len(f.b))
	}
}

func (f *formatter) parse(s string) (spec, string) {
	sp := spec{precision: -1}
	i := 0
	for ; i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0; i++ {
		switch s[i] {
		case '-':
			sp.minus = true
		case '+':
			sp.plus = true
		case ' ':
			sp.space = true
		case '#':
			sp.alternate = true
		case '0':
			sp.zero = true
		}
	}
	if i > 5 {
		f.L.RaiseError("invalid format (repeated flags)")
	}
	number := func() (n int) {
		from := i
		for ; i < len(s) && isDigit(s[i]); i++ {
			if i-from >= 2 {
				f.L.RaiseError("invalid format (width or precision too long)")
			}
			n = n*10 + int(s[i]-'0')
		}
		return n
	}
	sp.width = number()
	if i < len(s) && s[i] == '.' {
		i++
		sp.precision = number()
	}
	if i >= len(s) {
		f.L.RaiseError("invalid option '%%' to 'format'")
	}
	sp.verb = s[i]
	return sp, s[i+1:]
}

func (f *formatter) convert(s spec, arg int) {
	L := f.L
	if arg > L.GetTop() {
		argError(L, arg, "no value")
	}
	switch s.verb {
	case 'c':
		f.pad(s, "", string([]byte{byte(checkInt(L, arg))}), false)
	case 'd', 'i':
		f.signed(s, f.integer(arg))
	case 'o', 'u', 'x', 'X':
		f.unsigned(s, uint64(f.integer(arg)))
	case 'e', 'E', 'f', 'g', 'G':
		f.float(s, checkNumber(L, arg))
	case 'q':
		f.quote(checkString(L, arg))
	case 's':
		text := f.text(arg)
		if s.precision >= 0 && s.precision < len(text) {
			text = text[:s.precision]
		}
		f.pad(s, "", text, false)
	default:
		L.RaiseError("invalid option '%%%s' to 'format'", keyText(lua.LString(s.verb)))
	}
}

func (f *formatter) text(arg int) string {
	if text, ok := textOf(f.L.Get(arg)); ok {
		return text
	}
	return ToString(f.L, f.L.Get(arg))
}

func (f *formatter) integer(arg int) int64 {
	v := checkNumber(f.L, arg)
	if !finite(v) {
		argError(f.L, arg, "number has no integer representation")
	}
	return int64(toInt(v))
}

// pad writes sign and text, filled up to the width; zeros go between the two.
func (f *formatter) pad(s spec, sign, text string, zeros bool) {
	fill := max(0, s.width-len(sign)-len(text))
	switch {
	case s.minus:
		f.write(sign + text + strings.Repeat(" ", fill))
	case zeros:
		f.write(sign + strings.Repeat("0", fill) + text)
	case fill == 0 && sign == "":
		f.write(text)
	default:
		f.write(strings.Repeat(" ", fill) + sign + text)
	}
}

func (s spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

func (f *formatter) signed(s spec, v int64) {
	magnitude := uint64(v)
	if v < 0 {
		magnitude = -magnitude
	}
	f.digits(s, s.sign(v < 0), strconv.FormatUint(magnitude, 10))
}

func (f *formatter) unsigned(s spec, v uint64) {
	switch s.verb {
	case 'o':
		text := strconv.FormatUint(v, 8)
		if s.alternate && text[0] != '0' {
			text = "0" + text
		}
		f.digits(s, "", text)
	case 'u':
		f.digits(s, "", strconv.FormatUint(v, 10))
	default:
		text, prefix := strconv.FormatUint(v, 16), ""
		if s.alternate && v != 0 {
			prefix = "0x"
		}
		if s.verb == 'X' {
			text, prefix = strings.ToUpper(text), strings.ToUpper(prefix)
		}
		f.digits(s, prefix, text)
	}
}

func (f *formatter) digits(s spec, sign, text string) {
	if s.precision == 0 && text == "0" {
		text = ""
	}
	if s.precision > len(text) {
		text = strings.Repeat("0", s.precision-len(text)) + text
	}
	f.pad(s, sign, text, s.zero && s.precision < 0)
}

func (f *formatter) float(s spec, v float64) {
	if !finite(v) {
		text := string(appendSpecial(nil, v, s.verb < 'a'))
		sign := s.sign(strings.HasPrefix(text, "-"))
		f.pad(s, sign, strings.TrimPrefix(text, "-"), false)
		return
	}
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	var text []byte
	switch s.verb {
	case 'e', 'E', 'f':
		text = strconv.AppendFloat(nil, v, s.verb, precision, 64)
		if s.alternate && precision == 0 {
			text = alternatePoint(text)
		}
	default:
		text = appendG(nil, v, precision, s.alternate, s.verb == 'G')
	}
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	f.pad(s, s.sign(negative), string(text), s.zero)
}

// alternatePoint puts a point behind the digits, before an exponent.
func alternatePoint(text []byte) []byte {
	mantissa, exponent := string(text), ""
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		mantissa, exponent = mantissa[:i], mantissa[i:]
	}
	return []byte(mantissa + "." + exponent)
}

func (f *formatter) quote(s string) {
	f.write(`"`)
	from := 0
	for i := range len(s) {
		var out string
		switch s[i] {
		case '"', '\\', '\n':
			out = "\\" + s[i:i+1]
		case '\r':
			out = `\r`
		case 0:
			out = `\000`
		default:
			continue
		}
		f.write(s[from:i])
		f.write(out)
		from = i + 1
	}
	f.write(s[from:])
	f.write(`"`)
}
