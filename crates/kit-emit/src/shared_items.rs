//! Functions and constants that several generated modules contain. A file that combines modules contains each of them once.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::items::Items;

/// Minimum number of texts after which those of earlier builds are forgotten.
const MANY: usize = 20_000;

/// Numbers for the functions and constants that modules share. A program has hundreds of thousands of them, and a comparison of
/// their texts at each edit would take most of the time of a combined file.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts {
    numbers: FxHashMap<String, u32>,
    texts: Vec<String>,
    /// Number of texts after the first build.
    first: Option<usize>,
    /// True if two different texts have the same name, because their hashes are equal.
    has_equal_names: bool,
}

impl SharedTexts {
    /// Returns the numbers of the shared functions and constants of a module. If names do not tell which text is meant, the
    /// numbers have no meaning.
    pub(crate) fn numbers(&mut self, items: &Items) -> Vec<u32> {
        let of = |(name, text): (&String, &String)| {
            if let Some(number) = self.numbers.get(name) {
                self.has_equal_names |= self.texts[*number as usize] != *text;
                return *number;
            }
            let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
            self.texts.push(text.clone());
            self.numbers.insert(name.clone(), number);
            number
        };
        items.shared.iter().map(of).collect()
    }

    /// Returns true if edits have left many texts that no module has any more. Call this after each build.
    pub(crate) fn has_many_unused(&mut self) -> bool {
        let first = *self.first.get_or_insert(self.texts.len());
        self.texts.len() > MANY + 2 * first
    }
}

/// Functions and constants of the modules in one file.
pub(crate) struct SharedItems<'a> {
    /// Texts of the functions and constants, in order.
    parts: Vec<Cow<'a, str>>,
    all: &'a SharedTexts,
    /// For each number, true if `parts` has the text.
    has: Vec<bool>,
    /// Texts of the functions and constants, by name, if names do not tell which texts are meant.
    texts: FxHashMap<Cow<'a, str>, Cow<'a, str>>,
}

impl<'a> SharedItems<'a> {
    pub(crate) fn new(all: &'a SharedTexts) -> Self {
        Self {
            parts: Vec::new(),
            all,
            has: vec![false; all.texts.len()],
            texts: FxHashMap::default(),
        }
    }

    /// Returns the texts in order.
    pub(crate) fn parts(&self) -> &[Cow<'a, str>] {
        &self.parts
    }

    /// Adds the shared functions and constants of a module, and returns the code of the module itself. `numbers` are the numbers
    /// of the shared functions and constants.
    pub(crate) fn add(&mut self, items: &'a Items, numbers: &[u32]) -> Cow<'a, str> {
        if self.all.has_equal_names {
            return self.add_by_texts(items);
        }
        for number in numbers {
            let number = *number as usize;
            if !std::mem::replace(&mut self.has[number], true) {
                self.parts.push(Cow::Borrowed(&self.all.texts[number]));
            }
        }
        Cow::Borrowed(items.own_code())
    }

    /// Adds the shared functions and constants of a module, and returns the code of the module itself. If a text has the
    /// name of another text, because both have the same hash, the text and the code get a new name.
    fn add_by_texts(&mut self, items: &'a Items) -> Cow<'a, str> {
        let mut renamed: Vec<(&str, String)> = Vec::new();
        let with_new_names = |text: &'a str, renamed: &[(&str, String)]| {
            let text = Cow::Borrowed(text);
            renamed
                .iter()
                .fold(text, |text, (name, new)| Cow::Owned(text.replace(*name, new)))
        };
        for (name, text) in &items.shared {
            // Equal hashes of different texts are rare, so nearly all texts keep their names.
            if renamed.is_empty() {
                match self.texts.get(name.as_str()) {
                    Some(known) if known == text => continue,
                    Some(_) => {}
                    None => {
                        self.parts.push(Cow::Borrowed(text));
                        self.texts.insert(Cow::Borrowed(name), Cow::Borrowed(text));
                        continue;
                    }
                }
            }
            let original = with_new_names(text, &renamed);
            let (mut new, mut text) = (name.clone(), original.clone().into_owned());
            while self.texts.get(new.as_str()).is_some_and(|known| *known != text) {
                new.push('$');
                text = original.replace(name.as_str(), &new);
            }
            if !self.texts.contains_key(new.as_str()) {
                self.parts.push(Cow::Owned(text.clone()));
                self.texts.insert(Cow::Owned(new.clone()), Cow::Owned(text));
            }
            if new != *name {
                renamed.push((name, new));
            }
        }
        with_new_names(items.own_code(), &renamed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{SharedItems, SharedTexts};
    use crate::fingerprint::fingerprint;
    use crate::items::Items;
    use crate::text::Imports;

    /// Returns the code of a module with a shared function that returns `result`.
    fn items(result: &str) -> Items {
        let shared = format!("function $is_same(value) {{\n  return {result};\n}}\n");
        let caller = "function $is_caller(value) {\n  return $is_same(value);\n}\n".to_owned();
        let own = format!("\nexport const a{result} = [$is_same, $is_caller];\n");
        Items {
            text: Arc::new([shared.as_str(), &caller, &own].concat()),
            code: 0,
            start: shared.len() + caller.len(),
            shared: [("$is_same".to_owned(), shared), ("$is_caller".to_owned(), caller)].into(),
            imports: Imports::default(),
            package_imports: fingerprint(()),
            exported: Vec::new(),
        }
    }

    #[test]
    fn functions_with_the_same_name_and_other_texts_get_other_names() {
        let (one, two) = (items("1"), items("2"));
        let mut texts = SharedTexts::default();
        let [of_one, of_two] = [&one, &two].map(|items| texts.numbers(items));
        let mut shared = SharedItems::new(&texts);
        assert_eq!(shared.add(&one, &of_one), one.own_code());
        assert_eq!(shared.add(&one, &of_one), one.own_code());
        assert_eq!(
            shared.add(&two, &of_two),
            "\nexport const a2 = [$is_same$, $is_caller$];\n"
        );
        let texts = [
            "function $is_same(value) {\n  return 1;\n}\n",
            "function $is_caller(value) {\n  return $is_same(value);\n}\n",
            "function $is_same$(value) {\n  return 2;\n}\n",
            "function $is_caller$(value) {\n  return $is_same$(value);\n}\n",
        ];
        assert_eq!(shared.parts.concat(), texts.concat());
    }

    #[test]
    fn texts_that_several_modules_share_are_in_a_file_once() {
        let (one, two) = (items("1"), items("1"));
        let mut texts = SharedTexts::default();
        let numbers = [&one, &two].map(|items| texts.numbers(items));
        assert_eq!(numbers, [[0, 1], [0, 1]]);
        let mut shared = SharedItems::new(&texts);
        for (items, numbers) in [&one, &two].into_iter().zip(&numbers) {
            assert_eq!(shared.add(items, numbers), items.own_code());
        }
        assert_eq!(shared.parts.concat(), one.text[..one.start]);
    }
}
