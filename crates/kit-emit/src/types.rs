//! Emits `types.ts`: the TypeScript type of each declaration, with its documentation.

use std::sync::Arc;

use kit_analysis::TypePrinter;
use kit_ir::{
    Declaration, DeclarationId, Documentation, IndexKey, IndexSignature, ObjectType, Program, Property,
    TemplatePart, TypeId, TypeKind,
};

use crate::context::Context;
use crate::job::{Job, PartCache};
use crate::text::{Writer, literal, unchecked_header};

/// Maximum length of an object type on one line. A longer type has one property per line.
const INLINE: usize = 80;

/// Returns the printed declarations, in order. `known` contains unchanged declarations of earlier builds.
pub(crate) fn parts(context: Context<'_>, known: &mut PartCache) -> Vec<Arc<String>> {
    let declarations: Vec<_> = context.program.declarations.iter_ids().collect();
    known.get_or_create(
        &declarations,
        |(id, _)| context.is_unchanged(*id),
        |(id, _)| context.module_key(*id),
        |(_, declaration)| {
            let mut writer = Writer::default();
            write_declaration(context, declaration, &mut writer);
            writer.finish()
        },
    )
}

pub(crate) fn emit(parts: &[Arc<String>]) -> Job<'_> {
    Job::whole("types.ts", move || {
        let mut text = unchecked_header("the types and contracts of the project");
        text.reserve_exact(parts.iter().map(|part| part.len() + 1).sum());
        for part in parts {
            text.push('\n');
            text.push_str(part);
        }
        if parts.is_empty() {
            text.push_str("\nexport {};\n");
        }
        text
    })
}

/// Prints a type on one line.
pub(crate) fn type_text(context: Context<'_>, id: TypeId) -> String {
    CodePrinter { context, input: None }.text(id)
}

/// Names of the types that clients send.
pub(crate) trait InputNames {
    /// Returns the name of the type of the values that clients send, if the contract names this declaration.
    fn name(&self, declaration: DeclarationId) -> String;
}

/// Prints the type that clients send for a declaration. Properties that the server fills in, such as
/// `@generated` ones, are optional.
pub(crate) fn write_input(
    context: Context<'_>,
    declaration: &Declaration,
    name: &str,
    names: &dyn InputNames,
    writer: &mut Writer,
) {
    let printer = CodePrinter {
        context,
        input: Some(names),
    };
    printer.declare(declaration, name, writer);
}

fn write_declaration(context: Context<'_>, declaration: &Declaration, writer: &mut Writer) {
    CodePrinter { context, input: None }.declare(declaration, &declaration.name, writer);
}

fn doc_text(documentation: &Documentation) -> String {
    let mut text = documentation.description.clone().unwrap_or_default();
    if let Some(reason) = &documentation.deprecated {
        text.push_str("\n\n@deprecated ");
        text.push_str(reason);
    }
    text
}

/// Returns true if an index signature may accept a key. If the answer is not certain, returns true: the
/// printed type then allows more values.
fn may_take(key: &IndexKey, name: &str) -> bool {
    let text = |part: Option<&TemplatePart>| match part {
        Some(TemplatePart::Text(text)) => text.clone(),
        _ => String::new(),
    };
    match key {
        IndexKey::String => true,
        IndexKey::Number => name.parse::<f64>().is_ok(),
        IndexKey::Template { parts } => {
            name.starts_with(&text(parts.first())) && name.ends_with(&text(parts.last()))
        }
    }
}

/// Prints types as valid code, with doc comments. TypeScript accepts the text for every type of the IR.
struct CodePrinter<'a> {
    context: Context<'a>,
    /// Names of the types that clients send. `None` to print the types of the server.
    input: Option<&'a dyn InputNames>,
}

impl CodePrinter<'_> {
    fn declare(&self, declaration: &Declaration, name: &str, writer: &mut Writer) {
        writer.doc(&doc_text(&declaration.documentation));
        match &self.context.program.types[declaration.r#type].kind {
            TypeKind::Object(object) if object.index.is_empty() => {
                writer.block(format_args!("export interface {name} {{"), "}", |writer| {
                    self.members(object, writer);
                });
            }
            _ => {
                let text = self.text(declaration.r#type);
                writer.line(format_args!("export type {name} = {text};"));
            }
        }
    }

    /// Returns `?` if the property may be omitted.
    fn mark(&self, property: &Property) -> &'static str {
        let filled_in = property.tags.default.is_some() || property.tags.generated.is_some();
        if property.optional || (self.input.is_some() && filled_in) {
            "?"
        } else {
            ""
        }
    }

    fn members(&self, object: &ObjectType, writer: &mut Writer) {
        for property in &object.properties {
            writer.doc(&doc_text(&property.documentation));
            let key = literal::key(&property.name);
            let optional = self.mark(property);
            let text = self.text(property.r#type);
            match &self.context.program.types[property.r#type].kind {
                TypeKind::Object(inner) if inner.index.is_empty() && text.len() > INLINE => {
                    writer.block(format_args!("{key}{optional}: {{"), "};", |writer| {
                        self.members(inner, writer);
                    });
                }
                _ => writer.line(format_args!("{key}{optional}: {text};")),
            }
        }
    }

    /// Prints an index signature. TypeScript requires that its type includes the types of the declared
    /// properties, and `undefined` if a property is optional. `[key: string]` must also include the types of
    /// the other signatures.
    fn index(&self, object: &ObjectType, signature: &IndexSignature) -> String {
        let key = self.index_key(&signature.key);
        let covered: Vec<_> = object
            .properties
            .iter()
            .filter(|property| may_take(&signature.key, &property.name))
            .collect();
        let others = object
            .index
            .iter()
            .filter(|_| signature.key == IndexKey::String)
            .map(|other| other.value);
        let mut text = self.text(signature.value);
        for r#type in covered.iter().map(|property| property.r#type).chain(others) {
            let member = self.text(r#type);
            if text != "unknown" && text != member && !text.split(" | ").any(|part| part == member) {
                text = format!("{text} | {member}");
            }
        }
        if text != "unknown" && covered.iter().any(|property| !self.mark(property).is_empty()) {
            text.push_str(" | undefined");
        }
        format!("[key: {key}]: {text}")
    }
}

impl TypePrinter for CodePrinter<'_> {
    fn program(&self) -> &Program {
        self.context.program
    }

    fn object(&self, object: &ObjectType) -> String {
        let fields = object.properties.iter().map(|property| {
            let optional = self.mark(property);
            format!(
                "{}{optional}: {}",
                literal::key(&property.name),
                self.text(property.r#type)
            )
        });
        let index = object.index.iter().map(|signature| self.index(object, signature));
        let members: Vec<_> = fields.chain(index).collect();
        if members.is_empty() {
            // The type `{}` would also accept strings and numbers.
            return format!("{}<never, never>", self.global("Record"));
        }
        format!("{{ {} }}", members.join("; "))
    }

    fn reference(&self, declaration: DeclarationId) -> String {
        match self.input {
            Some(names) => names.name(declaration),
            None => self.context.program.declarations[declaration].name.clone(),
        }
    }

    /// Returns the name of a global type, qualified if the program declares a type with the same name.
    fn global(&self, name: &str) -> String {
        if self.context.analysis.declares(name) {
            format!("globalThis.{name}")
        } else {
            name.to_owned()
        }
    }
}
