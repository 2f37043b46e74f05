//! Path from a type to a property or item in it. Private functions are named after it.

/// A step of a path with the steps before it. A path is only borrowed, because most paths never become a name.
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

    /// Returns all steps, separated by spaces. Leaves out the first step if it is `home`.
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
