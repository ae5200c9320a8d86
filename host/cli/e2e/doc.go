// Package e2e runs `luatools run` with the real Claude CLI, an old version and the latest, against a scripted Messages API on
// loopback.
//
//	go test -tags e2e -count=1 ./host/cli/e2e/
//
// The tests build the program, install both CLIs with npm outside the repository and go into a network namespace that has
// nothing but loopback, where the system lets them. Without npm they are skipped, with the reason.
//
//   - LUATOOLS_E2E_CACHE names a folder in which the CLIs stay between runs; else they go to a temporary one.
//   - LUATOOLS_E2E_REQUIRE=1 makes the tests fail where they would be skipped.
package e2e
