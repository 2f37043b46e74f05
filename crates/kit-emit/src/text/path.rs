//! The way to a part of a type, from which private functions get their names.

/// A step after the steps before it. It borrows them: most parts need no name, so none is made before it is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: &'a str,
}

impl<'a> Path<'a> {
    /// The beginning: a declaration's name.
    pub(crate) fn root(name: &'a str) -> Self {
        Self {
            parent: None,
            step: name,
        }
    }

    /// One step further.
    pub(crate) fn step(&'a self, step: &'a str) -> Self {
        Self {
            parent: Some(self),
            step,
        }
    }

    /// All steps with spaces between, without the first one where that is `home`.
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
