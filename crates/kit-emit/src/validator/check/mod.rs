//! Emits the check of a type: a boolean function per object, which creates no closures and no objects.
//!
//! The conditions on scalars are inline, so that the check of an object is one expression on local variables. Objects and
//! arrays have functions of their own: exported for named types, private for anonymous types.

mod explain;
mod list;
mod object;
mod scalar;
mod union;

use kit_analysis::collect_references;
use kit_ir::{Declaration, DeclarationId, LiteralValue, Property, TypeId, TypeKind};

use super::template;
use crate::context::Context;
use crate::text::{Module, Path, Writer, function, literal};

/// Writes the checks of a declaration's module.
pub(crate) struct Checker<'a> {
    context: Context<'a>,
    /// Declaration whose module contains the checks.
    home: DeclarationId,
    /// True if the functions count the depth of nested values.
    counts_depth: bool,
    /// Number of recursive unions that enclose the current code within the generated function. Each counts as
    /// one level of depth.
    entered_levels: usize,
}

impl<'a> Checker<'a> {
    /// Creates a checker for a declaration. In a recursive declaration, every function counts its depth.
    pub(crate) fn new(context: Context<'a>, home: DeclarationId) -> Self {
        let counts_depth = context.analysis.is_recursive(home);
        Self {
            context,
            home,
            counts_depth,
            entered_levels: 0,
        }
    }

    /// Creates a checker whose functions do not count depth, for values that were already checked.
    pub(crate) fn uncounted(context: Context<'a>, home: DeclarationId) -> Self {
        Self {
            context,
            home,
            counts_depth: false,
            entered_levels: 0,
        }
    }

    /// Emits `export function isNote`.
    pub(crate) fn declare(&self, declaration: &Declaration, module: &mut Module) {
        let name = format!("is{}", declaration.name);
        let path = Path::root(&declaration.name);
        let recursive = self.counts_depth;
        let mut writer = Writer::default();
        let parameter = if recursive { ", depth = 0" } else { "" };
        let mut body = Writer::default();
        if recursive {
            let enter = module.helper("enter");
            body.line(format_args!("if (!{enter}(depth)) return false;"));
        }
        self.body(declaration.r#type, &path, &mut body, module);
        writer.block(
            format_args!("export function {name}(value{parameter}) {{"),
            "}",
            |writer| {
                writer.line(body.inner());
            },
        );
        module.push(writer);
    }

    /// Returns a condition on `value` that can be an operand of `&&`. The condition may evaluate `value`
    /// twice, so `value` must be cheap.
    pub(crate) fn condition(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        let program = self.context.program;
        let r#type = &program.types[id];
        let constraints = &r#type.constraints;
        match &r#type.kind {
            TypeKind::Unknown => format!("{}({value})", module.helper("isUnknown")),
            TypeKind::Never => "false".to_owned(),
            TypeKind::Null => format!("{value} === null"),
            TypeKind::Boolean => format!("typeof {value} === \"boolean\""),
            TypeKind::Number => scalar::number(value, constraints, module),
            TypeKind::String => scalar::string(value, constraints, path, module),
            TypeKind::BigInt => scalar::bigint(value, constraints, module),
            TypeKind::Date => {
                let helper = module.helper("isTimestamp");
                format!("typeof {value} === \"string\" && {helper}({value})")
            }
            TypeKind::Bytes => format!("{}({value})", module.helper("isBase64")),
            TypeKind::Literal {
                value: LiteralValue::BigInt(digits),
            } => {
                let (is, to) = (module.helper("isBigIntText"), module.helper("toBigInt"));
                format!("{is}({value}) && {to}({value}) === {digits}n")
            }
            TypeKind::Literal { value: expected } => format!("{value} === {}", literal::value(expected)),
            TypeKind::Template { parts } => {
                let texts = template::test(program, parts, path, module);
                scalar::template(value, &texts, constraints, path, module)
            }
            TypeKind::Reference { declaration } => self.reference(*declaration, value, module),
            TypeKind::Union { members } => self.union_condition(id, members, value, path, module),
            TypeKind::Array { .. } | TypeKind::Tuple { .. } | TypeKind::Object(_) => {
                self.private_function(id, value, path, module)
            }
        }
    }

    /// Returns a condition on a property that reads the property only once: `$is_…(value.title)`. A condition on a scalar
    /// with rules reads it several times, so the condition is a function, which all types with equal properties share.
    /// Returns `None` if the program is not large, because the calls make checks 8 to 16 % slower, and if the function would
    /// need the depth of the value or a private function of the module, or would contain only one more call.
    fn property_condition(
        &self,
        property: &Property,
        read: &str,
        path: &Path<'_>,
        module: &mut Module,
    ) -> Option<String> {
        if !self.context.analysis.is_large() {
            return None;
        }
        let condition = self.condition(property.r#type, "value", path, module);
        let reads_once = condition.matches("value").count() < 2;
        let is_optional = property.optional_in_input();
        if reads_once && !is_optional {
            return Some(self.condition(property.r#type, read, path, module));
        }
        let is_one_call = reads_once && condition.contains('(');
        if is_one_call || condition.contains("depth") || module.uses_private_names(&condition) {
            return None;
        }
        let condition = if is_optional {
            format!("value === undefined || {}", operand(&condition))
        } else {
            condition
        };
        let mut body = Writer::default();
        body.line(format_args!("return {condition};"));
        let name = module.item("is", "function ", &function("value", body), path);
        Some(format!("{name}({read})"))
    }

    /// Returns the condition that the variable `name` contains an invalid value of a property.
    fn refusal(&self, property: &Property, name: &str, path: &Path<'_>, module: &mut Module) -> String {
        let wrong = negated(&self.condition(property.r#type, name, path, module));
        if property.optional_in_input() {
            format!("{name} !== undefined && {wrong}")
        } else {
            wrong
        }
    }

    /// Emits the body of a function with the parameter `value`. It ends with `return`.
    fn body(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let r#type = &self.context.program.types[id];
        match &r#type.kind {
            TypeKind::Object(object) => self.object_body(object, path, body, module),
            TypeKind::Array { element } => self.array_body(*element, &r#type.constraints, path, body, module),
            TypeKind::Tuple { elements } => self.tuple_body(elements, path, body, module),
            TypeKind::Union { members } if !self.is_simple_union(id, members) => {
                self.union_body(id, path, body, module);
            }
            _ => {
                let condition = self.condition(id, "value", path, module);
                body.line(format_args!("return {condition};"));
            }
        }
    }

    fn private_function(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        let deep = self.counts_depth && self.reaches_recursive(id);
        let subject = format!("{} {deep}", id.0);
        let name = module.item_of("is", subject, path, |module| {
            let mut body = Writer::default();
            let checker = Checker {
                entered_levels: 0,
                ..*self
            };
            checker.body(id, path, &mut body, module);
            let depth = if deep { ", depth" } else { "" };
            ("function ", function(&format!("value{depth}"), body))
        });
        if deep {
            format!("{name}({value}, {})", self.depth(0))
        } else {
            format!("{name}({value})")
        }
    }

    fn reference(&self, target: DeclarationId, value: &str, module: &mut Module) -> String {
        let declaration = &self.context.program.declarations[target];
        let name = format!("is{}", declaration.name);
        if self.home != target {
            module.value(&crate::validator::import_path(&declaration.name), &name);
        }
        if self.context.analysis.is_recursive(target) && self.counts_depth {
            format!("{name}({value}, {})", self.depth(1))
        } else {
            format!("{name}({value})")
        }
    }

    /// Returns the expression for the depth of a value `more` levels below the current value: `depth + 1`.
    fn depth(&self, more: usize) -> String {
        match self.entered_levels + more {
            0 => "depth".to_owned(),
            levels => format!("depth + {levels}"),
        }
    }

    /// Returns true if a type refers to a recursive type, so that the check of the type must know the current
    /// depth.
    fn reaches_recursive(&self, id: TypeId) -> bool {
        let mut found = Vec::new();
        collect_references(self.context.program, id, &mut found);
        found
            .into_iter()
            .any(|target| self.context.analysis.is_recursive(target))
    }
}

/// Returns a condition in the form of an operand of `||`, in parentheses if needed.
fn operand(condition: &str) -> String {
    if condition.contains(" && ") {
        format!("({condition})")
    } else {
        condition.to_owned()
    }
}

/// Returns the negation of a condition.
fn negated(condition: &str) -> String {
    let code = without_texts(condition);
    if !code.contains(" && ") && !code.contains(" || ") {
        for (operator, opposite) in [(" === ", " !== "), (" !== ", " === ")] {
            let mut found = code.match_indices(operator);
            if let (Some((at, _)), None) = (found.next(), found.next()) {
                let (left, right) = (&condition[..at], &condition[at + operator.len()..]);
                return format!("{left}{opposite}{right}");
            }
        }
    }
    if condition.contains(' ') {
        format!("!({condition})")
    } else {
        format!("!{condition}")
    }
}

/// Returns code of the same length in which string literals contain only `_`.
fn without_texts(code: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let masked = code.bytes().map(|byte| {
        let was_text = is_text;
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ => {}
        }
        if (was_text && is_text) || !byte.is_ascii() {
            '_'
        } else {
            char::from(byte)
        }
    });
    masked.collect()
}

#[cfg(test)]
mod tests {
    use super::negated;

    #[test]
    fn negates_operators_only_outside_of_texts() {
        let cases = [
            ("value === 1", "value !== 1"),
            (r#"value === "a !== b""#, r#"value !== "a !== b""#),
            (r#"value === "a === b !== c""#, r#"value !== "a === b !== c""#),
            (r#"value === "a === b""#, r#"value !== "a === b""#),
            (r#"value === "é\" && ""#, r#"value !== "é\" && ""#),
            (r#"isTag(value["a === b"])"#, r#"!(isTag(value["a === b"]))"#),
            ("ü !== undefined", "ü === undefined"),
            ("a === 1 && b === 2", "!(a === 1 && b === 2)"),
            ("isTag(value)", "!isTag(value)"),
        ];
        for (condition, expected) in cases {
            assert_eq!(negated(condition), expected);
        }
    }
}
