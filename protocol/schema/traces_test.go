package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// traced are the values of one name, such as inputSchema, in the traces of the channels, as seeds.
func traced(tb testing.TB, name string) (found []string) {
	for _, pattern := range []string{"../control/testdata/*.trace", "../mcp/testdata/*.trace"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if _, text, ok := strings.Cut(line, " "); ok {
					found = append(found, valuesOf(name, json.RawMessage(text))...)
				}
			}
		}
	}
	if len(found) == 0 {
		tb.Fatalf("no %s in the traces", name)
	}
	return found
}

// valuesOf walks down to the members of one name.
func valuesOf(name string, raw json.RawMessage) (found []string) {
	var members map[string]json.RawMessage
	var elements []json.RawMessage
	if json.Unmarshal(raw, &members) != nil && json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	for key, v := range members {
		if key == name {
			found = append(found, string(v))
			continue
		}
		elements = append(elements, v)
	}
	for _, v := range elements {
		found = append(found, valuesOf(name, v)...)
	}
	return found
}
