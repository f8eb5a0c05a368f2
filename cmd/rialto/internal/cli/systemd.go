package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"rialto/cmd/rialto/internal/server"
)

// listen returns the listener that systemd has opened (sd_listen_fds(3)), or opens one at addr.
func listen(addr string) (net.Listener, error) {
	passed, err := activation.Listeners()
	if err != nil {
		return nil, err
	}
	switch len(passed) {
	case 0:
		return server.Listen(addr)
	case 1:
		if passed[0] != nil {
			return passed[0], nil
		}
	}
	for _, l := range passed {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return nil, errors.Join(
		fmt.Errorf(
			"systemd passed %d sockets: the .socket unit needs one ListenStream=, for HTTP",
			len(passed),
		),
		err,
	)
}

// notifySupervisor tells systemd (sd_notify(3)) that the server is ready, that it lives, and at the end
// of ctx that it stops. Without systemd it does nothing.
func notifySupervisor(ctx context.Context, log *slog.Logger) {
	notify(log, daemon.SdNotifyReady)
	context.AfterFunc(ctx, func() { notify(log, daemon.SdNotifyStopping) })
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.WarnContext(
			ctx, "WATCHDOG_USEC cannot be read: systemd will end this process",
			"err", err,
		)
	}
	if interval <= 0 {
		return
	}

	go func() { // also while the server stops: that has a bound of its own
		for range time.Tick(interval / 2) {
			notify(log, daemon.SdNotifyWatchdog)
		}
	}()
}

// notifyReload tells systemd about a reload, and about its end.
func notifyReload(log *slog.Logger, reload func()) {
	notify(log, daemon.SdNotifyReloading)
	defer notify(log, daemon.SdNotifyReady)
	reload()
}

func notify(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("telling systemd", "state", state, "err", err)
	}
}
