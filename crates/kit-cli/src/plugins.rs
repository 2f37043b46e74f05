//! Runs the plugins of a build with the host of the command.

use kit_build::{TapEvent, TapFuture, TapHost};

use crate::Host;

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
