package scripts

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many links one path may lead through.
const maxLinks = 64

// trail follows a path and returns the places where a change makes it lead elsewhere: each link on the way, and where it ends or, when
// something is missing, where that would be. Their folders are free of links.
func trail(name string) (places []string) {
	volume := filepath.VolumeName(name)
	top := volume + string(filepath.Separator)
	dir, rest := top, split(name[len(volume):])
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			dir = filepath.Dir(dir)
			continue
		}
		at := filepath.Join(dir, part)
		info, err := os.Lstat(at)
		switch {
		case err != nil:
			return append(places, at)
		case info.Mode()&fs.ModeSymlink != 0:
			places = append(places, at)
			target, err := os.Readlink(at)
			if links++; err != nil || links > maxLinks {
				return places
			}
			if v := filepath.VolumeName(target); filepath.IsAbs(target) {
				dir, target = v+string(filepath.Separator), target[len(v):]
			}
			rest = append(split(target), rest...)
		case len(rest) == 0:
			places = append(places, at)
		default:
			dir = at
		}
	}
	return places
}

// split returns the parts of a path, without "." and empty ones.
func split(name string) (parts []string) {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}
