//! Path to a part of a type. Private functions are named after it.

/// A step with the steps before it. It borrows them, because most parts need no name, so the name is created on demand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: &'a str,
}

impl<'a> Path<'a> {
    /// Creates the first step: the name of a declaration.
    pub(crate) fn root(name: &'a str) -> Self {
        Self {
            parent: None,
            step: name,
        }
    }

    /// Creates the next step.
    pub(crate) fn step(&'a self, step: &'a str) -> Self {
        Self {
            parent: Some(self),
            step,
        }
    }

    /// Returns all steps, separated by spaces, without the first one if it equals `home`.
    pub(crate) fn words_below(&self, home: &str) -> String {
        match self.parent {
            None if self.step == home => String::new(),
            None => self.step.to_owned(),
            Some(parent) => {
                let mut words = parent.words_below(home);
                words.push(' ');
                words.push_str(self.step);
                words
            }
        }
    }
}
