//! The hooks of a build, in the order in which they run.

/// A point in a build at which plugins can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// Name in the plugin API, such as `emit`.
    pub name: &'static str,
    /// Purpose of the hook in a few words, for `kit inspect`.
    pub description: &'static str,
}

/// The hook for the step that compiles the project to JavaScript, after the artifacts are written. A plugin may
/// replace this step.
pub const COMPILE_STEP: Hook = Hook {
    name: "compile",
    description: "replace the project's compiler",
};

/// All hooks, in the order in which a build runs them.
pub const HOOKS: [Hook; 6] = [
    Hook {
        name: "beforeTransform",
        description: "add sources of types before kit parses the project",
    },
    Hook {
        name: "afterTypeParse",
        description: "read or change the types",
    },
    Hook {
        name: "afterValidators",
        description: "add validators to those that kit generates",
    },
    Hook {
        name: "afterRouteTable",
        description: "read or change the routes",
    },
    Hook {
        name: "emit",
        description: "add files to the output",
    },
    Hook {
        name: "done",
        description: "clean up and report",
    },
];
