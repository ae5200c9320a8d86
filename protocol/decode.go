package protocol

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// DecodeError says what is wrong with a message and which id, if any was readable, the answer must carry.
type DecodeError struct {
	ID  json.RawMessage // "null" when unknown
	Err *Error

	// Answer is true when the message was meant as the answer to a request of ours. It must not be answered: the id
	// would be one of ours.
	Answer bool
}

func (e *DecodeError) Error() string { return e.Err.Message }

// Response returns the error answer that JSON-RPC asks for.
func (e *DecodeError) Response() *Response { return &Response{ID: e.ID, Error: e.Err} }

// Decode reads one JSON-RPC 2.0 message: a request or notification, or the peer's answer to a request of ours. What is
// no JSON, or nested deeper than 10,000 levels, or not valid UTF-8 is refused with -32700; an array (a batch), a member that comes twice, an id that is null or neither string
// nor number, params that are neither object nor array (null counts as missing), and a wrong or missing "jsonrpc" with
// -32600. Members that JSON-RPC does not know are passed over.
//
// lenient is for messages inside the control channel: it looks at no "jsonrpc", takes id null as an id, and wants UTF-8
// of the id alone, which is echoed.
//
// One of the three results is not nil. They alias b.
func Decode(b []byte, lenient bool) (*Request, *Answer, *DecodeError) {
	var m message
	if !lenient && !utf8.Valid(b) {
		return nil, nil, m.notUTF8(b)
	}
	if kind := kindOf(b); kind != '{' {
		return nil, nil, m.notAnObject(b, kind)
	}
	err := Members(b, func(key, value []byte) bool {
		m.member(key, value)
		return true
	})
	if err != nil {
		return nil, nil, &DecodeError{ID: nullID, Err: Errorf(CodeParse, "parse error: %v", err)}
	}
	m.judge(lenient)
	switch {
	case m.fault != "":
		return nil, nil, m.refuse(CodeInvalidRequest, m.fault)
	case m.answers():
		return m.answer(lenient)
	}
	return m.request()
}

var nullID = json.RawMessage("null")

// notUTF8 is the error for a line with a byte that is no UTF-8. It names the id where that can be trusted: the peer waits
// for an answer to it.
func (m *message) notUTF8(b []byte) *DecodeError {
	err := Members(b, func(key, value []byte) bool {
		m.member(key, value)
		return true
	})
	if err != nil {
		*m = message{}
	}
	e := m.refuse(CodeParse, "")
	e.Err = Errorf(CodeParse, "parse error: the line is not valid UTF-8 (byte %d)", invalidByte(b))
	return e
}

// invalidByte returns the offset of the first byte that is no UTF-8.
func invalidByte(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(b)
}

// message is what one pass finds. Values alias the line.
type message struct {
	version, id, method, params, result, failure []byte

	fault   string // the first thing that is wrong
	idTwice bool   // of two ids none can be trusted to be the one that the peer waits for
}

// member takes one member of the message. A fault does not end the walk: the id may stand behind it.
func (m *message) member(key, value []byte) {
	var field *[]byte
	switch string(key) {
	case "jsonrpc":
		field = &m.version
	case "id":
		field = &m.id
	case "method":
		field = &m.method
	case "params":
		field = &m.params
	case "result":
		field = &m.result
	case "error":
		field = &m.failure
	default:
		return
	}
	if *field != nil {
		m.fail(`"` + string(key) + `" comes twice`)
		m.idTwice = m.idTwice || field == &m.id
	}
	*field = value
}

// fail keeps the first fault.
func (m *message) fail(why string) {
	if m.fault == "" {
		m.fault = why
	}
}

// answers reports whether the message has the shape of an answer.
func (m *message) answers() bool {
	return m.method == nil && (m.result != nil || m.failure != nil)
}

// judge looks at what requests and answers have in common.
func (m *message) judge(lenient bool) {
	if !lenient && string(m.version) != `"2.0"` {
		if version, _ := Unquote(m.version); version != "2.0" {
			m.fail(`"jsonrpc" must be "2.0"`)
		}
	}
	switch kindOf(m.id) {
	case 0, '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
	case '"':
		if lenient && !utf8.Valid(m.id) {
			m.fail(`"id" is not valid UTF-8`)
		}
	case 'n':
		if !lenient && !m.answers() {
			m.fail(`"id" must not be null; leave it out of a notification`)
		}
	default:
		m.fail(`"id" must be a string or a number`)
	}
	switch kindOf(m.params) {
	case 0, 'n', '{', '[':
	default:
		m.fail(`"params" must be an object or an array`)
	}
	if m.method == nil && !m.answers() {
		m.fail(`"method" is missing`)
	}
	if m.method != nil && (m.result != nil || m.failure != nil) {
		m.fail("a message is a request or an answer, not both")
	}
}

func (m *message) request() (*Request, *Answer, *DecodeError) {
	method, ok := Unquote(m.method)
	if !ok {
		return nil, nil, m.refuse(CodeInvalidRequest, `"method" must be a string`)
	}
	req := &Request{ID: m.id, Method: method}
	if kindOf(m.params) != 'n' {
		req.Params = m.params
	}
	return req, nil, nil
}

func (m *message) answer(lenient bool) (*Request, *Answer, *DecodeError) {
	switch {
	case m.id == nil:
		return nil, nil, m.refuse(CodeInvalidRequest, `an answer needs the "id" of its request`)
	case m.failure == nil:
		return nil, &Answer{ID: m.id, Result: m.result}, nil
	case m.result != nil && !lenient:
		return nil, nil, m.refuse(CodeInvalidRequest, "an answer has a result or an error, not both")
	}
	failure, ok := decodeError(m.failure)
	if !ok && !lenient {
		return nil, nil, m.refuse(CodeInvalidRequest, `"error" must be an object with a code and a message`)
	}
	return nil, &Answer{ID: m.id, Error: failure}, nil
}

// decodeError reads the error object of an answer, as far as it is one.
func decodeError(b []byte) (failure *Error, ok bool) {
	failure = &Error{Code: CodeInternal}
	var code, message bool
	err := Members(b, func(key, value []byte) bool {
		switch string(key) {
		case "code":
			if n, err := strconv.Atoi(string(value)); err == nil {
				failure.Code, code = n, true
			}
		case "message":
			failure.Message, message = Unquote(value)
		case "data":
			failure.Data = value
		}
		return true
	})
	return failure, err == nil && code && message
}

// refuse is the error for this message, with its id if that can be trusted.
func (m *message) refuse(code int, why string) *DecodeError {
	e := &DecodeError{ID: nullID, Err: &Error{Code: code, Message: "invalid request: " + why}, Answer: m.answers()}
	switch kindOf(m.id) {
	case '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if !m.idTwice && utf8.Valid(m.id) {
			e.ID = m.id
		}
	}
	return e
}

// notAnObject is the error for a line that is something else than an object; kind is its first byte.
func (m *message) notAnObject(b []byte, kind byte) *DecodeError {
	switch end, ok := valid(b); {
	case !ok && tooDeep(b, end):
		return &DecodeError{ID: nullID, Err: Errorf(CodeParse, "parse error: %v", errTooDeep)}
	case !ok:
		return &DecodeError{ID: nullID, Err: Errorf(CodeParse, "parse error: the line is no JSON")}
	case kind == '[':
		return m.refuse(CodeInvalidRequest, "batches are not supported; send one message a line")
	}
	return m.refuse(CodeInvalidRequest, "a message is a JSON object")
}
