package luabind

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"path"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/protocol/mcp"
)

// What the builders return are userdata around a *mcp.Content; each kind calls itself something in error messages.
var (
	textMetatable     = opaque("text block")
	imageMetatable    = opaque("image")
	audioMetatable    = opaque("audio")
	linkMetatable     = opaque("link")
	resourceMetatable = opaque("resource")
)

// asBlock returns the block inside a value that a builder made.
func asBlock(v lua.LValue) (*mcp.Content, bool) {
	if ud, ok := v.(*lua.LUserData); ok {
		c, ok := ud.Value.(*mcp.Content)
		return c, ok
	}
	return nil, false
}

// annotationNames are the options that every block takes.
var annotationNames = []string{"audience", "priority", "lastModified", "last_modified", "meta"}

func withAnnotations(names ...string) []string { return append(names, annotationNames...) }

var (
	blockOptions   = withAnnotations()
	linkFields     = withAnnotations("uri", "name", "title", "description", "mime", "mimeType", "size")
	resourceFields = withAnnotations("uri", "text", "blob", "mime", "mimeType")
)

// textFunc is text(s[, options]), a block of text.
func textFunc(L *lua.LState) int {
	const fn = "text"
	c := &mcp.Content{Type: "text", Text: valid(stringArg(L, fn, 1, "text"))}
	annotate(L, fn, c, optionsArg(L, fn, 2, blockOptions...))
	L.Push(wrap(c, textMetatable))
	return 1
}

// imageFunc is image(bytes[, mime][, options]).
func imageFunc(L *lua.LState) int { return media(L, "image", sniffImage, checkImage, imageMetatable) }

// audioFunc is audio(bytes[, mime][, options]).
func audioFunc(L *lua.LState) int { return media(L, "audio", sniffAudio, checkAudio, audioMetatable) }

func media(L *lua.LState, fn string, sniff func(string) string, check func(mime, sniffed string) string, mt *lua.LTable) int {
	data, ok := L.Get(1).(lua.LString)
	if !ok || data == "" {
		raise(L, fn+": want the bytes as a string, got "+describe(L.Get(1)))
	}
	sniffed, at := sniff(string(data)), 2
	mime := sniffed
	if s, ok := L.Get(2).(lua.LString); ok {
		mime, at = string(s), 3
	} else if L.Get(2) == lua.LNil {
		at = 3
	}
	if complaint := check(mime, sniffed); complaint != "" {
		if b, err := base64.StdEncoding.DecodeString(string(data[:len(data)&^3])); err == nil && sniff(string(b)) != "" {
			complaint = "want the bytes themselves, got base64 of them"
		}
		raise(L, fn+": "+complaint)
	}
	n := base64.StdEncoding.EncodedLen(len(data))
	charge(L, n)
	c := &mcp.Content{Type: fn, MIMEType: mime, Data: base64.StdEncoding.EncodeToString([]byte(data))}
	annotate(L, fn, c, optionsArg(L, fn, at, blockOptions...))
	L.Push(wrap(c, mt))
	return 1
}

// sniffImage names the kind of picture by its first bytes: only these four reach the model. "" is none of them.
func sniffImage(data string) string {
	switch {
	case strings.HasPrefix(data, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(data, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(data, "GIF87a"), strings.HasPrefix(data, "GIF89a"):
		return "image/gif"
	case len(data) >= 12 && data[:4] == "RIFF" && data[8:12] == "WEBP":
		return "image/webp"
	}
	return ""
}

// checkImage says what is wrong with a picture of type mime whose bytes look like sniffed.
func checkImage(mime, sniffed string) string {
	switch {
	case sniffed == "":
		return "the bytes are no PNG, JPEG, GIF or WebP picture, and only these reach the model"
	case mime != sniffed:
		return "the bytes are " + sniffed + ", not " + quote(mime)
	}
	return ""
}

func sniffAudio(data string) string {
	switch {
	case len(data) >= 12 && data[:4] == "RIFF" && data[8:12] == "WAVE":
		return "audio/wav"
	case strings.HasPrefix(data, "ID3"), strings.HasPrefix(data, "\xff\xfb"), strings.HasPrefix(data, "\xff\xf3"), strings.HasPrefix(data, "\xff\xf2"):
		return "audio/mpeg"
	case strings.HasPrefix(data, "OggS"):
		return "audio/ogg"
	case strings.HasPrefix(data, "fLaC"):
		return "audio/flac"
	}
	return ""
}

func checkAudio(mime, _ string) string {
	if kind, name, ok := strings.Cut(mime, "/"); kind != "audio" || !ok || name == "" || strings.ContainsAny(name, " \t\r\n/") {
		if mime == "" {
			return `the bytes are no WAV, MP3, Ogg or FLAC: name the type, as in audio(bytes, "audio/aac")`
		}
		return `want a type such as "audio/wav", got ` + quote(mime)
	}
	return ""
}

// linkFunc is link{ uri =, name =, title =, description =, mime =, size = }, a link to a resource.
func linkFunc(L *lua.LState) int {
	const fn = "link"
	t := fieldsArg(L, fn, linkFields)
	c := &mcp.Content{Type: "resource_link", URI: uri(L, fn, t), Name: field(L, fn, t, "name"), Title: field(L, fn, t, "title"),
		Description: field(L, fn, t, "description"), MIMEType: mimeField(L, fn, t)}
	if c.Name == "" {
		c.Name = nameOfURI(c.URI)
	}
	switch v := t.RawGetString("size").(type) {
	case *lua.LNilType:
	case lua.LNumber:
		if f := float64(v); f < 0 || f != math.Trunc(f) || f > 1<<53 {
			raise(L, fn+": size: want a number of bytes, got "+v.String())
		}
		c.Size = int64(v)
	default:
		raise(L, fn+": size: want a number of bytes, got "+describe(v))
	}
	annotate(L, fn, c, t)
	L.Push(wrap(c, linkMetatable))
	return 1
}

// resourceFunc is resource{ uri =, text = or blob =, mime = }, a resource with its content. blob holds the bytes themselves.
func resourceFunc(L *lua.LState) int {
	const fn = "resource"
	t := fieldsArg(L, fn, resourceFields)
	address, text, blob := uri(L, fn, t), t.RawGetString("text"), t.RawGetString("blob")
	if (text == lua.LNil) == (blob == lua.LNil) {
		raise(L, fn+": want text or blob, one of them")
	}
	out := appendString([]byte(`{"uri":`), address)
	if mime := mimeField(L, fn, t); mime != "" {
		out = appendString(append(out, `,"mimeType":`...), mime)
	}
	if text != lua.LNil {
		s := field(L, fn, t, "text")
		charge(L, len(s))
		out = appendString(append(out, `,"text":`...), s)
	} else {
		b, ok := blob.(lua.LString)
		if !ok {
			raise(L, fn+": blob: want the bytes as a string, got "+describe(blob))
		}
		charge(L, base64.StdEncoding.EncodedLen(len(b)))
		out = base64.StdEncoding.AppendEncode(append(out, `,"blob":"`...), []byte(b))
		out = append(out, '"')
	}
	c := &mcp.Content{Type: "resource", Resource: append(out, '}')}
	annotate(L, fn, c, t)
	L.Push(wrap(c, resourceMetatable))
	return 1
}

func fieldsArg(L *lua.LState, fn string, allowed []string) *lua.LTable {
	t := tableArg(L, fn, 1, "fields")
	if message := unknownKey(t, "field", allowed); message != "" {
		raise(L, fn+": "+message)
	}
	return t
}

// field returns a field that is text, or "" when it is missing.
func field(L *lua.LState, fn string, t *lua.LTable, name string) string {
	switch v := t.RawGetString(name).(type) {
	case *lua.LNilType:
		return ""
	case lua.LString:
		return valid(string(v))
	default:
		raise(L, fn+": "+name+": want a string, got "+describe(v))
		return ""
	}
}

func mimeField(L *lua.LState, fn string, t *lua.LTable) string {
	mime := field(L, fn, t, "mime")
	if mime == "" {
		mime = field(L, fn, t, "mimeType")
	}
	if kind, name, ok := strings.Cut(mime, "/"); mime != "" && (!ok || kind == "" || name == "") {
		raise(L, fn+`: mime: want a type such as "text/plain", got `+quote(mime))
	}
	return mime
}

func uri(L *lua.LState, fn string, t *lua.LTable) string {
	address := field(L, fn, t, "uri")
	if complaint := checkURI(address); complaint != "" {
		raise(L, fn+": uri: "+complaint)
	}
	return address
}

func checkURI(address string) string {
	if u, err := url.Parse(address); err != nil || u.Scheme == "" {
		return `want an address with its scheme, such as "file:///data/report.txt", got ` + quote(address)
	}
	return ""
}

// nameOfURI is the name of a link that was given none: the last part of its path.
func nameOfURI(address string) string {
	if u, err := url.Parse(address); err == nil && u.Path != "" && path.Base(u.Path) != "/" {
		return path.Base(u.Path)
	}
	return address
}

// annotate sets what a table says of audience, priority, lastModified and meta.
func annotate(L *lua.LState, fn string, c *mcp.Content, t *lua.LTable) {
	if t == nil {
		return
	}
	notes, err := annotations(t)
	if err != nil {
		raise(L, fn+": "+err.Error())
	}
	c.Annotations = notes
	if meta := t.RawGetString("meta"); meta != lua.LNil {
		if c.Meta, err = objectField("meta", meta); err != nil {
			raise(L, fn+": meta: "+err.Error())
		}
	}
}

// annotations writes the annotations among the fields of t; nil when there are none.
func annotations(t *lua.LTable) ([]byte, error) {
	var w writer
	audience, err := audience(t.RawGetString("audience"))
	if err != nil {
		return nil, err
	}
	if audience != nil {
		w.raw("audience", audience)
	}
	switch v := t.RawGetString("priority").(type) {
	case *lua.LNilType:
	case lua.LNumber:
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("priority: want a number from 0 to 1, got %s", v)
		}
		w.number("priority", float64(v))
	default:
		return nil, fmt.Errorf("priority: want a number from 0 to 1, got %s", describe(v))
	}
	v := t.RawGetString("lastModified")
	if v == lua.LNil {
		v = t.RawGetString("last_modified")
	}
	if v != lua.LNil {
		when, err := timestamp(v)
		if err != nil {
			return nil, err
		}
		w.text("lastModified", when)
	}
	if w.shown == nil {
		return nil, nil
	}
	return w.end().shown, nil
}

func audience(v lua.LValue) ([]byte, error) {
	if v == lua.LNil {
		return nil, nil
	}
	list, ok := v.(*lua.LTable)
	if !ok {
		list = maker.CreateTable(1, 0)
		list.Append(v)
	}
	var names [][]byte
	for i := 1; i <= list.Len(); i++ {
		s, ok := list.RawGetInt(i).(lua.LString)
		if !ok || s != "user" && s != "assistant" {
			return nil, fmt.Errorf(`audience: want "user", "assistant" or a list of both, got %s`, describe(list.RawGetInt(i)))
		}
		names = append(names, appendString(nil, string(s)))
	}
	return join(names), nil
}

// timestamp reads a time as text or as seconds since 1970.
func timestamp(v lua.LValue) (string, error) {
	if n, ok := v.(lua.LNumber); ok && n >= 0 && n < 1<<37 {
		return time.UnixMilli(int64(n * 1000)).UTC().Format(time.RFC3339), nil
	}
	if s, ok := v.(lua.LString); ok {
		if _, err := time.Parse(time.RFC3339, string(s)); err == nil {
			return string(s), nil
		}
	}
	return "", fmt.Errorf(`lastModified: want a time such as "2026-01-31T15:04:05Z" or seconds since 1970, got %s`, describe(v))
}
