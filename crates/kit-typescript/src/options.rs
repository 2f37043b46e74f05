//! Locations of options in a configuration file such as `kit.config.ts`, for diagnostics about an option. The
//! values of the options are not read here: they come from running the file.

use std::collections::BTreeMap;
use std::ops::Range;

use kit_diagnostics::Label;
use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrayExpressionElement, Declaration, Expression, ObjectPropertyKind, Program, Statement};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

use crate::source::LineIndex;
use crate::stack::StackSize;

/// Locations of options, each by its path in the configuration: `database.adapter`, `typeFiles[0]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OptionLocations {
    locations: BTreeMap<String, OptionLocation>,
}

/// Location of one option.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OptionLocation {
    key: Range<usize>,
    value: Range<usize>,
    /// Line and column of the key, then of the value, both counted from 1.
    at: [(u32, u32); 2],
}

impl OptionLocations {
    /// Finds the options in the default export of a module. The export may be wrapped in `defineConfig(…)`,
    /// `as` or `satisfies`, and may refer to constants of the same file. Options that are computed or
    /// imported have no location.
    ///
    /// ```
    /// use kit_typescript::OptionLocations;
    ///
    /// let locations = OptionLocations::of_module("export default defineConfig({\n  outputDir: \"x\",\n});\n");
    /// let label = locations.value("outputDir", "kit.config.ts").unwrap();
    /// assert_eq!((label.line, label.column), (2, 14));
    /// ```
    pub fn of_module(text: &str) -> Self {
        Self::find(text, |finder, program| {
            let default = program.body.iter().find_map(|statement| match statement {
                Statement::ExportDefaultDeclaration(export) => export.declaration.as_expression(),
                _ => None,
            });
            if let Some(expression) = default {
                finder.visit("", expression, program, 0);
            }
        })
    }

    /// Finds the options in one property of a JSON document, such as `kit` in `package.json`.
    pub fn of_member(text: &str, member: &str) -> Self {
        // A JSON document is not a statement of TypeScript, so it is parsed in parentheses, and the offsets
        // are reduced by one below. A byte order mark in parentheses counts as whitespace.
        let prefixed = format!("({text})");
        let mut found = Self::find(&prefixed, |finder, program| {
            let [Statement::ExpressionStatement(statement)] = program.body.as_slice() else {
                return;
            };
            let Expression::ParenthesizedExpression(inner) = &statement.expression else {
                return;
            };
            finder.visit("", &inner.expression, program, 0);
        });
        let lines = LineIndex::new(text);
        let within = format!("{member}.");
        found.locations = std::mem::take(&mut found.locations)
            .into_iter()
            .filter_map(|(path, mut location)| {
                let path = if path == member {
                    String::new()
                } else {
                    path.strip_prefix(&within)?.to_owned()
                };
                for (range, at) in [&mut location.key, &mut location.value]
                    .into_iter()
                    .zip(&mut location.at)
                {
                    *range = range.start.saturating_sub(1)..range.end.saturating_sub(1);
                    *at = position(&lines, text, range.start);
                }
                Some((path, location))
            })
            .collect();
        found
    }

    /// Returns a label at the key of an option, for a file with the given path. Returns `None` if the option
    /// has no location.
    pub fn key(&self, option: &str, path: &str) -> Option<Label> {
        let location = self.locations.get(option)?;
        Some(Label::primary(path, location.key.clone()).at(location.at[0].0, location.at[0].1))
    }

    /// Returns a label at the value of an option. If it has no location, returns the label of the option that
    /// contains it.
    pub fn value(&self, option: &str, path: &str) -> Option<Label> {
        let mut option = option;
        loop {
            if let Some(location) = self.locations.get(option) {
                return Some(
                    Label::primary(path, location.value.clone()).at(location.at[1].0, location.at[1].1),
                );
            }
            option = match option.rfind(['.', '[']) {
                Some(end) => &option[..end],
                None if option.is_empty() => return None,
                None => "",
            };
        }
    }

    fn find(text: &str, visit: impl FnOnce(&mut Finder<'_>, &Program<'_>)) -> Self {
        let allocator = Allocator::default();
        let stack_size = StackSize::for_text(text);
        stack_size.run(|| {
            let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
            let mut finder = Finder {
                text,
                lines: LineIndex::new(text),
                found: Self::default(),
            };
            visit(&mut finder, &parsed.program);
            finder.found
        })
    }
}

/// Maximum number of constants that are followed to the value of an option. The limit stops a constant that
/// refers to itself.
const MAX_STEPS: usize = 20;

struct Finder<'t> {
    text: &'t str,
    lines: LineIndex,
    found: OptionLocations,
}

impl Finder<'_> {
    fn visit(&mut self, path: &str, expression: &Expression<'_>, program: &Program<'_>, steps: usize) {
        if path.is_empty() {
            self.add(path, expression.span(), expression.span());
        }
        match expression {
            Expression::ParenthesizedExpression(inner) => self.visit(path, &inner.expression, program, steps),
            Expression::TSAsExpression(inner) => self.visit(path, &inner.expression, program, steps),
            Expression::TSSatisfiesExpression(inner) => self.visit(path, &inner.expression, program, steps),
            Expression::AwaitExpression(inner) => self.visit(path, &inner.argument, program, steps),
            Expression::CallExpression(call) if path.is_empty() => {
                if let Some(argument) = call
                    .arguments
                    .first()
                    .and_then(|argument| argument.as_expression())
                {
                    self.visit(path, argument, program, steps);
                }
            }
            Expression::Identifier(name) if steps < MAX_STEPS => {
                if let Some(value) = constant(program, name.name.as_str()) {
                    self.visit(path, value, program, steps + 1);
                }
            }
            Expression::ObjectExpression(object) => {
                for member in &object.properties {
                    let ObjectPropertyKind::ObjectProperty(property) = member else {
                        continue;
                    };
                    let Some(name) = property.key.static_name() else {
                        continue;
                    };
                    let inner = if path.is_empty() {
                        name.to_string()
                    } else {
                        format!("{path}.{name}")
                    };
                    self.add(&inner, property.key.span(), property.value.span());
                    self.visit(&inner, &property.value, program, steps);
                }
            }
            Expression::ArrayExpression(array) => {
                // After a spread, the indexes of the elements are not known.
                let known = array
                    .elements
                    .iter()
                    .take_while(|element| !matches!(element, ArrayExpressionElement::SpreadElement(_)));
                for (index, element) in known.enumerate() {
                    if let Some(value) = element.as_expression() {
                        let inner = format!("{path}[{index}]");
                        self.add(&inner, value.span(), value.span());
                        self.visit(&inner, value, program, steps);
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, path: &str, key: Span, value: Span) {
        let range = |span: Span| span.start as usize..span.end as usize;
        let at = [key, value].map(|span| position(&self.lines, self.text, span.start as usize));
        let location = OptionLocation {
            key: range(key),
            value: range(value),
            at,
        };
        // A constant is visited after the expression that refers to it, and the location of that expression
        // is kept.
        self.found.locations.entry(path.to_owned()).or_insert(location);
    }
}

fn position(lines: &LineIndex, text: &str, offset: usize) -> (u32, u32) {
    lines.position(text, u32::try_from(offset).unwrap_or(u32::MAX))
}

/// Returns the value of a top-level variable of the module.
fn constant<'a, 'p>(program: &'p Program<'a>, name: &str) -> Option<&'p Expression<'a>> {
    program.body.iter().find_map(|statement| {
        let declaration = match statement {
            Statement::VariableDeclaration(declaration) => declaration,
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::VariableDeclaration(declaration) => declaration,
                _ => return None,
            },
            _ => return None,
        };
        declaration.declarations.iter().find_map(|declarator| {
            let own = declarator.id.get_identifier_name()?;
            (own.as_str() == name)
                .then_some(declarator.init.as_ref())
                .flatten()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::OptionLocations;

    fn line(locations: &OptionLocations, option: &str) -> Option<(u32, u32)> {
        locations
            .value(option, "x")
            .map(|label| (label.line, label.column))
    }

    #[test]
    fn finds_an_option_in_every_form_of_default_export() {
        for text in [
            "export default {\n  database: { adapter: 1 } };",
            "import { defineConfig } from '@kit/cli';\nexport default defineConfig({ database: { adapter: 1 } });",
            "\nconst c = { database: { adapter: 1 } } as const; export default c satisfies object;",
            "const inner = {\n adapter: 1 };\nexport default { database: inner };",
        ] {
            let locations = OptionLocations::of_module(text);
            assert_eq!(line(&locations, "database.adapter").unwrap().0, 2, "{text}");
        }
    }

    #[test]
    fn an_option_without_its_own_location_has_the_location_of_the_enclosing_option() {
        let locations = OptionLocations::of_module("export default {\n  typeFiles: make(),\n};");
        assert_eq!(line(&locations, "typeFiles[3]"), Some((2, 14)));
        assert_eq!(line(&locations, "other"), Some((1, 16)));
        assert_eq!(line(&OptionLocations::of_module("export default"), "other"), None);
        assert_eq!(
            line(
                &OptionLocations::of_module("const a = b, b = a; export default a;"),
                "x"
            ),
            Some((1, 36))
        );
    }

    #[test]
    fn finds_an_option_in_one_property_of_a_json_document() {
        let text = "{\n  \"name\": \"a\",\n  \"kit\": {\n    \"compiler\": \"x\"\n  }\n}\n";
        let locations = OptionLocations::of_member(text, "kit");
        let label = locations.key("compiler", "package.json").unwrap();
        assert_eq!((label.line, label.column), (4, 5));
        assert_eq!(&text[label.range], "\"compiler\"");
        assert_eq!(line(&locations, "compiler"), Some((4, 17)));
        assert_eq!(
            locations.value("name", "package.json").unwrap().line,
            3,
            "outside of the member"
        );
    }
}
