package control

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the traces in testdata")

// TestMain makes the test program its own child: with CONTROL_TEST_CHILD set it plays a CLI.
func TestMain(m *testing.M) {
	if how := os.Getenv("CONTROL_TEST_CHILD"); how != "" {
		os.Exit(child(how))
	}
	os.Exit(m.Run())
}
