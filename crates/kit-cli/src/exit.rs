//! How a command ends.

/// The result of a command, as its caller's shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Success,
    /// Not done: a mistake in the project, or a failure of its environment.
    Failure,
    /// Called wrongly.
    Usage,
    /// A person pressed Ctrl-C at a question.
    Interrupted,
}

impl Exit {
    /// The code.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            // What a shell says of a program that SIGINT ended.
            Self::Interrupted => 130,
        }
    }
}
