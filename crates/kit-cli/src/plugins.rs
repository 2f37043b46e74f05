//! Runs the plugins of a build with the host of the command.

use std::cell::Cell;

use kit_build::{TapEvent, TapFuture, TapHost};

use crate::Host;

/// Plugins that run until input arrives.
pub(crate) struct InterruptiblePlugins<'a> {
    host: &'a dyn Host,
    is_interrupted: Cell<bool>,
}

impl<'a> InterruptiblePlugins<'a> {
    pub(crate) fn new(host: &'a dyn Host) -> Self {
        Self {
            host,
            is_interrupted: Cell::new(false),
        }
    }
}

impl TapHost for InterruptiblePlugins<'_> {
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> TapFuture<'a> {
        Box::pin(async move {
            let answer = self.host.run_tap_until_input(plugin, hook, event).await;
            answer.map_err(|error| error.message)?.ok_or_else(|| {
                self.is_interrupted.set(true);
                "it was interrupted".to_owned()
            })
        })
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.get()
    }
}

/// Plugins in the configuration that the host loaded last.
pub(crate) struct Plugins<'a>(pub(crate) &'a dyn Host);

impl TapHost for Plugins<'_> {
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> TapFuture<'a> {
        Box::pin(async move {
            let answer = self.0.run_tap(plugin, hook, event).await;
            answer.map_err(|error| error.message)
        })
    }
}
