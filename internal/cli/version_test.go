package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

var fromGit = &debug.BuildInfo{
	Main: debug.Module{Version: "v1.2.3"},
	Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	},
}

func TestVersionIsWhatTheGoCommandHasLeft(t *testing.T) {
	have := newBuild(fromGit, true).String()
	want := "kindvet v1.2.3 (commit 0123456789ab, modified, 2026-01-02T03:04:05Z, registry "
	if !strings.HasPrefix(have, want) {
		t.Errorf("have %s\nwant %s...", have, want)
	}
}

func TestVersionIsWhatTheReleaseBuildSays(t *testing.T) {
	version, commit, date = "9.9.9", "fedcba9876543210", "2027-01-01T00:00:00Z"
	defer func() { version, commit, date = "", "", "" }()
	have, want := newBuild(fromGit, true).String(),
		"kindvet 9.9.9 (commit fedcba987654, modified, 2027-01-01T00:00:00Z, registry "
	if !strings.HasPrefix(have, want) {
		t.Errorf("have %s\nwant %s...", have, want)
	}
}

func TestVersionIsKnownToBeUnknown(t *testing.T) {
	if have, want := newBuild(nil, false).String(), "kindvet (devel) (registry "; !strings.HasPrefix(have, want) {
		t.Errorf("have %s\nwant %s...", have, want)
	}
}
