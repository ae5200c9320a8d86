package luabind

import (
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
)

// Digits that no number holds are rounded where a tool asks for it, and nowhere else.
func TestTonumberRoundsAnIntegerBeyondTwoToThe53(t *testing.T) {
	got, err := run(t, sandbox.Calling, &CallInfo{}, `return tonumber(json.decode("9007199254740993")), tonumber({})`)
	if err != nil || len(got) != 2 || got[0] != lua.LNumber(9007199254740992) || got[1] != lua.LNil {
		t.Errorf("tonumber = %v, %v", got, err)
	}
	if got, err := run(t, sandbox.Calling, &CallInfo{}, `return math.floor(json.decode("9007199254740993"))`); err == nil {
		t.Errorf("math.floor rounded silently to %v", got)
	}
}
