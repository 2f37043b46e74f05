//! Prints Rust code in the layout of rustfmt: code that fits stays on one line, other code is broken into several
//! lines.

/// Maximum width of a line (`WIDTH`), and of arguments or items that stay on one line (`SHORT`).
pub(crate) const WIDTH: usize = 100;
const SHORT: usize = 60;
/// Maximum width of the fields of a struct on one line (`STRUCT`), and of array items that share lines (`ITEM`).
const STRUCT: usize = 18;
const ITEM: usize = 10;

/// Maximum width of the fields of a struct literal that stays on one line.
const SHORT_LITERAL: usize = 18;

/// An expression.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// Code that is printed unchanged.
    Plain(String),
    /// A function, or a method of a chain, with its arguments.
    Call(String, Vec<Self>),
    /// `&[…]`.
    List(Vec<Self>),
    /// `vec![…]` or `[…]`: the opening text and the items.
    Items(&'static str, Vec<Self>),
    /// `Name { field: … }`.
    Struct(String, Vec<(String, Self)>),
    /// A base expression, and the methods that are called on it in order.
    Chain(Box<Self>, Vec<Self>),
    /// `&…`.
    Borrowed(Box<Self>),
    /// A call with a closure that returns a constant: name of the function, type of the constant, and its value.
    Lazy(String, String, Box<Self>),
}

impl Expression {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }

    pub(crate) fn call(name: impl Into<String>, arguments: Vec<Self>) -> Self {
        Self::Call(name.into(), arguments)
    }

    /// Appends a method call with at most one plain argument.
    pub(crate) fn method(self, name: &str, argument: Option<String>) -> Self {
        self.chained(name, argument.into_iter().map(Self::Plain).collect())
    }

    /// Appends a method call with one argument.
    pub(crate) fn with(self, name: &str, argument: Self) -> Self {
        self.chained(name, vec![argument])
    }

    fn chained(self, name: &str, arguments: Vec<Self>) -> Self {
        let call = Self::call(format!(".{name}"), arguments);
        match self {
            Self::Chain(base, mut calls) => {
                calls.push(call);
                Self::Chain(base, calls)
            }
            base => Self::Chain(Box::new(base), vec![call]),
        }
    }

    /// Prints the expression at the given indentation. `before` and `after` are the numbers of characters before and
    /// after it on its line.
    pub(crate) fn print(&self, indent: usize, before: usize, after: usize) -> String {
        let flat = self.flat();
        // A list with a single chain may be as long as its line.
        let is_one = matches!(self, Self::List(items) if matches!(items.as_slice(), [Self::Chain(..)]) && items[0].may_be_flat());
        if (is_one || self.may_be_flat()) && indent + before + flat.len() + after <= WIDTH {
            return flat;
        }
        self.print_broken(indent, before)
    }

    /// Prints the expression on several lines.
    fn print_broken(&self, indent: usize, before: usize) -> String {
        let inner = indent + 4;
        let (open, close) = (" ".repeat(inner), " ".repeat(indent));
        match self {
            Self::Plain(text) => text.clone(),
            Self::Borrowed(expression) => format!("&{}", expression.print_broken(indent, before + 1)),
            Self::Lazy(name, kind, made) => {
                let constant = made.assigned(inner, &format!("static MADE: {kind}"));
                format!("{name}(|| {{\n{constant}{open}&MADE\n{close}}})")
            }
            Self::Call(name, arguments) if arguments.is_empty() => format!("{name}()"),
            Self::Call(name, arguments) => {
                // A single argument that is broken itself stays within the parentheses.
                if let [
                    only @ (Self::List(_)
                    | Self::Items(..)
                    | Self::Struct(..)
                    | Self::Call(..)
                    | Self::Borrowed(_)),
                ] = arguments.as_slice()
                {
                    let begins = indent + before + name.len() + 1;
                    // A list may be longer than other arguments by its brackets.
                    let flat = only.flat();
                    if matches!(only, Self::List(_)) && only.may_be_flat() && begins + flat.len() + 2 <= WIDTH
                    {
                        return format!("{name}({flat})");
                    }
                    let text = only.print_broken(indent, before + name.len() + 1);
                    let first = text.lines().next().unwrap_or_default();
                    let is_squeezed = only.has_one_argument() && first.ends_with('(');
                    if begins + first.len() <= WIDTH && text.contains('\n') && !is_squeezed {
                        return format!("{name}({text})");
                    }
                }
                let arguments: String = arguments
                    .iter()
                    .map(|argument| format!("{open}{},\n", argument.print(inner, 0, 1)))
                    .collect();
                format!("{name}(\n{arguments}{close})")
            }
            Self::List(items) => {
                if let [only @ Self::Call(..)] = items.as_slice() {
                    return format!("&[{}]", only.print_broken(indent, before + 2));
                }
                let items: String = items
                    .iter()
                    .map(|item| format!("{open}{},\n", item.print(inner, 0, 1)))
                    .collect();
                format!("&[\n{items}{close}]")
            }
            Self::Items(begin, items) => {
                if let [only @ Self::Call(..)] = items.as_slice() {
                    return format!("{begin}{}]", only.print_broken(indent, before + begin.len()));
                }
                let items = items_broken(items, inner);
                format!("{begin}\n{items}{close}]")
            }
            Self::Struct(name, fields) => {
                let fields: String = fields
                    .iter()
                    .map(|(field, value)| {
                        format!("{open}{field}: {},\n", value.print(inner, field.len() + 2, 1))
                    })
                    .collect();
                format!("{name} {{\n{fields}{close}}}")
            }
            Self::Chain(base, calls) => {
                let base_text = base.print(indent, before, 0);
                if base_text.contains('\n') {
                    let calls: String = calls
                        .iter()
                        .map(|call| format!("\n{close}{}", call.print(indent, 0, 1)))
                        .collect();
                    return format!("{base_text}{calls}");
                }
                // A single call may be broken within its list.
                if let [only @ Self::Call(_, arguments)] = calls.as_slice()
                    && matches!(arguments.as_slice(), [Self::List(_)])
                    && !(only.may_be_flat() && inner + only.flat().len() < WIDTH)
                {
                    return format!(
                        "{base_text}{}",
                        only.print_broken(indent, before + base_text.len())
                    );
                }
                let calls: String = calls
                    .iter()
                    .map(|call| format!("\n{open}{}", call.print(inner, 0, 1)))
                    .collect();
                format!("{base_text}{calls}")
            }
        }
    }

    /// Returns true for a call with one argument, which is either broken within that argument or not at all.
    fn has_one_argument(&self) -> bool {
        match self {
            Self::Borrowed(expression) => expression.has_one_argument(),
            Self::Call(_, arguments) => arguments.len() == 1,
            _ => false,
        }
    }

    /// Prints `{target} = …;`. Moves the value to the next line if it fits there.
    pub(crate) fn assigned(&self, indent: usize, target: &str) -> String {
        let margin = " ".repeat(indent);
        let flat = self.flat();
        let before = target.len() + 3;
        if self.may_be_flat() && indent + before + flat.len() + 1 > WIDTH && indent + 4 + flat.len() < WIDTH {
            return format!("{margin}{target} =\n{margin}    {flat};\n");
        }
        format!("{margin}{target} = {};\n", self.print(indent, before, 1))
    }

    fn flat(&self) -> String {
        let list = |items: &[Self]| items.iter().map(Self::flat).collect::<Vec<_>>().join(", ");
        match self {
            Self::Plain(text) => text.clone(),
            Self::Borrowed(expression) => format!("&{}", expression.flat()),
            Self::Lazy(name, _, made) => format!("{name}(|| {{ {} }})", made.flat()),
            Self::Call(name, arguments) => format!("{name}({})", list(arguments)),
            Self::List(items) => format!("&[{}]", list(items)),
            Self::Items(begin, items) => format!("{begin}{}]", list(items)),
            Self::Struct(name, fields) if fields.is_empty() => format!("{name} {{}}"),
            Self::Struct(name, fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(field, value)| format!("{field}: {}", value.flat()))
                    .collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
            Self::Chain(base, calls) => {
                let calls: String = calls.iter().map(Self::flat).collect();
                format!("{}{calls}", base.flat())
            }
        }
    }

    /// Returns true if rustfmt would keep the expression on one line if there is enough space.
    fn may_be_flat(&self) -> bool {
        match self {
            Self::Plain(_) => true,
            Self::Lazy(..) => false,
            Self::Borrowed(expression) => expression.may_be_flat(),
            // rustfmt does not break the argument of a macro.
            Self::Call(_, arguments) if matches!(arguments.as_slice(), [Self::Plain(text)] if text.contains("!({")) => {
                true
            }
            Self::Call(name, arguments) => {
                arguments.iter().all(Self::may_be_flat) && self.flat().len() - name.len() - 2 <= SHORT
            }
            Self::List(items) => items.iter().all(Self::may_be_flat) && self.flat().len() - 3 <= SHORT,
            Self::Items(begin, items) => {
                items.iter().all(Self::may_be_flat) && self.flat().len() - begin.len() - 1 <= SHORT
            }
            Self::Struct(name, fields) => {
                let width = self.flat().len() - name.len() - 5;
                fields.is_empty() || width <= STRUCT && fields.iter().all(|(_, value)| value.may_be_flat())
            }
            Self::Chain(base, calls) => {
                let is_short = calls.len() == 1 || self.flat().len() <= SHORT;
                is_short && base.may_be_flat() && calls.iter().all(Self::may_be_flat)
            }
        }
    }
}

/// Prints the items of a broken array: one per line, or as many per line as fit if all are short.
fn items_broken(items: &[Expression], indent: usize) -> String {
    let margin = " ".repeat(indent);
    if items.iter().any(|item| item.flat().len() > ITEM) {
        return items
            .iter()
            .map(|item| format!("{margin}{},\n", item.print(indent, 0, 1)))
            .collect();
    }
    let mut text = String::new();
    let mut line = margin.clone();
    for item in items {
        let item = format!("{},", item.flat());
        if line.len() > indent && line.len() + 1 + item.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line.clone_from(&margin);
        }
        if line.len() > indent {
            line.push(' ');
        }
        line.push_str(&item);
    }
    format!("{text}{line}\n")
}

/// Prints a doc comment. Returns an empty string if there is no text.
pub(crate) fn doc(indent: usize, text: Option<&str>) -> String {
    let margin = " ".repeat(indent);
    let lines = text.into_iter().flat_map(str::lines);
    lines
        .map(|line| match line.trim_end() {
            "" => format!("{margin}///\n"),
            line => format!("{margin}/// {}\n", in_comment(line)),
        })
        .collect()
}

/// Escapes text for a line of a comment. Control characters are escaped, because Rust refuses some of them and a line
/// break would end the comment. Characters that change the text direction are escaped too, because they can make code
/// look different from what it is.
pub(crate) fn in_comment(text: &str) -> String {
    let is_refused = |letter: char| {
        letter != '\t' && letter.is_control()
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().fold(String::new(), |mut safe, letter| {
        if is_refused(letter) {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
        safe
    })
}

/// Prints `use path::{A, B};` in the order and layout of rustfmt.
pub(crate) fn import(path: &str, names: &[String]) -> String {
    import_within(path, names, WIDTH)
}

/// Prints `pub use path::{A, B};`.
pub(crate) fn reexport(path: &str, names: &[String]) -> String {
    format!("pub {}", import_within(path, names, WIDTH - "pub ".len()))
}

fn import_within(path: &str, names: &[String], width: usize) -> String {
    let mut names: Vec<_> = names.to_vec();
    names.sort();
    names.dedup();
    match names.as_slice() {
        [] => String::new(),
        [only] => format!("use {path}::{only};\n"),
        _ => {
            let flat = format!("use {path}::{{{}}};\n", names.join(", "));
            // rustfmt counts the line break.
            if flat.len() <= width {
                return flat;
            }
            let mut text = format!("use {path}::{{\n");
            let mut line = String::from("   ");
            for (number, name) in names.iter().enumerate() {
                // rustfmt does not count the comma of the last name.
                let comma = usize::from(number + 1 < names.len());
                if line.len() + name.len() + comma + 2 > WIDTH {
                    text.push_str(&line);
                    text.push('\n');
                    line = String::from("   ");
                }
                line.push(' ');
                line.push_str(name);
                line.push(',');
            }
            text.push_str(&line);
            text.push_str("\n};\n");
            text
        }
    }
}

/// Prints `use` statements in the order of rustfmt, with one statement per path.
pub(crate) fn imports<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let mut by_path: std::collections::BTreeMap<&str, Vec<String>> = std::collections::BTreeMap::new();
    for item in items {
        let (path, name) = item.rsplit_once("::").unwrap_or(("", item));
        by_path.entry(path).or_default().push(name.to_owned());
    }
    let mut statements: Vec<String> = by_path.iter().map(|(path, names)| import(path, names)).collect();
    statements.sort();
    statements.concat()
}

/// Prints the head of a function. If the head is too long, each parameter gets its own line.
pub(crate) fn signature(indent: usize, name: &str, given: &[String], result: &str) -> String {
    let margin = " ".repeat(indent);
    let flat = format!("{margin}{name}({}) -> {result} {{", given.join(", "));
    if flat.len() <= WIDTH {
        return flat;
    }
    let given: String = given.iter().map(|one| format!("\n{margin}    {one},")).collect();
    format!("{margin}{name}({given}\n{margin}) -> {result} {{")
}

/// Prints `Name { … }`. If the fields are too long, each gets its own line.
pub(crate) fn literal(indent: usize, name: &str, fields: &[String]) -> String {
    let flat = fields.join(", ");
    if flat.len() <= SHORT_LITERAL {
        return format!("{name} {{ {flat} }}");
    }
    let margin = " ".repeat(indent);
    let fields: String = fields
        .iter()
        .map(|field| format!("\n{margin}    {field},"))
        .collect();
    format!("{name} {{{fields}\n{margin}}}")
}

/// Prints a chain of method calls: on one line if it is short, otherwise with one call per line.
pub(crate) fn chain(indent: usize, base: &str, calls: &[String], around: usize) -> String {
    let flat = format!("{base}{}", calls.concat());
    // rustfmt does not treat a single call as a chain.
    let is_short = calls.len() == 1 || flat.len() <= SHORT;
    if is_short && indent + flat.len() + around <= WIDTH {
        return flat;
    }
    let margin = " ".repeat(indent + 4);
    let calls: String = calls.iter().map(|call| format!("\n{margin}{call}")).collect();
    format!("{base}{calls}")
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn keeps_code_that_fits_on_one_line() {
        let text = Expression::plain("Shape::TEXT")
            .method("min_length", Some("1".to_owned()))
            .method("max_length", Some("200".to_owned()));
        let property = Expression::call("Property::required", vec![Expression::plain("\"title\""), text]);
        assert_eq!(
            property.print(12, 0, 1),
            "Property::required(\"title\", Shape::TEXT.min_length(1).max_length(200))"
        );
    }
}
