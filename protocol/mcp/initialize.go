package mcp

import (
	"encoding/json"

	"github.com/luatools/luatools/protocol"
)

// LatestVersion is what initialize answers to a revision we do not know.
const LatestVersion = "2025-11-25"

// spoken returns the revision to answer to the one that a client asks for. All that are known list and call tools
// alike; the client decides whether it takes another than it asked for.
func spoken(version string) string {
	switch version {
	case "2024-11-05", "2025-03-26", "2025-06-18", LatestVersion:
		return version
	}
	return LatestVersion
}

// initialize must not depend on what was said before: some clients shake hands twice.
func (s *Server) initialize(params json.RawMessage) (protocol.Appender, error) {
	var client ClientInfo
	fault := object("params", params, func(key, value []byte) *protocol.Error {
		switch string(key) {
		case "protocolVersion":
			client.ProtocolVersion, _ = protocol.Unquote(value)
		case "clientInfo":
			if isNull(value) {
				break
			}
			return object("clientInfo", value, func(key, value []byte) *protocol.Error {
				switch string(key) {
				case "name":
					client.Name, _ = protocol.Unquote(value)
				case "version":
					client.Version, _ = protocol.Unquote(value)
				}
				return nil
			})
		}
		return nil
	})
	if fault != nil {
		return nil, fault
	}
	if s.options.Initialize != nil {
		s.options.Initialize(client)
	}
	return initializeResult{spoken(client.ProtocolVersion), s.identity}, nil
}

type initializeResult struct {
	version  string
	identity []byte
}

func (r initializeResult) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"protocolVersion":"`...)
	dst = append(dst, r.version...)
	return append(dst, r.identity...), nil
}

// appendIdentity appends what is the same in every answer to initialize, from behind the version to the end.
func (i Info) appendIdentity(dst []byte) []byte {
	dst = append(dst, `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":`...)
	dst = protocol.AppendString(dst, i.Name)
	dst = appendText(dst, "title", i.Title)
	dst = append(dst, `,"version":`...)
	dst = protocol.AppendString(dst, i.Version)
	dst = append(dst, '}')
	dst = appendText(dst, "instructions", i.Instructions)
	return append(dst, '}')
}
