//! The fast check: one boolean function an object, without closures and without allocation.
//!
//! Scalars are written inline, so that an object's check is one expression on locals. Containers become functions: those of
//! named types are exported, those of anonymous ones private to the module.

use kit_ir::{
    Constraints, Declaration, DeclarationId, Format, LiteralValue, ObjectType, TupleElement, TypeId, TypeKind,
};

use super::names::{is_inherited, is_no_index, local};
use super::template;
use crate::Context;
use crate::analysis::{collect_references, discriminant, literals, ordered_members};
use crate::text::{Module, Writer, literal};

/// From so many literals on, a set is faster than comparing one by one.
const SET_FROM: usize = 9;

/// Writes checks.
pub(crate) struct Checker<'a> {
    context: Context<'a>,
    /// The declaration whose module is written.
    home: DeclarationId,
    /// Whether the functions that are written count how deep they are.
    counted: bool,
}

impl<'a> Checker<'a> {
    /// Writes the check of a declaration. In a recursive one every function knows its depth.
    pub(crate) fn new(context: Context<'a>, home: DeclarationId) -> Self {
        let counted = context.analysis.is_recursive(home);
        Self {
            context,
            home,
            counted,
        }
    }

    /// Writes conditions for functions that do not count, because they run on values that were checked.
    pub(crate) fn uncounted(context: Context<'a>, home: DeclarationId) -> Self {
        Self {
            context,
            home,
            counted: false,
        }
    }

    /// `export function isNote`.
    pub(crate) fn declare(&self, declaration: &Declaration, module: &mut Module) {
        let name = format!("is{}", declaration.name);
        let path = vec![declaration.name.clone()];
        let doc = format!("Whether a parsed JSON value is a `{}`.", declaration.name);
        let recursive = self.counted;
        let mut writer = Writer::default();
        writer.doc(&doc);
        let parameter = if recursive { ", depth = 0" } else { "" };
        let mut body = Writer::default();
        if recursive {
            let enter = module.helper("enter");
            body.line(format!("if (!{enter}(depth)) return false;"));
        }
        self.body(declaration.r#type, &path, &mut body, module);
        writer.block(
            format!("export function {name}(value: unknown{parameter}): boolean {{"),
            "}",
            |writer| {
                writer.line(body.finish().trim_end());
            },
        );
        module.push(writer);
    }

    /// A condition on an expression that costs nothing to repeat. It can stand beside `&&`.
    pub(crate) fn condition(&self, id: TypeId, value: &str, path: &[String], module: &mut Module) -> String {
        let program = self.context.program;
        let r#type = &program.types[id];
        let constraints = &r#type.constraints;
        match &r#type.kind {
            TypeKind::Unknown => format!("{value} !== undefined"),
            TypeKind::Never => "false".to_owned(),
            TypeKind::Null => format!("{value} === null"),
            TypeKind::Boolean => format!("typeof {value} === \"boolean\""),
            TypeKind::Number => number(value, constraints, module),
            TypeKind::String => string(value, constraints, path, module),
            TypeKind::BigInt => bigint(value, constraints, module),
            TypeKind::Date => {
                let helper = module.helper("isDateTime");
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
                let pattern = module.pattern(&template::pattern(program, parts), path);
                format!("typeof {value} === \"string\" && {pattern}.test({value})")
            }
            TypeKind::Reference { declaration } => self.reference(*declaration, value, module),
            TypeKind::Union { members } => self.union_condition(id, members, value, path, module),
            TypeKind::Array { .. } | TypeKind::Tuple { .. } | TypeKind::Object(_) => {
                self.private_function(id, value, path, module)
            }
        }
    }

    /// The statements of a function of `value` that ends in `return`.
    fn body(&self, id: TypeId, path: &[String], body: &mut Writer, module: &mut Module) {
        let r#type = &self.context.program.types[id];
        match &r#type.kind {
            TypeKind::Object(object) => self.object_body(object, path, body, module),
            TypeKind::Array { element } => self.array_body(*element, &r#type.constraints, path, body, module),
            TypeKind::Tuple { elements } => self.tuple_body(elements, path, body, module),
            TypeKind::Union { members } if self.simple_union(id).is_none() => {
                self.union_body(members, path, body, module);
            }
            _ => {
                let condition = self.condition(id, "value", path, module);
                body.line(format!("return {condition};"));
            }
        }
    }

    fn private_function(&self, id: TypeId, value: &str, path: &[String], module: &mut Module) -> String {
        let deep = self.counted && self.reaches_recursive(id);
        let subject = format!("{} {deep}", id.0);
        let name = module.once("is", subject, path, |module, name| {
            let mut body = Writer::default();
            self.body(id, path, &mut body, module);
            let parameter = if deep { ", depth: number" } else { "" };
            let mut writer = Writer::default();
            let opening = format!("function {name}(value: unknown{parameter}): boolean {{");
            writer.block(opening, "}", |writer| writer.line(body.finish().trim_end()));
            module.push(writer);
        });
        if deep {
            format!("{name}({value}, depth)")
        } else {
            format!("{name}({value})")
        }
    }

    fn reference(&self, target: DeclarationId, value: &str, module: &mut Module) -> String {
        let declaration = &self.context.program.declarations[target];
        let name = format!("is{}", declaration.name);
        if self.home != target {
            module.value(
                &format!("../validators/{}", super::file_name(&declaration.name)),
                &name,
            );
        }
        if self.context.analysis.is_recursive(target) && self.counted {
            format!("{name}({value}, depth + 1)")
        } else {
            format!("{name}({value})")
        }
    }

    fn object_body(&self, object: &ObjectType, path: &[String], body: &mut Writer, module: &mut Module) {
        let is_object = module.helper("isObject");
        body.line(format!("if (!{is_object}(value)) return false;"));
        let mut conditions = Vec::new();
        for (position, property) in object.properties.iter().enumerate() {
            let name = local(&property.name, position);
            let read = if is_inherited(&property.name) {
                format!(
                    "{}(value, {})",
                    module.helper("own"),
                    literal::string(&property.name)
                )
            } else {
                format!("value[{}]", literal::string(&property.name))
            };
            body.line(format!("const {name} = {read};"));
            let condition = self.condition(property.r#type, &name, &extend(path, &property.name), module);
            conditions.push(if property.optional_in_input() {
                format!("({name} === undefined || {})", operand(&condition))
            } else {
                condition
            });
        }
        if let Some(index) = object.index {
            if !conditions.is_empty() {
                body.line(format!("if (!({})) return false;", conditions.join(" && ")));
            }
            body.block("for (const key in value) {", "}", |body| {
                let skip = format!("!Object.hasOwn(value, key) || {}", is_no_index(object));
                body.line(format!("if ({skip}) continue;"));
                body.line("const item = value[key];");
                let condition = self.condition(index, "item", &extend(path, "Value"), module);
                body.line(format!("if ({}) return false;", negated(&condition)));
            });
            body.line("return true;");
        } else if conditions.is_empty() {
            body.line("return true;");
        } else if let [only] = conditions.as_slice() {
            body.line(format!("return {only};"));
        } else {
            body.block("return (", ");", |body| body.line(conditions.join(" &&\n")));
        }
    }

    fn array_body(
        &self,
        element: TypeId,
        constraints: &Constraints,
        path: &[String],
        body: &mut Writer,
        module: &mut Module,
    ) {
        body.line("if (!Array.isArray(value)) return false;");
        if let Some(min) = constraints.min_items.filter(|min| *min > 0) {
            body.line(format!("if (value.length < {min}) return false;"));
        }
        if let Some(max) = constraints.max_items {
            body.line(format!("if (value.length > {max}) return false;"));
        }
        body.block(
            "for (let index = 0; index < value.length; index++) {",
            "}",
            |body| {
                body.line("const item: unknown = value[index];");
                let condition = self.condition(element, "item", &extend(path, "Item"), module);
                body.line(format!("if ({}) return false;", negated(&condition)));
            },
        );
        if constraints.unique_items {
            body.line(format!("return {}(value);", module.helper("hasUniqueItems")));
        } else {
            body.line("return true;");
        }
    }

    fn tuple_body(&self, elements: &[TupleElement], path: &[String], body: &mut Writer, module: &mut Module) {
        let rest = elements.iter().position(|element| element.rest);
        let least = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        body.line("if (!Array.isArray(value)) return false;");
        if least > 0 {
            body.line(format!("if (value.length < {least}) return false;"));
        }
        if rest.is_none() {
            body.line(format!("if (value.length > {}) return false;", elements.len()));
        }
        for (position, element) in elements.iter().enumerate() {
            let path = extend(path, &format!("Item{position}"));
            if element.rest {
                let after = elements.len() - position - 1;
                let end = if after == 0 {
                    "value.length".to_owned()
                } else {
                    format!("value.length - {after}")
                };
                body.block(
                    format!("for (let index = {position}; index < {end}; index++) {{"),
                    "}",
                    |body| {
                        body.line("const item: unknown = value[index];");
                        let condition = self.condition(element.r#type, "item", &path, module);
                        body.line(format!("if ({}) return false;", negated(&condition)));
                    },
                );
                continue;
            }
            let name = format!("item{position}");
            let at = if rest.is_some_and(|rest| position > rest) {
                format!("value.length - {}", elements.len() - position)
            } else {
                position.to_string()
            };
            body.line(format!("const {name}: unknown = value[{at}];"));
            let condition = self.condition(element.r#type, &name, &path, module);
            let absent = if element.optional {
                format!("value.length > {position} && ")
            } else {
                String::new()
            };
            body.line(format!("if ({absent}{}) return false;", negated(&condition)));
        }
        body.line("return true;");
    }

    fn union_condition(
        &self,
        id: TypeId,
        members: &[TypeId],
        value: &str,
        path: &[String],
        module: &mut Module,
    ) -> String {
        if let Some(literals) = literals(self.context.program, id)
            && literals.len() >= SET_FROM
        {
            let choices = module.once("choices", id.0.to_string(), path, |module, name| {
                let values = literal::list("[", literals.iter().map(literal::value), "]");
                let mut writer = Writer::default();
                writer.line(format!("const {name}: ReadonlySet<unknown> = new Set({values});"));
                module.push(writer);
            });
            return format!("{choices}.has({value})");
        }
        if self.simple_union(id).is_none() {
            return self.private_function(id, value, path, module);
        }
        let conditions: Vec<_> = members
            .iter()
            .map(|member| operand(&self.condition(*member, value, path, module)))
            .collect();
        format!("({})", conditions.join(" || "))
    }

    /// Something where the union is one inline expression: at most one of its members is an object.
    fn simple_union(&self, id: TypeId) -> Option<()> {
        let TypeKind::Union { members } = &self.context.program.types[id].kind else {
            return None;
        };
        discriminant(self.context.program, members)
            .is_none()
            .then_some(())
    }

    fn union_body(&self, members: &[TypeId], path: &[String], body: &mut Writer, module: &mut Module) {
        let program = self.context.program;
        let found = discriminant(program, members);
        let members = ordered_members(program, members);
        let is_case = |id: &TypeId| {
            found
                .as_ref()
                .is_some_and(|found| found.cases.iter().any(|(case, _)| case == id))
        };
        for (position, member) in members.iter().enumerate().filter(|(_, member)| !is_case(member)) {
            let condition = self.condition(
                *member,
                "value",
                &extend(path, &format!("Member{position}")),
                module,
            );
            body.line(format!("if ({condition}) return true;"));
        }
        let Some(found) = found else {
            body.line("return false;");
            return;
        };
        let is_object = module.helper("isObject");
        body.line(format!("if (!{is_object}(value)) return false;"));
        let property = literal::string(&found.property);
        let tag = if is_inherited(&found.property) {
            format!("{}(value, {property})", module.helper("own"))
        } else {
            format!("value[{property}]")
        };
        body.block(format!("switch ({tag}) {{"), "}", |body| {
            for (position, (member, literals)) in found.cases.iter().enumerate() {
                for literal in literals {
                    body.line(format!("case {}:", literal::value(literal)));
                }
                let condition = self.condition(
                    *member,
                    "value",
                    &extend(path, &format!("Case{position}")),
                    module,
                );
                body.line(format!("  return {condition};"));
            }
            body.line("default:");
            body.line("  return false;");
        });
    }

    /// Whether a type refers to a recursive one, so that its check must know how deep it is.
    fn reaches_recursive(&self, id: TypeId) -> bool {
        let mut found = Vec::new();
        collect_references(self.context.program, id, &mut found);
        found
            .into_iter()
            .any(|target| self.context.analysis.is_recursive(target))
    }
}

/// A condition beside `||`.
fn operand(condition: &str) -> String {
    if condition.contains(" && ") {
        format!("({condition})")
    } else {
        condition.to_owned()
    }
}

/// The opposite of a condition.
fn negated(condition: &str) -> String {
    if condition.contains(' ') {
        format!("!({condition})")
    } else {
        format!("!{condition}")
    }
}

/// The path to a part of a type, from which private functions get their names.
pub(crate) fn extend(path: &[String], step: &str) -> Vec<String> {
    let mut path = path.to_vec();
    path.push(step.to_owned());
    path
}

fn number(value: &str, constraints: &Constraints, module: &mut Module) -> String {
    let mut conditions = vec![format!("typeof {value} === \"number\"")];
    let check = if constraints.integer {
        "isSafeInteger"
    } else {
        "isFinite"
    };
    conditions.push(format!("Number.{check}({value})"));
    conditions.extend(bounds(value, constraints));
    if let Some(divisor) = constraints.multiple_of {
        let helper = module.helper("isMultipleOf");
        conditions.push(format!("{helper}({value}, {})", literal::number(divisor.get())));
    }
    conditions.join(" && ")
}

fn bigint(value: &str, constraints: &Constraints, module: &mut Module) -> String {
    let is = module.helper("isBigIntText");
    let mut conditions = vec![format!("{is}({value})")];
    if bounds("", constraints).next().is_some() || constraints.multiple_of.is_some() {
        let number = format!("{}({value})", module.helper("toBigInt"));
        conditions.extend(bounds(&number, constraints));
        if let Some(divisor) = constraints.multiple_of {
            let helper = module.helper("isMultipleOf");
            conditions.push(format!("{helper}({number}, {})", literal::number(divisor.get())));
        }
    }
    conditions.join(" && ")
}

fn bounds(value: &str, constraints: &Constraints) -> impl Iterator<Item = String> {
    [
        (">=", constraints.minimum),
        ("<=", constraints.maximum),
        (">", constraints.exclusive_minimum),
        ("<", constraints.exclusive_maximum),
    ]
    .into_iter()
    .filter_map(move |(operator, bound)| {
        Some(format!("{value} {operator} {}", literal::number(bound?.get())))
    })
    .collect::<Vec<_>>()
    .into_iter()
}

fn string(value: &str, constraints: &Constraints, path: &[String], module: &mut Module) -> String {
    let mut conditions = vec![format!("typeof {value} === \"string\"")];
    conditions.extend(length(value, constraints, module));
    if let Some(format) = constraints.format {
        let helper = module.helper(match format {
            Format::Email => "isEmail",
            Format::Uri => "isUri",
            Format::Uuid => "isUuid",
            Format::Date => "isCalendarDate",
            Format::DateTime => "isDateTime",
            Format::Ipv4 => "isIpv4",
            Format::Ipv6 => "isIpv6",
        });
        conditions.push(format!("{helper}({value})"));
    }
    if let Some(pattern) = &constraints.pattern {
        let pattern = module.pattern(pattern, path);
        conditions.push(format!("{pattern}.test({value})"));
    }
    conditions.join(" && ")
}

/// Bounds of code points. A string of `n` UTF-16 units has `n / 2` to `n` code points, so its length alone decides all but a few.
fn length(value: &str, constraints: &Constraints, module: &mut Module) -> Option<String> {
    let min = constraints.min_length.filter(|min| *min > 0);
    match (min, constraints.max_length) {
        (None, None) => None,
        (Some(1), None) => Some(format!("{value}.length >= 1")),
        (min, max) => {
            let helper = module.helper("codePointsWithin");
            let most = max.map_or("Infinity".to_owned(), |max| max.to_string());
            let exact = format!("{helper}({value}, {}, {most})", min.unwrap_or(0));
            let sure: Vec<_> = [
                min.map(|min| format!("{value}.length >= {}", if min == 1 { 1 } else { min * 2 })),
                max.map(|max| format!("{value}.length <= {max}")),
            ]
            .into_iter()
            .flatten()
            .collect();
            // Where no length is surely right, there is nothing to try first.
            let never_sure = matches!((min, max), (Some(min), Some(max)) if min > 1 && min * 2 > max);
            Some(if never_sure {
                exact
            } else if sure.len() == 1 {
                format!("({} || {exact})", sure[0])
            } else {
                format!("(({}) || {exact})", sure.join(" && "))
            })
        }
    }
}
