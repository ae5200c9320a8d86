package host

import (
	"testing"

	"github.com/luatools/luatools/protocol/control/rehearsal"
)

// The CLI answers /help and the like without an echo of the prompt. The next prompt is not mixed up with it.
func TestACommandOfTheCLIEndsWithItsResult(t *testing.T) {
	agent := rehearsal.Options{NoReplay: true}
	inSession(t, Options{}, agent, func(t *testing.T, s *Session, a *rehearsal.Agent) {
		for _, prompt := range []string{"/help", " /exit"} {
			if r := query(t, s, prompt); r.Text == "" {
				t.Errorf("%s: no answer", prompt)
			}
		}
	})
}
