package luajson

import (
	"fmt"
	"strings"
	"testing"
)

var texts = []struct{ name, text string }{
	{"200B", `{"location":"Bern, Switzerland","units":"celsius","days":3,"details":true,"tags":["weather","forecast","alps"],"at":{"lat":46.948,"lon":7.4474},"note":"what to wear for a walk in the hills tomorrow"}`},
	{"64KB", records(64 << 10)},
	{"integers", "[" + strings.Repeat("1234567890123456789,", 999) + "1]"},
}

// records is a list of objects as a database answers, of about size bytes.
func records(size int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"customer %d","email":"customer%d@example.com","active":%t,"balance":%d.25,"tags":["a","b"]}`, 100000+i, i, i, i%2 == 0, i*17)
	}
	b.WriteByte(']')
	return b.String()
}

func BenchmarkDecode(b *testing.B) {
	for _, tt := range texts {
		b.Run(tt.name, func(b *testing.B) {
			text := []byte(tt.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(text, DecodeOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, tt := range texts {
		b.Run(tt.name, func(b *testing.B) {
			v, err := Decode([]byte(tt.text), DecodeOptions{})
			if err != nil {
				b.Fatal(err)
			}
			var dst []byte
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				if dst, err = Append(dst[:0], v, EncodeOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
