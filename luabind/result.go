package luabind

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/protocol/mcp"
)

// DefaultMaxResult is how large a result may be unless the tool says otherwise, in bytes.
const DefaultMaxResult = 4 << 20

// ResultOptions says how a result is made of what run returned.
type ResultOptions struct {
	Output    bool           // the tool declares output: a table becomes structured, and a result without one is a fault
	Shape     *luajson.Shape // of the output schema, for empty tables; nil: they are lists, the whole an object
	MaxResult int64          // bytes; 0: DefaultMaxResult

	cut bool // the text is cut already
}

// Result makes a tool's result of what run returned: a string, number or boolean is text, nothing is "done", nil is "no result",
// nil or false and a message is a failure, a table is JSON text and, with Output, structured too; blocks, lists of blocks, result{…} and
// raw results become what they say. Text above MaxResult is cut, with a last line that says so; what cannot be cut is an error.
//
// An error is the tool's fault, for its author; its text is fit for the model.
func Result(L *lua.LState, values []lua.LValue, o ResultOptions) (*mcp.CallToolResult, error) {
	if o.MaxResult <= 0 {
		o.MaxResult = DefaultMaxResult
	}
	res, err := o.result(values)
	if err != nil {
		return nil, err
	}
	if o.Output && !res.IsError && res.StructuredContent == nil {
		return nil, fmt.Errorf("the tool declares output, so run must return a table for it, or result{ structured = … }; it returned %s", gotResult(values))
	}
	return res, o.bound(res)
}

func gotResult(values []lua.LValue) string {
	if len(values) == 0 {
		return "nothing"
	}
	return got(values[0])
}

func (o *ResultOptions) result(values []lua.LValue) (*mcp.CallToolResult, error) {
	if len(values) == 0 {
		return textResult("done"), nil
	}
	if res, err := o.several(values); res != nil || err != nil {
		return res, err
	}
	switch v := values[0].(type) {
	case *lua.LNilType:
		return textResult("no result"), nil
	case lua.LString:
		return textResult(valid(string(v))), nil
	case lua.LBool:
		return textResult(v.String()), nil
	case *lua.LTable:
		return o.tableResult(v)
	case *lua.LUserData:
		if c, ok := v.Value.(*mcp.Content); ok {
			return &mcp.CallToolResult{Content: []mcp.Content{*c}}, nil
		}
		if r, ok := v.Value.(*resultValue); ok {
			return o.builtResult(r)
		}
	}
	var buf [64]byte
	text, err := luajson.Append(buf[:0], values[0], luajson.EncodeOptions{Name: "result"})
	if err != nil {
		return nil, err
	}
	return textResult(string(text)), nil
}

// textResult is mcp.TextResult with one allocation.
func textResult(text string) *mcp.CallToolResult {
	r := &struct {
		mcp.CallToolResult
		content [1]mcp.Content
	}{}
	r.content[0] = mcp.Content{Type: "text", Text: text}
	r.Content = r.content[:]
	return &r.CallToolResult
}

func errorResult(message, hint string) *mcp.CallToolResult {
	r := textResult(FormatError(message, hint))
	r.IsError = true
	return r
}

// FormatError writes what the model reads of a failure: the message, and a hint behind a dash.
func FormatError(message, hint string) string {
	if message == "" {
		message = "the tool failed and gave no message"
	}
	if hint != "" {
		message += " — " + hint
	}
	return valid(message)
}

// buffers hold the JSON of a result until its size is known.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// jsonText encodes v and passes the JSON, which is only good until use returns. When it is too large, ErrTooLarge is passed with
// what fits; other errors are returned.
func (o *ResultOptions) jsonText(v lua.LValue, shape *luajson.Shape, name string, use func(text []byte, err error)) error {
	buf := buffers.Get().(*[]byte)
	text, err := luajson.Append((*buf)[:0], v, luajson.EncodeOptions{Name: name, Shape: shape, Limits: luajson.Limits{Bytes: int(min(o.MaxResult, 1<<30))}})
	if err == nil || errors.Is(err, luajson.ErrTooLarge) {
		use(text, err)
		err = nil
	}
	if cap(text) <= 1<<16 {
		*buf = text
		buffers.Put(buf)
	}
	return err
}

func (o *ResultOptions) tableResult(t *lua.LTable) (*mcp.CallToolResult, error) {
	if hasBlock(t) {
		content, err := blocks(t)
		return &mcp.CallToolResult{Content: content}, err
	}
	if isRawResult(t) {
		return o.rawResult(t)
	}
	if o.Output {
		structured, err := o.structured(t)
		if err != nil {
			return nil, err
		}
		res := textResult(string(structured))
		res.StructuredContent = structured
		return res, nil
	}
	var res *mcp.CallToolResult
	err := o.jsonText(t, o.Shape, "result", func(text []byte, err error) {
		if err != nil {
			o.cut = true
			res = textResult(cutText(string(text), o.MaxResult, "more than "+formatSize(o.MaxResult)))
		} else {
			res = textResult(string(text))
		}
	})
	return res, err
}

// structured encodes a structured result, which must be an object.
func (o *ResultOptions) structured(t *lua.LTable) (raw json.RawMessage, err error) {
	shape := o.Shape
	if shape == nil {
		shape = openObject
	}
	tooLarge := false
	err = o.jsonText(t, shape, "result", func(text []byte, err error) {
		tooLarge = err != nil
		raw = slices.Clone(text)
	})
	switch {
	case err != nil:
		return nil, err
	case tooLarge:
		return nil, fmt.Errorf("the structured result has more than %s, the tool's max_result: return less, or raise max_result", formatSize(o.MaxResult))
	case raw[0] != '{':
		return nil, errors.New("a structured result must be an object, run returned a list")
	}
	return raw, nil
}

// hasBlock reports whether t is a list with at least one block.
func hasBlock(t *lua.LTable) bool {
	for i := 1; i <= t.Len(); i++ {
		if _, ok := asBlock(t.RawGetInt(i)); ok {
			return true
		}
	}
	return false
}

// maxBlocks is how many blocks a result may have: each costs a client more than its bytes.
const maxBlocks = 1000

func tooManyBlocks(n int) error {
	return fmt.Errorf("the result has %d blocks, and at most %d are sent: join the texts", n, maxBlocks)
}

// blocks returns the blocks of a list; strings and numbers in it are text.
func blocks(t *lua.LTable) ([]mcp.Content, error) {
	if t.Len() > maxBlocks {
		return nil, tooManyBlocks(t.Len())
	}
	content := make([]mcp.Content, 0, t.Len())
	for i := 1; i <= t.Len(); i++ {
		v := t.RawGetInt(i)
		if c, ok := asBlock(v); ok {
			content = append(content, *c)
			continue
		}
		if s, ok := v.(lua.LString); ok {
			content = append(content, mcp.Content{Type: "text", Text: valid(string(s))})
			continue
		}
		s, ok := scalarText(v)
		if !ok {
			return nil, fmt.Errorf("result[%d]: want a block or a string, got %s; text(json.encode(x)) makes a block of a table", i, got(v))
		}
		content = append(content, mcp.Content{Type: "text", Text: s})
	}
	return content, nil
}

// resultValue is what result{…} returns. structured is encoded when the tool has returned, where its schema is known.
type resultValue struct {
	content    []mcp.Content
	structured *lua.LTable
	meta       json.RawMessage
	isError    bool
}

var resultMetatable = opaque("result")

// resultFields are the names that result{…} takes beside its blocks.
var resultFields = []string{"structured", "meta", "is_error"}

// resultFunc is result{ block, …, structured =, meta =, is_error = }.
func resultFunc(L *lua.LState) int {
	const fn = "result"
	t := tableArg(L, fn, 1, "fields")
	r := &resultValue{}
	var err error
	if r.content, err = blocks(t); err != nil {
		raise(L, fn+": "+err.Error())
	}
	last := lua.LNil
	if n := t.Len(); n > 0 {
		last = lua.LNumber(n)
	}
	for k, v := t.Next(last); k != lua.LNil; k, v = t.Next(k) {
		name, _ := k.(lua.LString)
		ok := true
		switch name {
		case "structured":
			r.structured, ok = v.(*lua.LTable)
		case "is_error":
			b, isBool := v.(lua.LBool)
			r.isError, ok = bool(b), isBool
		case "meta":
			if r.meta, err = objectField("meta", v); err != nil {
				raise(L, fn+": meta: "+err.Error())
			}
		default:
			raise(L, fn+": unknown field "+keyText(k)+hint(string(name), resultFields))
		}
		if !ok {
			raise(L, fn+": "+string(name)+": want "+map[lua.LString]string{"structured": "a table", "is_error": "true or false"}[name]+", got "+describe(v))
		}
	}
	L.Push(wrap(r, resultMetatable))
	return 1
}

func (o *ResultOptions) builtResult(r *resultValue) (*mcp.CallToolResult, error) {
	res := &mcp.CallToolResult{Content: slices.Clone(r.content), Meta: r.meta, IsError: r.isError}
	if r.structured != nil {
		structured, err := o.structured(r.structured)
		if err != nil {
			return nil, err
		}
		res.StructuredContent = structured
	}
	return fillContent(res), nil
}

// fillContent gives a result without blocks its text: the structured content, or a word.
func fillContent(res *mcp.CallToolResult) *mcp.CallToolResult {
	if len(res.Content) > 0 {
		return res
	}
	text := "done"
	switch {
	case res.StructuredContent != nil:
		text = string(res.StructuredContent)
	case res.IsError:
		text = FormatError("", "")
	}
	res.Content = []mcp.Content{{Type: "text", Text: text}}
	return res
}

// bound holds a result to MaxResult: text is cut, anything else above it is an error.
func (o *ResultOptions) bound(res *mcp.CallToolResult) error {
	var text int64
	other := int64(len(res.Meta))
	for i := range res.Content {
		text += int64(len(res.Content[i].Text))
		other += besideText(&res.Content[i])
	}
	if int64(len(res.StructuredContent)) > o.MaxResult {
		return fmt.Errorf("the structured result has %s, above the tool's max_result of %s", formatSize(int64(len(res.StructuredContent))), formatSize(o.MaxResult))
	}
	if other > o.MaxResult {
		return o.tooMuch(other)
	}
	if text <= o.MaxResult || o.cut {
		return nil
	}
	left := o.MaxResult
	for i := range res.Content {
		c := &res.Content[i]
		if c.Type != "text" || int64(len(c.Text)) <= left {
			left -= int64(len(c.Text))
			continue
		}
		c.Text = cutText(c.Text, left, formatSize(text))
		res.Content = append(res.Content[:i+1], slices.DeleteFunc(res.Content[i+1:], func(c mcp.Content) bool { return c.Type == "text" })...)
		break
	}
	return nil
}

// besideText is how many bytes a block takes on the wire beside its text and what is always short.
func besideText(c *mcp.Content) int64 {
	return int64(len(c.Data) + len(c.Resource) + len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description) + len(c.Meta))
}

func (o *ResultOptions) tooMuch(size int64) error {
	return fmt.Errorf("the images, sounds, resources and links of the result take %s, above the tool's max_result of %s: return smaller ones, or raise max_result",
		formatSize(size), formatSize(o.MaxResult))
}

// cutText shortens text to about most bytes and says so in a last line; all is how large the whole is.
func cutText(text string, most int64, all string) string {
	end := int(min(most, int64(len(text))))
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return valid(text[:end]) + "\n[cut here: the whole has " + all + ", more than the tool's max_result lets through; ask for less]"
}

// formatSize writes a size for people: 4 MiB, 1.5 KiB, 17 bytes.
func formatSize(n int64) string {
	switch f := float64(n); {
	case n >= 1<<20:
		return strconv.FormatFloat(float64(int(f/(1<<20)*10))/10, 'f', -1, 64) + " MiB"
	case n >= 1<<10:
		return strconv.FormatFloat(float64(int(f/(1<<10)*10))/10, 'f', -1, 64) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
