//! The description of a plugin in the configuration. Its code stays in the host.

use kit_diagnostics::Label;

/// Plugin, as the configuration describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// Index of the plugin in the host.
    pub index: usize,
    /// Name of the plugin, unique in the project.
    pub name: String,
    /// Hooks that the plugin taps, each at most once.
    pub taps: Vec<Tap>,
    /// Files outside of the output directory that builds overwrite, relative to the root.
    pub owns: Vec<String>,
    /// Location of the plugin in the configuration. Mistakes of the plugin without a better location are shown there.
    pub location: Option<Label>,
}

/// Registration of a plugin for a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Tap {
    /// Name of the hook.
    pub hook: &'static str,
    /// Order of taps: lower stages run first. For equal stages, the order of the plugins decides.
    pub stage: f64,
}
