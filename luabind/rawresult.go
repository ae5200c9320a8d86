package luabind

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/protocol/mcp"
)

// rawNames are the only keys of a raw result, which is written as it goes over the wire.
var rawNames = []string{"content", "isError", "is_error", "structuredContent", "_meta"}

// blockTypes are the types that MCP knows.
var blockTypes = []string{"text", "image", "audio", "resource_link", "resource"}

// isRawResult tells a result written out from data that happens to have such a key: it has no other keys, and its content is a list of
// blocks, each of a known type. With isError beside it, it is meant as a result, whatever the types.
func isRawResult(t *lua.LTable) bool {
	if t.Len() > 0 {
		return false
	}
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		name, ok := k.(lua.LString)
		if !ok || !slices.Contains(rawNames, string(name)) {
			return false
		}
	}
	flagged := t.RawGetString("isError").Type() == lua.LTBool || t.RawGetString("is_error").Type() == lua.LTBool
	content, ok := t.RawGetString("content").(*lua.LTable)
	if !ok {
		return t.RawGetString("content") == lua.LNil && t.RawGetString("structuredContent").Type() == lua.LTTable
	}
	for i := 1; i <= content.Len(); i++ {
		if _, ok := asBlock(content.RawGetInt(i)); ok {
			continue
		}
		block, ok := content.RawGetInt(i).(*lua.LTable)
		if !ok {
			return flagged
		}
		kind, _ := block.RawGetString("type").(lua.LString)
		if !slices.Contains(blockTypes, string(kind)) && !flagged {
			return false
		}
	}
	return flagged || content.Len() > 0
}

func (o *ResultOptions) rawResult(t *lua.LTable) (*mcp.CallToolResult, error) {
	res := &mcp.CallToolResult{}
	for _, name := range []string{"isError", "is_error"} {
		switch v := t.RawGetString(name).(type) {
		case *lua.LNilType:
		case lua.LBool:
			res.IsError = res.IsError || bool(v)
		default:
			if v != lua.LValue(luajson.Null) {
				return nil, fmt.Errorf("result.%s: want true or false, got %s", name, describe(v))
			}
		}
	}
	switch v := t.RawGetString("structuredContent").(type) {
	case *lua.LNilType:
	case *lua.LTable:
		structured, err := o.structured(v)
		if err != nil {
			return nil, err
		}
		res.StructuredContent = structured
	default:
		return nil, fmt.Errorf("result.structuredContent: want a table, got %s", describe(v))
	}
	var err error
	if v := t.RawGetString("_meta"); v != lua.LNil {
		if res.Meta, err = objectField("result._meta", v); err != nil {
			return nil, fmt.Errorf("result._meta: %w", err)
		}
	}
	if content, ok := t.RawGetString("content").(*lua.LTable); ok {
		if k, _ := content.Next(lua.LNil); content.Len() == 0 && k != lua.LNil {
			return nil, fmt.Errorf("result.content: want a list of blocks, got a table with the key %s", keyText(k))
		}
		if content.Len() > maxBlocks {
			return nil, tooManyBlocks(content.Len())
		}
		var other int64 // one table can stand for many blocks, so the sum is looked at before the next is encoded
		for i := 1; i <= content.Len() && other <= o.MaxResult; i++ {
			c, err := rawBlock(content.RawGetInt(i))
			if err != nil {
				return nil, fmt.Errorf("result.content[%d]: %w", i, err)
			}
			other += besideText(&c)
			res.Content = append(res.Content, c)
		}
		if other > o.MaxResult {
			return nil, o.tooMuch(other)
		}
	}
	return fillContent(res), nil
}

// rawBlock reads one block of a raw result and puts it into MCP's form.
func rawBlock(v lua.LValue) (c mcp.Content, err error) {
	if b, ok := asBlock(v); ok {
		return *b, nil
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		return c, fmt.Errorf("want a block such as { type = \"text\", text = … }, got %s", describe(v))
	}
	kind, _ := t.RawGetString("type").(lua.LString)
	c.Type = string(kind)
	switch kind {
	case "text":
		text, ok := t.RawGetString("text").(lua.LString)
		if !ok {
			return c, fmt.Errorf("text: want a string, got %s", describe(t.RawGetString("text")))
		}
		c.Text = valid(string(text))
	case "image":
		err = rawMedia(&c, t, sniffImage, checkImage)
	case "audio":
		err = rawMedia(&c, t, sniffAudio, checkAudio)
	case "resource_link":
		err = rawLink(&c, t)
	case "resource":
		err = rawResource(&c, t)
	default:
		err = fmt.Errorf("unknown type %s%s", describe(t.RawGetString("type")), hint(string(kind), blockTypes))
	}
	if err != nil {
		return c, err
	}
	if c.Annotations, err = rawAnnotations(t); err != nil {
		return c, err
	}
	if meta := t.RawGetString("_meta"); meta != lua.LNil {
		c.Meta, err = objectField("_meta", meta)
	}
	return c, err
}

// rawMedia reads data and mimeType, or the source form of the Messages API: source = { type = "base64", media_type =, data = }.
func rawMedia(c *mcp.Content, t *lua.LTable, sniff func(string) string, check func(mime, sniffed string) string) error {
	mimeName := "mimeType"
	if source, ok := t.RawGetString("source").(*lua.LTable); ok {
		if kind := source.RawGetString("type"); kind != lua.LValue(lua.LString("base64")) {
			return fmt.Errorf(`source.type: want "base64", got %s`, describe(kind))
		}
		t, mimeName = source, "media_type"
	}
	data, ok := t.RawGetString("data").(lua.LString)
	if !ok || data == "" {
		return fmt.Errorf("data: want base64 as a string, got %s", describe(t.RawGetString("data")))
	}
	bytes, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		return errors.New("data: this is no base64; image(bytes) and audio(bytes) take the bytes themselves")
	}
	sniffed := sniff(string(bytes[:min(len(bytes), 16)]))
	mime := sniffed
	if v := t.RawGetString(mimeName); v != lua.LNil {
		s, ok := v.(lua.LString)
		if !ok {
			return fmt.Errorf("%s: want a string, got %s", mimeName, describe(v))
		}
		mime = string(s)
	}
	if complaint := check(mime, sniffed); complaint != "" {
		return errors.New(complaint)
	}
	c.MIMEType, c.Data = mime, string(data)
	if strings.ContainsAny(c.Data, "\r\n") { // the decoder skips line breaks, others do not
		c.Data = base64.StdEncoding.EncodeToString(bytes)
	}
	return nil
}

func rawLink(c *mcp.Content, t *lua.LTable) (err error) {
	for _, f := range []struct {
		name string
		to   *string
	}{{"uri", &c.URI}, {"name", &c.Name}, {"title", &c.Title}, {"description", &c.Description}, {"mimeType", &c.MIMEType}} {
		if *f.to, err = rawField(t, f.name); err != nil {
			return err
		}
	}
	if complaint := checkURI(c.URI); complaint != "" {
		return fmt.Errorf("uri: %s", complaint)
	}
	if c.Name == "" {
		c.Name = nameOfURI(c.URI)
	}
	if n, ok := t.RawGetString("size").(lua.LNumber); ok && n >= 0 && n <= 1<<53 && float64(n) == math.Trunc(float64(n)) {
		c.Size = int64(n)
	}
	return nil
}

func rawField(t *lua.LTable, name string) (string, error) {
	switch v := t.RawGetString(name).(type) {
	case *lua.LNilType:
		return "", nil
	case lua.LString:
		return valid(string(v)), nil
	default:
		return "", fmt.Errorf("%s: want a string, got %s", name, describe(v))
	}
}

// rawResource checks resource = { uri =, mimeType =, text = or blob = }, which goes on as it is, annotations inside included.
func rawResource(c *mcp.Content, t *lua.LTable) error {
	inner, ok := t.RawGetString("resource").(*lua.LTable)
	if !ok {
		return fmt.Errorf("resource: want a table { uri = …, text = … }, got %s", describe(t.RawGetString("resource")))
	}
	for _, name := range []string{"uri", "mimeType", "text", "blob"} {
		if _, err := rawField(inner, name); err != nil {
			return fmt.Errorf("resource.%w", err)
		}
	}
	uri, _ := inner.RawGetString("uri").(lua.LString)
	if complaint := checkURI(string(uri)); complaint != "" {
		return fmt.Errorf("resource.uri: %s", complaint)
	}
	blob, hasBlob := inner.RawGetString("blob").(lua.LString)
	if hasText := inner.RawGetString("text") != lua.LNil; hasText == hasBlob {
		return errors.New("resource: want text or blob, one of them")
	}
	if _, err := base64.StdEncoding.DecodeString(string(blob)); err != nil {
		return errors.New("resource.blob: this is no base64; resource{ blob = bytes } takes the bytes themselves")
	}
	if notes, ok := inner.RawGetString("annotations").(*lua.LTable); ok {
		if _, err := annotations(notes); err != nil {
			return fmt.Errorf("resource.annotations: %w", err)
		}
	}
	raw, err := objectField("resource", inner)
	c.Resource = json.RawMessage(raw)
	return err
}

func rawAnnotations(t *lua.LTable) ([]byte, error) {
	switch v := t.RawGetString("annotations").(type) {
	case *lua.LNilType:
		return nil, nil
	case *lua.LTable:
		notes, err := annotations(v)
		if err != nil {
			return nil, fmt.Errorf("annotations: %w", err)
		}
		return notes, nil
	default:
		return nil, fmt.Errorf("annotations: want a table, got %s", describe(v))
	}
}
