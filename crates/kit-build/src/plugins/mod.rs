//! Plugins: code of a project's own that steps into its builds.
//!
//! A build knows of a plugin what the configuration says: its name, its taps, the files it owns. The code runs in a [`TapHost`],
//! since it is JavaScript; it is handed one JSON document and gives one back. What comes back is judged here, tap by tap, so that
//! a mistake is told with the plugin's name and the hook. Where a project has no plugins, nothing is asked of the host.

mod event;
mod files;
mod heard;
mod messages;
mod place;
mod program;
mod run;
mod sources;

use std::future::Future;
use std::pin::Pin;

use kit_diagnostics::Label;
use serde_json::Value;

pub use event::{Attachment, TapEvent};
pub(crate) use files::Additions;
pub(crate) use heard::Heard;
pub use place::CodePlace;
pub(crate) use run::Taps;
pub(crate) use sources::AddedSources;

/// A plugin as the configuration describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// Its place among the plugins of the host.
    pub index: usize,
    /// Its name, unlike that of every other plugin.
    pub name: String,
    /// Where it steps in, each hook once.
    pub taps: Vec<Tap>,
    /// Files outside of the output directory that builds overwrite, relative to the root.
    pub owns: Vec<String>,
    /// Where the configuration names it; what it does wrong is shown there, where no better place is known.
    pub place: Option<Label>,
}

/// A plugin's interest in a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Tap {
    /// The hook.
    pub hook: &'static str,
    /// Lower runs earlier; at equal stages the order of the plugins decides.
    pub stage: f64,
}

/// A tap in its place in the order of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredTap {
    /// The hook.
    pub hook: &'static str,
    /// The plugin.
    pub plugin: String,
    /// From 1, within the hook.
    pub order: usize,
}

/// All taps of a project, hook by hook, in the order in which they run.
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

/// The plugins that tap a hook, in the order in which they run.
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

/// The result of a tap: a document, or why there is none, in words for the user.
pub type TapFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, String>> + 'a>>;

/// Where the code of plugins runs.
pub trait TapHost {
    /// Runs the tap of a plugin on a hook and gives what it answers to `event`.
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> TapFuture<'a>;
}

/// Runs no plugins: for builds of projects without any.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPlugins;

impl TapHost for NoPlugins {
    fn run_tap<'a>(&'a self, _plugin: usize, _hook: &'static str, _event: TapEvent) -> TapFuture<'a> {
        Box::pin(std::future::ready(Err("nothing here can run it".to_owned())))
    }
}

/// What a build is made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// To write.
    #[default]
    Build,
    /// To compare with what is written.
    Check,
    /// To write, again and again.
    Watch,
    /// The same, for an app that is served meanwhile.
    Dev,
}

impl Mode {
    /// The name that plugins see.
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
    use super::{Plugin, Tap, registered_taps};

    #[test]
    fn stages_come_before_the_order_of_plugins() {
        let plugin = |index, name: &str, stage| Plugin {
            index,
            name: name.to_owned(),
            taps: vec![Tap { hook: "emit", stage }],
            owns: Vec::new(),
            place: None,
        };
        let plugins = [plugin(0, "a", 0.0), plugin(1, "b", -1.0), plugin(2, "c", 0.0)];
        let taps = registered_taps(&plugins);
        let found: Vec<(usize, &str)> = taps.iter().map(|tap| (tap.order, tap.plugin.as_str())).collect();
        assert_eq!(found, [(1, "b"), (2, "a"), (3, "c")]);
    }
}
