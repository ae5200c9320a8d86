package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/protocol/nearest"
)

// Exit codes of every command.
const (
	exitOK          = 0
	exitFailed      = 1   // the tool or the session failed
	exitUsage       = 2   // the command line cannot be read, or names what is not there
	exitFindings    = 3   // check found errors
	exitDenied      = 4   // a permission was denied
	exitNoCLI       = 5   // no Claude CLI, one that is none, or one that is not logged in
	exitTimeout     = 6   // a call or the CLI took too long
	exitLimit       = 7   // turns or budget used up
	exitInterrupted = 130 // SIGINT
	exitTerminated  = 143 // SIGTERM
)

// A command is one word after luatools.
type command struct {
	name  string
	args  string // its arguments, for the usage line
	short string // one line, for the list of commands
	long  string // what --help says below the usage line
	flags func(*app, *pflag.FlagSet)
	run   func(*app, []string) int
}

// commands in the order in which help lists them.
func commands() []*command {
	return []*command{runCommand, serveCommand, callCommand, listCommand, checkCommand, devCommand, versionCommand}
}

// app is one invocation: its streams and the flags that commands share.
type app struct {
	in       io.Reader
	out, err io.Writer
	flags    *pflag.FlagSet // of the command that runs
	opt      options
	run      runOptions
}

// Main runs one command and returns its exit code. It changes the working directory when -C asks for it.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	a := &app{in: stdin, out: out, err: stderr}
	return a.delivered(out, a.invoke(args))
}

// invoke carries out the command that the first argument names.
func (a *app) invoke(args []string) int {
	if len(args) == 0 {
		a.usage(a.err)
		return exitUsage
	}
	switch args[0] {
	case "help", "--help", "-h":
		return a.help(args[1:])
	case "--version":
		return a.dispatch(versionCommand, nil)
	}
	name := args[0]
	for _, c := range commands() {
		if c.name == name {
			return a.dispatch(c, args[1:])
		}
	}
	if strings.HasPrefix(name, "-") {
		return a.misuse("flags come after the command: %s", flagsFirst(args))
	}
	return a.misuse("no command %q%s", name, didYouMean(nearest.Name(name, commandNames())))
}

// dispatch reads the flags of c and runs it.
func (a *app) dispatch(c *command, args []string) int {
	fs := a.flagSet(c)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			a.commandHelp(a.out, c, fs)
			return exitOK
		}
		return a.misuse("%s", flagFault(err, fs))
	}
	if err := fromEnvironment(fs); err != nil {
		return a.misuse("%s", err)
	}
	if err := a.opt.settle(); err != nil {
		return a.misuse("%s", err)
	}
	if a.opt.chdir != "" {
		if err := os.Chdir(a.opt.chdir); err != nil {
			return a.misuse("-C: %s", err)
		}
	}
	if c != versionCommand {
		if code := a.configure(); code != exitOK {
			return code
		}
	}
	return c.run(a, fs.Args())
}

// help prints the list of commands, or one command's page.
func (a *app) help(topic []string) int {
	if len(topic) == 0 || slices.Contains([]string{"help", "--help", "-h"}, topic[0]) {
		a.usage(a.out)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == topic[0] {
			a.commandHelp(a.out, c, a.flagSet(c))
			return exitOK
		}
	}
	return a.misuse("no help on %q%s", topic[0], didYouMean(nearest.Name(topic[0], commandNames())))
}

func (a *app) usage(w io.Writer) {
	fmt.Fprint(w, "luatools hosts tools written in Lua for language-model agents.\n\nusage: luatools COMMAND [flags] [arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nTools are the *.lua files of the folder ./tools (another: --tools DIR). luatools help COMMAND tells more.\n")
}

func (a *app) commandHelp(w io.Writer, c *command, fs *pflag.FlagSet) {
	fmt.Fprintf(w, "usage: luatools %s\n\n%s\n\n%s", strings.TrimSpace(c.name+" [flags] "+c.args), strings.TrimSpace(c.long), fs.FlagUsagesWrapped(100))
}

// misuse reports a command line that cannot be carried out.
func (a *app) misuse(format string, args ...any) int {
	a.sayf("error: "+format, args...)
	return exitUsage
}

// fail reports what went wrong and returns code. Output that did not arrive is left to delivered.
func (a *app) fail(code int, err error) int {
	if o, ok := a.out.(*output); ok && o.lost() != nil && errors.Is(err, o.lost()) {
		return code
	}
	a.sayf("error: %s", err)
	return code
}

// sayf prints a line for people.
func (a *app) sayf(format string, args ...any) {
	fmt.Fprintln(a.err, visible(fmt.Sprintf(format, args...)))
}

// notef is sayf for what --quiet leaves out: all but errors.
func (a *app) notef(format string, args ...any) {
	if !a.opt.quiet {
		a.sayf(format, args...)
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return append(names, "help")
}

func didYouMean(name string) string {
	if name == "" {
		return "; luatools help lists them"
	}
	return fmt.Sprintf("; did you mean %q?", name)
}
