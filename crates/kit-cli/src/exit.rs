//! Exit codes of commands.

/// Result of a command. Each result has an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The command succeeded.
    Success,
    /// The command failed because of a mistake in the project or a failure of the environment.
    Failure,
    /// The arguments are invalid.
    Usage,
    /// `kit diff` could not compare the two states.
    Incomparable,
    /// The user pressed Ctrl-C at a question.
    Interrupted,
}

impl Exit {
    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Incomparable => 3,
            // Shells use this exit code for a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}
