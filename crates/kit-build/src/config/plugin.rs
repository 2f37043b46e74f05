//! The description of a plugin in the configuration. Its functions stay in the host, the JavaScript process that runs
//! them.

use kit_diagnostics::Label;

/// Plugin, as the configuration describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// Index of the plugin in the option `plugins`, by which the host finds it.
    pub index: usize,
    /// Name of the plugin, unique in the project.
    pub name: String,
    /// Hooks for which the plugin has a function, each at most once.
    pub taps: Vec<Tap>,
    /// Paths of files outside of the output directory that builds may overwrite, relative to the project's root.
    pub owns: Vec<String>,
    /// Location of the plugin in the configuration. A mistake of the plugin is reported there if no better location
    /// is known.
    pub location: Option<Label>,
}

/// A plugin's function for a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Tap {
    /// Name of the hook.
    pub hook: &'static str,
    /// Order of functions for the same hook: lower stages run first. Functions of equal stages run in the order of
    /// the plugins.
    pub stage: f64,
}
