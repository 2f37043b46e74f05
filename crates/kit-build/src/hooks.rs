//! The hooks of a build, in the order in which they run.

/// A point of a build at which plugins may step in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// As plugins name it.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
}

/// The step that makes JavaScript of the project, after the artifacts are written: a plugin may take it over.
pub const COMPILE_STEP: Hook = Hook {
    name: "compile",
    description: "take over the compile step",
};

/// All hooks, in order.
pub const HOOKS: [Hook; 6] = [
    Hook {
        name: "beforeTransform",
        description: "add sources of types before anything is parsed",
    },
    Hook {
        name: "afterTypeParse",
        description: "look at the types, or change them",
    },
    Hook {
        name: "afterValidators",
        description: "add validators to the generated ones",
    },
    Hook {
        name: "afterRouteTable",
        description: "look at the routes, or change them",
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
