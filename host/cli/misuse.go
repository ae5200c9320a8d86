package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/protocol/nearest"
)

// flagFault says what is wrong with the flags of a command line, and what to write instead.
func flagFault(err error, fs *pflag.FlagSet) string {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		value   *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(unknown, fs)
	case errors.As(err, &bare):
		kind, _ := pflag.UnquoteUsage(bare.GetFlag())
		return fmt.Sprintf("--%s needs a value: --%[1]s %s", bare.GetFlag().Name, kind)
	case errors.As(err, &value):
		return fmt.Sprintf("--%s %q: %s", value.GetFlag().Name, value.GetValue(), wanted(value))
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s is no flag; luatools help %s lists them", syntax.GetSpecifiedFlag(), fs.Name())
	}
	return err.Error()
}

// wanted says what a flag takes, in place of what the parser of its type says.
func wanted(value *pflag.InvalidValueError) string {
	switch value.GetFlag().Value.Type() {
	case "duration":
		return "want a number with its unit, such as 500ms, 10s or 2m"
	case "int":
		return "want a whole number, such as 10"
	case "bool":
		return "want true or false"
	}
	return value.Unwrap().Error()
}

// unknownFlag names the flag that was perhaps meant.
func unknownFlag(unknown *pflag.NotExistError, fs *pflag.FlagSet) string {
	if word := unknown.GetSpecifiedShortnames(); word != "" {
		word = "-" + word
		if strings.ContainsAny(word, " =\n") { // a text that begins with a dash, such as an item of a list
			return fmt.Sprintf("%q begins with a dash, so it is read as flags: put -- before it, as in luatools %s -- %[1]q", word, fs.Name())
		}
		return fmt.Sprintf("unknown flag -%s%s; luatools help %s lists the flags", unknown.GetSpecifiedName(), within(word), fs.Name())
	}
	name := unknown.GetSpecifiedName()
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest.Name(name, names); near != "" {
		return fmt.Sprintf("unknown flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Sprintf("unknown flag --%s; luatools help %s lists the flags", name, fs.Name())
}

// within says in which word a one-letter flag stands, where that is not all of it.
func within(word string) string {
	if len(word) <= 2 {
		return ""
	}
	return fmt.Sprintf(" in %s (a long flag has two dashes)", word)
}

// flagsFirst is the line as it should be written when flags stand before the command.
func flagsFirst(args []string) string {
	i := slices.IndexFunc(args, func(word string) bool { return slices.Contains(commandNames(), word) })
	if i < 0 {
		return fmt.Sprintf("luatools COMMAND %s …", strings.Join(args, " "))
	}
	words := append([]string{"luatools", args[i]}, args[:i]...)
	return strings.Join(append(words, args[i+1:]...), " ")
}
