package sandbox

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const whitespace = " \t\n\v\f\r"

// parseNumber reads a number as Lua 5.1 does: decimal with point and exponent, or a hexadecimal integer. It does not take "inf", "nan",
// octal, binary and underscores, which the original does.
func parseNumber(s string) (float64, bool) {
	s = strings.Trim(s, whitespace)
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 || body == "" {
		return 0, false
	}
	sign := 1.0
	if s[0] == '-' {
		sign = -1
	}
	if len(body) > 2 && body[0] == '0' && body[1]|0x20 == 'x' {
		v, ok := parseBase(body[2:], 16)
		return sign * v, ok
	}
	if !isDecimal(body) {
		return 0, false
	}
	v, err := strconv.ParseFloat(body, 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return sign * v, true
}

func isDecimal(s string) bool {
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		if exponent == "" || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return whole+fraction != "" && strings.Trim(whole, "0123456789") == "" && strings.Trim(fraction, "0123456789") == ""
}

// parseBase reads the digits of an integer without sign; what is larger than 64 bits is rounded as a float.
func parseBase(s string, base int) (float64, bool) {
	if s == "" {
		return 0, false
	}
	v := 0.0
	for i := range len(s) {
		d := digit(s[i])
		if d >= base {
			return 0, false
		}
		v = v*float64(base) + float64(d)
	}
	return v, true
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// numberText writes a number as tostring and ".." do: integers below 2^63 with all their digits, the rest as C's %.14g.
func numberText(n lua.LNumber) string {
	var buf [32]byte
	return string(appendNumber(buf[:0], float64(n)))
}

func appendNumber(b []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return appendG(b, v, 14, false, false)
}

// appendG writes v as C's %g or %G does with the given precision; alternate keeps zeros at the end.
func appendG(b []byte, v float64, precision int, alternate, upper bool) []byte {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return appendSpecial(b, v, upper)
	}
	if precision == 0 {
		precision = 1
	}
	exponent := 0
	if v != 0 {
		var tmp [400]byte
		e := strconv.AppendFloat(tmp[:0], v, 'e', precision-1, 64)
		for i := len(e) - 1; i >= 0; i-- {
			if e[i] == 'e' {
				exponent, _ = strconv.Atoi(string(e[i+1:]))
				break
			}
		}
	}
	start := len(b)
	if exponent < -4 || exponent >= precision {
		b = strconv.AppendFloat(b, v, 'e', precision-1, 64)
		if !alternate {
			b = trimZeros(b, start)
		}
	} else {
		b = strconv.AppendFloat(b, v, 'f', precision-1-exponent, 64)
		if !alternate {
			b = trimZeros(b, start)
		}
	}
	if upper {
		for i := start; i < len(b); i++ {
			if b[i] == 'e' {
				b[i] = 'E'
			}
		}
	}
	return b
}

// trimZeros drops the zeros at the end of the fraction of the number that starts at start, before an exponent if there is one.
func trimZeros(b []byte, start int) []byte {
	point, end := -1, len(b)
	for i := start; i < len(b); i++ {
		if b[i] == '.' {
			point = i
		} else if b[i] == 'e' {
			end = i
			break
		}
	}
	if point < 0 {
		return b
	}
	keep := end
	for keep > point+1 && b[keep-1] == '0' {
		keep--
	}
	if keep == point+1 {
		keep = point
	}
	return append(b[:keep], b[end:]...)
}

func appendSpecial(b []byte, v float64, upper bool) []byte {
	text := "nan"
	if math.IsInf(v, 1) {
		text = "inf"
	} else if math.IsInf(v, -1) {
		text = "-inf"
	}
	if upper {
		text = strings.ToUpper(text)
	}
	return append(b, text...)
}
