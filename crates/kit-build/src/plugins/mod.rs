//! Plugins: code of the project that runs during its builds.
//!
//! A build knows only the configuration of a plugin: its name, its taps (the hooks for which it has a function), and the
//! files that it owns. The plugin's code is JavaScript and runs in a [`TapHost`], which gets one JSON document per tap and
//! returns another. This module checks each result, and reports a mistake with the name of the plugin and the hook. Without
//! plugins, the host is not called.

mod code_location;
mod event;
mod files;
mod messages;
mod mistake;
mod program;
mod reports;
mod run;
mod sources;

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use serde_json::Value;

use crate::config::Plugin;

pub use code_location::CodeLocation;
pub use event::{Attachment, TapEvent};
pub(crate) use files::Additions;
pub(crate) use reports::PluginReports;
pub(crate) use run::Taps;
pub(crate) use sources::AddedSources;

/// A plugin's function for a hook, with its position in the order of execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredTap {
    /// Name of the hook.
    pub hook: &'static str,
    /// Name of the plugin.
    pub plugin: String,
    /// Position among the functions for the same hook, from 1.
    pub order: usize,
}

/// Returns the hook functions of all plugins, sorted by hook and by the order in which they run.
pub fn registered_taps(plugins: &[Plugin]) -> Vec<RegisteredTap> {
    let hooks = crate::HOOKS
        .iter()
        .map(|hook| hook.name)
        .chain([crate::COMPILE_STEP.name]);
    hooks
        .flat_map(|hook| {
            in_order(plugins, hook)
                .into_iter()
                .enumerate()
                .map(move |(index, plugin)| RegisteredTap {
                    hook,
                    plugin: plugin.name.clone(),
                    order: index + 1,
                })
        })
        .collect()
}

/// Returns the plugins that have a function for the hook, in the order in which their functions run.
fn in_order<'a>(plugins: &'a [Plugin], hook: &str) -> Vec<&'a Plugin> {
    let stage = |plugin: &Plugin| {
        plugin
            .taps
            .iter()
            .find(|tap| tap.hook == hook)
            .map(|tap| tap.stage)
    };
    let mut found: Vec<(f64, &Plugin)> = plugins
        .iter()
        .filter_map(|plugin| Some((stage(plugin)?, plugin)))
        .collect();
    found.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    found.into_iter().map(|(_, plugin)| plugin).collect()
}

/// Future of a hook function. It resolves to the function's result, or to an error message for the user.
pub type TapFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, String>> + 'a>>;

/// Runs the hook functions of plugins, for example in Node.
pub trait TapHost {
    /// Runs a plugin's function for a hook with `event` and returns its result. `plugin` is the plugin's index.
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> TapFuture<'a>;

    /// Returns true if the host did not wait for the end of a function. The analysis then ends with
    /// [`BuildError::Interrupted`](crate::BuildError::Interrupted).
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A host that cannot run plugins, for builds of projects without plugins.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPlugins;

impl TapHost for NoPlugins {
    fn run_tap<'a>(&'a self, _plugin: usize, _hook: &'static str, _event: TapEvent) -> TapFuture<'a> {
        Box::pin(std::future::ready(Err("nothing here can run it".to_owned())))
    }
}

/// Runs a future that completes in one poll. Without plugins, a build never waits.
pub(crate) fn run_without_host<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("a host that runs no plugins answers at once"),
    }
}

/// Purpose of a build, which plugins can read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// `kit build`: write the artifacts once.
    #[default]
    Build,
    /// `kit build --check`: compare the artifacts with the existing ones and write nothing.
    Check,
    /// `kit build --watch`: write the artifacts after each change.
    Watch,
    /// `kit dev`: write the artifacts after each change while the application runs.
    Dev,
}

impl Mode {
    /// Returns the name of the mode in the plugin API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Check => "check",
            Self::Watch => "watch",
            Self::Dev => "dev",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::registered_taps;
    use crate::config::{Plugin, Tap};

    #[test]
    fn hook_functions_run_by_stage_and_in_the_order_of_the_plugins_if_stages_are_equal() {
        let plugin = |index, name: &str, stage| Plugin {
            index,
            name: name.to_owned(),
            taps: vec![Tap { hook: "emit", stage }],
            owns: Vec::new(),
            location: None,
        };
        let plugins = [plugin(0, "a", 0.0), plugin(1, "b", -1.0), plugin(2, "c", 0.0)];
        let taps = registered_taps(&plugins);
        let found: Vec<(usize, &str)> = taps.iter().map(|tap| (tap.order, tap.plugin.as_str())).collect();
        assert_eq!(found, [(1, "b"), (2, "a"), (3, "c")]);
    }
}
