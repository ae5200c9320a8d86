package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

// relistWait is how long a CLI may take to list again: so long the answer of a call is held for it, and after that it counts as one that does
// not list on a notice.
const relistWait = time.Second

// lists is what the CLI of a session knows of the tools, and how it is told of changes.
//
// Current CLIs list a server again when they are told by notifications/tools/list_changed, and the next request to the model has the new tools, also in
// the same turn, provided that the CLI has read the new list before the answer of the call that is pending. CLIs as old as 2.1.33 pass over the notice.
// They list everything again before their next turn when mcp_set_servers names a server that they have not met, so an empty one helps out.
type lists struct {
	// synced is the newest registry of which it is known that the CLI has its lists, or will when its next turn begins.
	synced atomic.Pointer[registry]

	mu      sync.Mutex
	heard   chan struct{} // closed, and replaced, when something below or synced changes
	deaf    bool          // the CLI was told by a notice and did not list
	helpers int           // servers that helped out
}

// changed wakes those who wait for the CLI. It is called with l.mu held.
func (l *lists) changed() {
	close(l.heard)
	l.heard = make(chan struct{})
}

// know notes that the CLI has the lists of r, or is going to.
func (l *lists) know(r *registry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.synced.Store(r)
	l.changed()
}

// sessionServer is one server of the session, and the way for its notices to the CLI. It implements [mcp.Notifier].
type sessionServer struct {
	*mcp.Server
	s      *Session
	name   string
	helper bool // it has no tools, and is there to make the CLI list the others again

	listing sync.Mutex // held while a list is answered

	// Guarded by lists.mu. A list is nil until there was one.
	last    json.RawMessage // that the CLI got, or was told of
	got     json.RawMessage // that was written last
	writing json.RawMessage // that the last answer has, and which request that answers
	request *protocol.Request
	awaited bool // the CLI is expected to ask for its first list
}

// Notify implements [mcp.Notifier].
func (v *sessionServer) Notify(method string, params protocol.Appender) error {
	return v.s.conn.Notify(v.name, method, params)
}

// list answers tools/list and notes with what.
func (v *sessionServer) list(ctx context.Context, req *protocol.Request) *protocol.Response {
	v.listing.Lock()
	defer v.listing.Unlock()
	res := v.Handle(ctx, req)
	v.s.lists.mu.Lock()
	defer v.s.lists.mu.Unlock()
	v.request = req
	return res
}

// listed notes the list that an answer to the CLI is going to have.
func (v *sessionServer) listed(list json.RawMessage) {
	v.s.lists.mu.Lock()
	defer v.s.lists.mu.Unlock()
	v.last, v.writing = list, list
	v.request = nil // whose answer another one has overtaken
}

// lacks reports whether the CLI is to ask for list and does not have it. It is called with lists.mu held.
func (v *sessionServer) lacks(list json.RawMessage) bool {
	return !v.helper && (v.last != nil || v.awaited) && !bytes.Equal(v.got, list)
}

// Written implements [control.Handler]: a list has gone to the CLI.
func (s *Session) Written(server string, req *protocol.Request) {
	if req.Method != "tools/list" {
		return
	}
	v := s.server(server)
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	if v != nil && v.request == req {
		v.got, v.awaited, v.request = v.writing, false, nil
		s.lists.changed()
	}
}

// server returns a server of the session, or nil.
func (s *Session) server(name string) *sessionServer {
	if servers := s.servers.Load(); servers != nil {
		return (*servers)[name]
	}
	return nil
}

// key names the lists of a server for this session's CLI.
func (s *Session) key(server string) listKey {
	f := s.features()
	return listKey{
		server: server, cli: true, alwaysLoad: f.AlwaysLoad, maxResultSize: f.MaxResultSize,
		since: s.born, tombs: f.ListChanged, // those that list again within a conversation only add to it
	}
}

// relists reports whether the CLI lists again on a notice, for all that is known: its capabilities, else its version, and then what it did.
func (s *Session) relists() bool {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	return !s.lists.deaf && s.features().ListChanged
}

// behind reports whether the CLI lacks a list of this moment, and returns what is closed when that may have changed.
func (s *Session) behind() (bool, <-chan struct{}) {
	r := s.h.registry()
	servers := *s.servers.Load()
	l := &s.lists
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range servers {
		if v.lacks(r.list(s.key(v.name))) {
			return true, l.heard
		}
	}
	if len(s.missing(r, servers)) > 0 {
		return true, l.heard
	}
	l.synced.Store(r)
	return false, l.heard
}

// missing names the servers of r that the CLI has not heard of.
func (s *Session) missing(r *registry, servers map[string]*sessionServer) (names []string) {
	for i := range r.servers {
		if name := r.servers[i].name; servers[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// untold reports whether the CLI does not know of a list of this moment and was not told of it either.
func (s *Session) untold() (bool, <-chan struct{}) {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	return s.h.registry() != s.lists.synced.Load(), s.lists.heard
}

// settle holds back whoever is about to make the CLI ask the model until the CLI has the lists of this moment: at most relistWait, and not at all with
// one that does not list on a notice.
func (s *Session) settle(ctx context.Context) {
	if s.h.registry() == s.lists.synced.Load() || !s.relists() {
		return
	}
	s.await(ctx, func() (bool, <-chan struct{}) {
		if !s.relists() {
			return false, nil
		}
		return s.behind()
	})
}

// prepare waits likewise before a prompt, and also until an old CLI was told, so that the turn which begins has the tools of this moment.
func (s *Session) prepare(ctx context.Context) {
	if s.h.registry() == s.lists.synced.Load() {
		return
	}
	s.await(ctx, func() (bool, <-chan struct{}) {
		if !s.relists() {
			return s.untold()
		}
		return s.behind()
	})
}

// await waits until waits says no, for relistWait at most.
func (s *Session) await(ctx context.Context, waits func() (bool, <-chan struct{})) {
	s.follower.poke() // who made the change may not have come to it yet
	timer := time.NewTimer(relistWait)
	defer timer.Stop()
	for {
		more, heard := waits()
		if !more {
			return
		}
		select {
		case <-heard:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// follow tells the CLI of changes until ctx is done.
func (s *Session) follow(ctx context.Context) {
	var since time.Time // when the CLI was told first of what it still lacks; zero: it was told of nothing
	timer := time.NewTimer(relistWait)
	defer timer.Stop()
	for {
		behind, heard := s.behind()
		if !since.IsZero() && !behind {
			s.debugf("tools changed: client told, relisted in %s", brief(time.Since(since)))
			since = time.Time{}
		}
		var late <-chan time.Time
		if since.IsZero() {
			heard = nil
		} else {
			timer.Reset(relistWait - time.Since(since))
			late = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case <-heard:
		case <-late:
			since = time.Time{}
			s.fallBack(ctx)
		case <-s.follower.slot:
			if now := time.Now(); s.tell(ctx) && since.IsZero() {
				since = now
			}
		}
	}
}

// tell tells the CLI of the lists that are not those it had or was told of, and reports whether it is expected to ask for them now.
func (s *Session) tell(ctx context.Context) bool {
	r := s.h.registry()
	servers := *s.servers.Load()
	missing := s.missing(r, servers)
	changed := s.stale(r, servers)
	switch {
	case len(changed) == 0 && len(missing) == 0:
		if !s.relists() {
			s.lists.know(r)
		}
		return false
	case !s.relists():
		s.setServers(ctx, r, true)
		return false
	}
	if len(missing) > 0 && !s.setServers(ctx, r, false) {
		return false
	}
	for _, v := range changed {
		// The CLI may have ended; then there is nobody to tell.
		_ = v.Notify(mcp.MethodListChanged, nil)
	}
	return true
}

// stale returns the servers whose list is another than the CLI had or was told of, and takes it for told. Those that were never listed are
// left out: what is asked for first will be new.
func (s *Session) stale(r *registry, servers map[string]*sessionServer) (changed []*sessionServer) {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		v := servers[name]
		if list := r.list(s.key(name)); v.last != nil && !v.helper && !bytes.Equal(v.last, list) {
			v.last = list
			changed = append(changed, v)
		}
	}
	return changed
}

// fallBack tells a CLI in another way that was told by a notice and did not list again.
func (s *Session) fallBack(ctx context.Context) {
	s.lists.mu.Lock()
	s.lists.deaf = true
	s.lists.changed()
	s.lists.mu.Unlock()
	s.debugf("tools changed: client told, not relisted in %s; from now on by mcp_set_servers", relistWait)
	s.setServers(ctx, s.h.registry(), true)
}

// setServers gives the CLI all servers of the session and those of r that are new, and reports whether it took them. With helper there is one among them
// that it has not met, so that it lists them all again, at the latest before its next turn. A server that has lost its last tool stays: calls of it may be
// on their way.
func (s *Session) setServers(ctx context.Context, r *registry, helper bool) bool {
	began := time.Now()
	before := *s.servers.Load()
	next := maps.Clone(before)
	for _, name := range s.missing(r, before) {
		next[name] = s.newServer(r.server(name))
	}
	met := ""
	if helper {
		met = s.helperName(next)
		next[met] = s.newServer(&server{name: met})
		next[met].helper = true
	}
	var names []string
	for name, v := range next {
		if !v.helper || name == met {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	s.lists.mu.Lock()
	for name, v := range next {
		v.awaited = v.awaited || before[name] == nil && !v.helper
	}
	s.lists.mu.Unlock()
	s.servers.Store(&next) // before the CLI hears of them, for it asks at once
	_, err := s.conn.SetServers(ctx, names)
	if err != nil {
		if ctx.Err() == nil {
			s.fault(fmt.Errorf("tell the CLI of changed tools: %w", err))
		}
	} else {
		s.debugf("tools changed: client told by mcp_set_servers in %s", brief(time.Since(began)))
	}
	kept := maps.Clone(next)
	maps.DeleteFunc(kept, func(name string, v *sessionServer) bool { return v.helper && helper && name != met })
	s.servers.Store(&kept)
	if helper {
		s.lists.know(r) // where it failed, nothing is won by waiting
	}
	return err == nil
}

// helperName is a name that no server had in this session.
func (s *Session) helperName(taken map[string]*sessionServer) string {
	for {
		s.lists.mu.Lock()
		s.lists.helpers++
		name := fmt.Sprintf("luatools_reload_%d", s.lists.helpers)
		s.lists.mu.Unlock()
		if taken[name] == nil {
			return name
		}
	}
}

// debugf logs what helps to see how a session goes.
func (s *Session) debugf(format string, args ...any) {
	if s.h.o.Log != nil {
		s.h.log(LogEntry{Level: "debug", Text: fmt.Sprintf(format, args...)})
	}
}

// brief rounds a time to what people read.
func brief(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
