//! The syntax of types in TypeScript, for generated code and for messages.

use kit_ir::{DeclarationId, IndexKey, ObjectType, Program, TemplatePart, TupleElement, TypeId, TypeKind};

use crate::literal::{literal_source, template_text};

/// Prints types of the IR in the syntax of TypeScript: `(string | null)[]`, `[id: string, ...number[]]`.
///
/// An implementation decides the text of object types and of names, which differs between generated code and messages.
/// All other syntax is in the provided functions.
///
/// ```
/// use kit_analysis::TypePrinter;
/// use kit_ir::{ObjectType, Program, TypeKind};
///
/// struct Outline<'a>(&'a Program);
///
/// impl TypePrinter for Outline<'_> {
///     fn program(&self) -> &Program {
///         self.0
///     }
///
///     fn object(&self, object: &ObjectType) -> String {
///         format!("{{ {} properties }}", object.properties.len())
///     }
/// }
///
/// let mut program = Program::default();
/// let object = program.add_type(TypeKind::Object(ObjectType::default()));
/// let null = program.add_type(TypeKind::Null);
/// let union = program.add_type(TypeKind::Union { members: vec![object, null] });
/// let list = program.add_type(TypeKind::Array { element: union });
/// assert_eq!(Outline(&program).text(list), "({ 0 properties } | null)[]");
/// ```
pub trait TypePrinter {
    /// Returns the program that contains the types.
    fn program(&self) -> &Program;

    /// Returns the text of an object type.
    fn object(&self, object: &ObjectType) -> String;

    /// Returns the text of a reference: the name of the declaration.
    fn reference(&self, declaration: DeclarationId) -> String {
        self.program().declarations[declaration].name.clone()
    }

    /// Returns the type whose text the printer uses for a type. This is another type if
    /// [`reference`](Self::reference) does not return a name but the text of the declared type.
    fn printed(&self, id: TypeId) -> TypeId {
        id
    }

    /// Returns the name of a global type of JavaScript, such as `Date`.
    fn global(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Returns the text of a template literal type, with its backticks.
    fn template(&self, parts: &[TemplatePart]) -> String {
        let parts: String = parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(text) => template_text(text),
                TemplatePart::Placeholder(id) => format!("${{{}}}", self.part(*id)),
            })
            .collect();
        format!("`{parts}`")
    }

    /// Joins the texts of the elements of a tuple, or of the members of a union.
    fn join(&self, parts: &mut dyn Iterator<Item = String>, separator: &str) -> String {
        let parts: Vec<_> = parts.collect();
        parts.join(separator)
    }

    /// Returns the text of a type that is a part of another type.
    fn part(&self, id: TypeId) -> String {
        self.text(id)
    }

    /// Returns the text of a type.
    fn text(&self, id: TypeId) -> String {
        let program = self.program();
        if program.is_anything_but_null(id) {
            return "{}".to_owned();
        }
        match &program.types[id].kind {
            TypeKind::Unknown => "unknown".to_owned(),
            TypeKind::Never => "never".to_owned(),
            TypeKind::Null => "null".to_owned(),
            TypeKind::Boolean => "boolean".to_owned(),
            TypeKind::Number => "number".to_owned(),
            TypeKind::String => "string".to_owned(),
            TypeKind::BigInt => "bigint".to_owned(),
            TypeKind::Date => self.global("Date"),
            TypeKind::Bytes => self.global("Uint8Array"),
            TypeKind::Literal { value } => literal_source(value),
            TypeKind::Template { parts } => self.template(parts),
            TypeKind::Array { element } => format!("{}[]", operand(self, *element)),
            TypeKind::Tuple { elements } => tuple(self, elements),
            TypeKind::Object(object) => self.object(object),
            TypeKind::Union { members } => {
                self.join(&mut members.iter().map(|member| self.part(*member)), " | ")
            }
            TypeKind::Reference { declaration } => self.reference(*declaration),
        }
    }

    /// Returns the type of an index signature's keys: `string`, `number` or a template literal type.
    fn index_key(&self, key: &IndexKey) -> String {
        match key {
            IndexKey::String => "string".to_owned(),
            IndexKey::Number => "number".to_owned(),
            IndexKey::Template { parts } => self.template(parts),
        }
    }
}

/// Returns the text of a type before `[]` or `?`, in parentheses if needed.
fn operand<P: TypePrinter + ?Sized>(printer: &P, id: TypeId) -> String {
    let text = printer.part(id);
    match printer.program().types[printer.printed(id)].kind {
        TypeKind::Union { .. } if text != "{}" => format!("({text})"),
        _ => text,
    }
}

/// Returns the text of a tuple. TypeScript before 5.2 accepts labels only if every element has a label.
fn tuple<P: TypePrinter + ?Sized>(printer: &P, elements: &[TupleElement]) -> String {
    let labelled = elements.iter().all(|element| element.label.is_some());
    let mut elements = elements.iter().map(|element| {
        let r#type = element.r#type;
        match element.label.as_deref().filter(|_| labelled) {
            Some(label) if element.rest => format!("...{label}: {}[]", operand(printer, r#type)),
            Some(label) if element.optional => format!("{label}?: {}", printer.part(r#type)),
            Some(label) => format!("{label}: {}", printer.part(r#type)),
            None if element.rest => format!("...{}[]", operand(printer, r#type)),
            None if element.optional => format!("{}?", operand(printer, r#type)),
            None => printer.part(r#type),
        }
    });
    format!("[{}]", printer.join(&mut elements, ", "))
}

#[cfg(test)]
mod tests {
    use kit_ir::{ObjectType, Program, TemplatePart, TupleElement, TypeId, TypeKind};

    use super::TypePrinter;
    use crate::describe;

    /// Prints every object type as `{ … }`.
    struct Outline<'a>(&'a Program);

    impl TypePrinter for Outline<'_> {
        fn program(&self) -> &Program {
            self.0
        }

        fn object(&self, _object: &ObjectType) -> String {
            "{ … }".to_owned()
        }
    }

    fn string_or_null(program: &mut Program) -> TypeId {
        let members = vec![
            program.add_type(TypeKind::String),
            program.add_type(TypeKind::Null),
        ];
        program.add_type(TypeKind::Union { members })
    }

    fn element(r#type: TypeId, optional: bool, rest: bool, label: Option<&str>) -> TupleElement {
        TupleElement {
            r#type,
            optional,
            rest,
            label: label.map(str::to_owned),
        }
    }

    #[test]
    fn prints_a_union_in_parentheses_before_brackets_and_question_marks() {
        let mut program = Program::default();
        let union = string_or_null(&mut program);
        let elements = vec![
            element(union, false, false, None),
            element(union, true, false, None),
            element(union, false, true, None),
        ];
        let tuple = program.add_type(TypeKind::Tuple { elements });
        let list = program.add_type(TypeKind::Array { element: tuple });
        assert_eq!(
            Outline(&program).text(list),
            "[string | null, (string | null)?, ...(string | null)[]][]"
        );
    }

    #[test]
    fn prints_labels_of_a_tuple_only_if_every_element_has_one() {
        let mut program = Program::default();
        let union = string_or_null(&mut program);
        for (first, expected) in [
            (
                Some("größe"),
                "[größe: string | null, b?: string | null, ...c: (string | null)[]]",
            ),
            (None, "[string | null, (string | null)?, ...(string | null)[]]"),
        ] {
            let elements = vec![
                element(union, false, false, first),
                element(union, true, false, Some("b")),
                element(union, false, true, Some("c")),
            ];
            let tuple = program.add_type(TypeKind::Tuple { elements });
            assert_eq!(Outline(&program).text(tuple), expected);
        }
    }

    #[test]
    fn escapes_the_text_of_a_template() {
        let mut program = Program::default();
        let number = program.add_type(TypeKind::Number);
        let parts = vec![
            TemplatePart::Text("`a".to_owned()),
            TemplatePart::Placeholder(number),
        ];
        let template = program.add_type(TypeKind::Template { parts });
        assert_eq!(Outline(&program).text(template), r"`\`a${number}`");
    }

    #[test]
    fn describes_at_most_four_members_of_a_union() {
        let mut program = Program::default();
        let members = vec![
            program.add_type(TypeKind::String),
            program.add_type(TypeKind::Number),
            program.add_type(TypeKind::Boolean),
            program.add_type(TypeKind::Date),
            program.add_type(TypeKind::Null),
        ];
        let union = program.add_type(TypeKind::Union { members });
        let elements = vec![element(union, false, true, None)];
        let tuple = program.add_type(TypeKind::Tuple { elements });
        assert_eq!(
            describe(&program, tuple),
            "[...(string | number | boolean | Date | …)[]]"
        );
    }
}
