//! The doc tag `@owner`, which says which rows of an entity a request may read and change.
//!
//! The tag names a property of the entity and a value that middleware adds to `ctx`, such as
//! `userId = ctx.user.id`. The property must exist, and the value must be in the type argument of
//! `defineMiddleware<Added>`. Only the properties on the path to the value are evaluated, because other parts
//! of `Added` may have no JSON form and take long to evaluate.

use std::rc::Rc;

use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::{EntityId, EntityOwner, Program, TypeId, TypeKind};

use crate::docs::{Doc, Tag, TagName, invalid};
use crate::eval::{Object, TyId};
use crate::factory::{Entry, Factory, Group};
use crate::lower::Lowering;
use crate::modules::{DeclId, Graph};
use crate::print::is_identifier;

/// A valid tag, which the help of errors shows.
const FORM: &str = "@owner userId = ctx.userId";

/// An `@owner` tag of an entity.
pub(crate) struct OwnerTag {
    pub(crate) entity: EntityId,
    /// Object type of the entity.
    pub(crate) ty: TyId,
    pub(crate) owner: EntityOwner,
    pub(crate) tag: Tag,
}

/// Reads the `@owner` tag of an entity; `None` if the entity has no such tag. A tag with an invalid argument
/// is reported and ignored.
pub(crate) fn read(graph: &Graph<'_>, doc: &Doc, issues: &mut Vec<Diagnostic>) -> Option<(EntityOwner, Tag)> {
    let tag = doc.all(TagName::Owner).next()?;
    let owner = parse(&tag.argument);
    if owner.is_none() {
        issues.push(invalid(graph, tag, FORM).note(
            "the left side of `=` is a property of the entity, and the right side is a value that middleware adds to `ctx`; \
             `@owner none` lets every user read and change every row",
        ));
    }
    Some((owner?, tag.clone()))
}

/// Returns an error for each `@owner` tag on a declaration without `@table`.
pub(crate) fn without_table(graph: &Graph<'_>, decl: DeclId, doc: &Doc) -> Vec<Diagnostic> {
    let name = graph.decl(decl).name;
    doc.all(TagName::Owner)
        .map(|tag| {
            let message = format!("`{name}` has `@owner` and no `@table`");
            Diagnostic::new(codes::OWNER_WITHOUT_TABLE, message)
                .label(graph.label(tag.location))
                .help("add `@table`, or remove `@owner`: only stored rows have an owner")
        })
        .collect()
}

/// Parses the argument of the tag: `none` or `userId = ctx.user.id`.
fn parse(argument: &str) -> Option<EntityOwner> {
    if argument == "none" {
        return Some(EntityOwner::None);
    }
    let (property, value) = argument.split_once('=')?;
    let (property, context) = (property.trim(), value.trim().strip_prefix("ctx.")?);
    let valid = is_identifier(property) && context.split('.').all(is_identifier);
    valid.then(|| EntityOwner::Property {
        property: property.to_owned(),
        context: context.to_owned(),
    })
}

/// Checks the `@owner` tags after all types were converted to the IR, and records for each middleware which
/// of the named values it adds. A tag with a mistake is removed from its entity.
pub(crate) fn check(lowering: &mut Lowering<'_>, factory: &mut Factory, owners: Vec<OwnerTag>) {
    for written in owners {
        let EntityOwner::Property { property, context } = &written.owner else {
            continue;
        };
        let mistake = match property_type(lowering, &written, property) {
            Ok(Some(expected)) => check_added_value(lowering, factory, &written, expected, context).err(),
            Ok(None) => None,
            Err(mistake) => Some(mistake),
        };
        if let Some(mistake) = mistake {
            lowering.report(*mistake);
            lowering.program.entities[written.entity].owner = None;
        }
    }
}

/// Error for an `@owner` tag. The error is boxed, because a diagnostic is large and mistakes are rare.
type Mistake = Box<Diagnostic>;

/// Returns the type of the property that an `@owner` tag names. Returns `None` if the entity has a mistake
/// that was reported before.
fn property_type(
    lowering: &mut Lowering<'_>,
    written: &OwnerTag,
    property: &str,
) -> Result<Option<TyId>, Mistake> {
    let Some(object) = lowering.eval.as_object(written.ty) else {
        return Ok(None);
    };
    let name = lowering.eval.text(written.ty);
    let location = written.tag.location;
    let mistake = |lowering: &Lowering<'_>, message: String, help: String| {
        let diagnostic = lowering.eval.diagnostic(codes::OWNER_PROPERTY, location, message);
        Box::new(diagnostic.help(help))
    };
    let Some(found) = object.property(property) else {
        let known = object.properties.iter().map(|property| &*property.name);
        let help = match closest(property, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("name a property of `{name}`"),
        };
        let message = format!("`{name}` has no property `{property}` for `@owner`");
        return Err(mistake(lowering, message, help));
    };
    let program = &lowering.program;
    let declaration = program.entities[written.entity].declaration;
    let properties = program.properties(program.declarations[declaration].r#type);
    let Some(stored) = properties.iter().find(|known| known.name == property) else {
        return Ok(None);
    };
    if holds_an_owner(program, stored.r#type) {
        return Ok(Some(found.ty));
    }
    let r#type = crate::print::type_text(program, stored.r#type);
    let message = format!(
        "`@owner` needs a property of type `string`, `number` or `bigint`, but `{property}` of `{name}` has the type `{type}`"
    );
    let help = format!("name another property of `{name}` in `@owner`, or change the type of `{property}`");
    Err(mistake(lowering, message, help))
}

/// Returns true if values of a type can identify an owner: strings, numbers and bigints, also in a union with
/// `null`.
fn holds_an_owner(program: &Program, id: TypeId) -> bool {
    match &program.resolve(id).kind {
        TypeKind::String | TypeKind::Number | TypeKind::BigInt | TypeKind::Template { .. } => true,
        TypeKind::Union { members } => {
            let mut named = members
                .iter()
                .filter(|member| program.resolve(**member).kind != TypeKind::Null)
                .peekable();
            named.peek().is_some() && named.all(|member| holds_an_owner(program, *member))
        }
        _ => false,
    }
}

/// Records which middleware adds the value that an `@owner` tag names. Returns an error if no middleware adds
/// the value, or if the type of the value does not fit.
fn check_added_value(
    lowering: &mut Lowering<'_>,
    factory: &mut Factory,
    written: &OwnerTag,
    expected: TyId,
    context: &str,
) -> Result<(), Mistake> {
    if factory.location.is_none() {
        // Without a call of `createApp`, the middleware is not known.
        return Ok(());
    }
    let mut is_added = false;
    let mut untyped = Vec::new();
    let of_groups = factory.groups.iter_mut().flat_map(Group::all_middleware_mut);
    for entry in factory.middleware.iter_mut().chain(of_groups) {
        let Some(ty) = entry.added else {
            untyped.push(entry.name.clone());
            continue;
        };
        match value(lowering, ty, context) {
            ContextValue::Missing => continue,
            ContextValue::Optional => return Err(misfit(lowering, entry, written, context, expected, None)),
            ContextValue::Present(ty) if !lowering.eval.assignable(ty, expected) => {
                return Err(misfit(lowering, entry, written, context, expected, Some(ty)));
            }
            ContextValue::Present(_) => {}
        }
        is_added = true;
        if !entry.added_context.iter().any(|known| known == context) {
            entry.added_context.push(context.to_owned());
        }
    }
    if is_added {
        return Ok(());
    }
    let expected = lowering.eval.text(expected);
    let message = format!("no middleware of the application adds `ctx.{context}`");
    let r#type = context
        .rsplit('.')
        .fold(expected, |inner, name| format!("{{ {name}: {inner} }}"));
    let mut diagnostic = lowering
        .eval
        .diagnostic(codes::OWNER_NOT_ADDED, written.tag.location, message)
        .help(format!(
            "declare the type in the middleware that adds `ctx.{context}`: `defineMiddleware<{type}>`"
        ));
    untyped.dedup();
    if !untyped.is_empty() {
        lowering.eval.want_types_of_middleware();
        diagnostic = diagnostic.note(format!(
            "`{}` has no type argument that kit can read, so kit does not know what this middleware adds",
            untyped.join("`, `")
        ));
    }
    Err(Box::new(diagnostic))
}

/// Returns the error for a value whose type differs from the property's type, or which may be absent (`found`
/// is `None`).
fn misfit(
    lowering: &mut Lowering<'_>,
    entry: &Entry,
    written: &OwnerTag,
    context: &str,
    expected: TyId,
    found: Option<TyId>,
) -> Mistake {
    let expected = lowering.eval.text(expected);
    let message = match found {
        Some(found) => {
            let found = lowering.eval.text(found);
            format!(
                "`ctx.{context}` is `{found}`, but the property that identifies the owner is `{expected}`"
            )
        }
        None => format!(
            "`ctx.{context}` may be absent, and without this value kit does not know who sends a request"
        ),
    };
    let mut adds = lowering.graph().label(entry.location).message("adds it");
    adds.primary = false;
    let diagnostic = lowering
        .eval
        .diagnostic(codes::OWNER_NOT_ADDED, written.tag.location, message)
        .label(adds)
        .help(format!("let `{}` add a `{expected}`", entry.name));
    Box::new(diagnostic)
}

/// Result of searching a value in the type that a middleware adds to `ctx`.
enum ContextValue {
    Missing,
    /// The value may be absent, because a property on the path to it is optional.
    Optional,
    Present(TyId),
}

fn value(lowering: &mut Lowering<'_>, added: TyId, context: &str) -> ContextValue {
    let mut ty = added;
    let mut optional = false;
    for name in context.split('.') {
        let object: Option<Rc<Object>> = lowering.eval.as_object(ty);
        let Some(property) = object.as_deref().and_then(|object| object.property(name)) else {
            return ContextValue::Missing;
        };
        optional |= property.optional;
        ty = property.ty;
    }
    if optional {
        ContextValue::Optional
    } else {
        ContextValue::Present(ty)
    }
}

#[cfg(test)]
mod tests {
    use kit_ir::EntityOwner;

    use super::parse;

    #[test]
    fn a_parsed_tag_is_printed_as_the_same_text() {
        for argument in ["none", "userId = ctx.userId", "tenant = ctx.user.tenant.id"] {
            assert_eq!(
                parse(argument).map(|owner| owner.to_string()).as_deref(),
                Some(argument)
            );
        }
        let plain = EntityOwner::Property {
            property: "userId".to_owned(),
            context: "userId".to_owned(),
        };
        assert_eq!(parse("userId=ctx.userId"), Some(plain));
    }

    #[test]
    fn refuses_a_tag_without_a_property_or_without_a_value() {
        for argument in [
            "",
            "nobody",
            "userId",
            "userId = userId",
            "userId = ctx",
            "userId = ctx.",
            "= ctx.userId",
            "userId = ctx.user..id",
            "userId == ctx.userId",
            "user-id = ctx.userId",
            "userId = ctx.user[0]",
        ] {
            assert_eq!(parse(argument), None, "{argument}");
        }
    }
}
