//! Doc tags of properties that are not rules, such as `@id` and `@default`.

use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::{
    DefaultValue, EntityReference, GeneratedKind, LiteralValue, Program, PropertyTags, ReferenceTarget,
    ReferentialAction, ReferentialActions, StoredAs, TypeId, TypeKind,
};

use super::arguments::{expect_no_argument, invalid, is_property_name, words};
use super::index;
use super::value_check::default_value;
use super::{Doc, Tag, TagName, problem};
use crate::modules::Graph;

/// Reads the doc tags of a property that are not rules. Its type must already be lowered.
pub(crate) fn property_tags(
    graph: &Graph<'_>,
    program: &Program,
    r#type: TypeId,
    doc: &Doc,
    diagnostics: &mut Vec<Diagnostic>,
) -> PropertyTags {
    let mut tags = PropertyTags::default();
    for tag in &doc.tags {
        match tag.name {
            TagName::Id => tags.id = expect_no_argument(graph, tag, diagnostics),
            TagName::Unique if tag.argument.is_empty() => tags.unique = true,
            TagName::Index if tag.argument.is_empty() => tags.index = true,
            TagName::Index if tag.argument == "none" => tags.no_index = true,
            TagName::Unique | TagName::Index => {
                match index::of_property(&tag.argument, tag.name == TagName::Unique) {
                    // A unique index without a condition is a constraint.
                    Some(found) if found.unique && found.condition.is_none() => {
                        diagnostics.push(invalid(graph, tag, "@unique where deleted_at is null"));
                    }
                    Some(found) => tags.indexes.push(found),
                    None if tag.name == TagName::Unique => {
                        diagnostics.push(invalid(graph, tag, "@unique where deleted_at is null"));
                    }
                    None => diagnostics.push(invalid(graph, tag, "@index desc where deleted_at is null").note(
                        "the parts of an index are `desc`, `nulls first`, `nulls last`, an operator class, `using gin`, `include (id)` and, at its end, `where condition`",
                    )),
                }
            }
            TagName::Check if tag.argument.is_empty() => {
                diagnostics.push(invalid(graph, tag, "@check price >= 0"));
            }
            TagName::Check => tags.checks.push(tag.argument.clone()),
            TagName::Sensitive => tags.sensitive = expect_no_argument(graph, tag, diagnostics),
            TagName::Generated => tags.generated = generated(graph, program, r#type, tag, diagnostics),
            TagName::OnUpdate => {
                if tag.argument == "now" {
                    tags.on_update_now = expect_date(graph, program, r#type, tag, diagnostics);
                } else {
                    let mut wrong = invalid(graph, tag, "@onUpdate now");
                    if let Some(action) = ReferentialAction::from_name(&tag.argument) {
                        let action = action.name();
                        wrong = wrong.note(format!(
                            "for a foreign key, write the action behind its target: `@references User.id on update {action}`"
                        ));
                    }
                    diagnostics.push(wrong);
                }
            }
            TagName::Default => tags.default = default(graph, program, r#type, tag, diagnostics),
            TagName::References => tags.references = references(graph, tag, diagnostics),
            TagName::Column => tags.column = name(graph, tag, "@column author_id", diagnostics),
            TagName::StoredAs => {
                tags.stored_as = stored_as(graph, program, r#type, tag, diagnostics);
                tags.enum_type = enum_type(tag).filter(|_| tags.stored_as.is_some());
            }
            TagName::RenamedFrom => tags.renamed_from = name(graph, tag, "@renamedFrom oldName", diagnostics),
            TagName::MaxBytes | TagName::Mime => {
                let name = tag.name.name();
                let message = format!("`@{name}` has no effect on a property that is not a file");
                let help = "the tag belongs on a `File`, `File[]`, `Upload` or `Uploads` in `Multipart<{ photo: File }>`";
                diagnostics.push(problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message).help(help));
            }
            _ => {}
        }
    }
    let has_index = tags.index || tags.unique || !tags.indexes.is_empty();
    if let (true, true, Some(tag)) = (tags.no_index, has_index, doc.all(TagName::Index).last()) {
        diagnostics.push(
            problem(
                graph,
                codes::CONFLICTING_TAGS,
                tag.location,
                "this property has an index, and `@index none` says that it has none",
            )
            .help("remove `@index none`"),
        );
    }
    if let (Some(_), Some(_), Some(tag)) = (&tags.generated, &tags.default, doc.all(TagName::Default).next())
    {
        diagnostics.push(
            problem(
                graph,
                codes::CONFLICTING_TAGS,
                tag.location,
                "this property is generated, so the default has no effect",
            )
            .help("keep either `@generated` or `@default`"),
        );
    }
    tags
}

/// Returns the argument of a tag that takes a name, such as the name of a column. Reports any other argument.
fn name(graph: &Graph<'_>, tag: &Tag, form: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    named(is_name(&tag.argument), graph, tag, form, diagnostics)
}

/// Returns the argument of a tag that takes the name of a table, with or without a schema: `billing.invoices`. Reports any
/// other argument.
pub(crate) fn table_name(
    graph: &Graph<'_>,
    tag: &Tag,
    form: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<String> {
    let (schema, name) = tag
        .argument
        .split_once('.')
        .map_or((None, tag.argument.as_str()), |(schema, name)| {
            (Some(schema), name)
        });
    let valid = schema.is_none_or(is_name) && is_name(name);
    named(valid, graph, tag, form, diagnostics)
}

/// Returns true for a name of letters, digits and underscores.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn named(
    valid: bool,
    graph: &Graph<'_>,
    tag: &Tag,
    form: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<String> {
    if !valid {
        diagnostics.push(invalid(graph, tag, form));
    }
    valid.then(|| tag.argument.clone())
}

fn kinds(program: &Program, id: TypeId) -> Vec<&TypeKind> {
    match &program.resolve(id).kind {
        TypeKind::Union { members } => members
            .iter()
            .map(|member| &program.resolve(*member).kind)
            .collect(),
        kind => vec![kind],
    }
}

fn generated(
    graph: &Graph<'_>,
    program: &Program,
    r#type: TypeId,
    tag: &Tag,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<GeneratedKind> {
    match tag.argument.as_str() {
        "" => Some(GeneratedKind::Unspecified),
        "now" => expect_date(graph, program, r#type, tag, diagnostics).then_some(GeneratedKind::Now),
        "uuid" | "uuidv7" => {
            let fits = kinds(program, r#type).contains(&&TypeKind::String);
            if !fits {
                let message = format!("`@generated {}` needs a property of type `string`", tag.argument);
                diagnostics.push(
                    problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message)
                        .help("change the type to `string`"),
                );
            }
            let kind = if tag.argument == "uuid" {
                GeneratedKind::Uuid
            } else {
                GeneratedKind::UuidV7
            };
            fits.then_some(kind)
        }
        other => {
            let near = closest(other, ["uuid", "uuidv7", "now"]);
            let help = near.map_or(
                "write `@generated uuid`, `@generated uuidv7`, `@generated now` or `@generated`".to_owned(),
                |near| format!("did you mean `@generated {near}`?"),
            );
            diagnostics.push(
                invalid(graph, tag, "@generated uuid")
                    .help(help)
                    .replacement(near.map(|near| format!("@generated {near}"))),
            );
            None
        }
    }
}

fn stored_as(
    graph: &Graph<'_>,
    program: &Program,
    r#type: TypeId,
    tag: &Tag,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<StoredAs> {
    let named = enum_type(tag).map(|_| StoredAs::Enum);
    let Some(stored) =
        named.or_else(|| StoredAs::from_name(&tag.argument).filter(|stored| *stored != StoredAs::Enum))
    else {
        let names = StoredAs::ALL.map(|stored| {
            let name = if stored == StoredAs::Enum { " my_type" } else { "" };
            format!("`@storedAs {}{name}`", stored.name())
        });
        diagnostics.push(invalid(graph, tag, "@storedAs smallint").help(format!("write {}", listed(&names))));
        return None;
    };
    let (noun, example) = match stored {
        StoredAs::SmallInt | StoredAs::Integer => ("of type `number`", "number"),
        StoredAs::Date | StoredAs::Citext => ("of type `string`", "string"),
        StoredAs::Array => ("whose type is an array", "string[]"),
        StoredAs::Enum => ("whose type is a union of texts", "\"draft\" | \"sent\""),
    };
    let is_wanted = |kind: &TypeKind| match stored {
        StoredAs::SmallInt | StoredAs::Integer => *kind == TypeKind::Number,
        StoredAs::Date | StoredAs::Citext => *kind == TypeKind::String,
        StoredAs::Array => matches!(kind, TypeKind::Array { .. }),
        StoredAs::Enum => matches!(
            kind,
            TypeKind::Literal {
                value: LiteralValue::String(_)
            }
        ),
    };
    let kinds = kinds(program, r#type);
    let mut others = kinds.iter().filter(|kind| **kind != &TypeKind::Null);
    let fits = others.next().is_some_and(|kind| is_wanted(kind))
        && match stored {
            StoredAs::Enum => others.all(|kind| is_wanted(kind)),
            _ => others.next().is_none(),
        };
    if !fits {
        let message = format!("`@storedAs {}` needs a property {noun}", stored.name());
        let help = format!("change the type to `{example}` or `{example} | null`, or remove the tag");
        diagnostics.push(problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message).help(help));
    }
    fits.then_some(stored)
}

/// Returns the name in `@storedAs enum name`.
fn enum_type(tag: &Tag) -> Option<String> {
    let name = tag.argument.strip_prefix("enum ")?.trim();
    is_name(name).then(|| name.to_owned())
}

/// Returns the alternatives as a phrase: `a, b or c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn expect_date(
    graph: &Graph<'_>,
    program: &Program,
    r#type: TypeId,
    tag: &Tag,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let fits = kinds(program, r#type).contains(&&TypeKind::Date);
    if !fits {
        let message = format!("`@{} now` needs a property of type `Date`", tag.name.name());
        diagnostics.push(
            problem(graph, codes::TAG_DOES_NOT_FIT, tag.location, message).help("change the type to `Date`"),
        );
    }
    fits
}

fn default(
    graph: &Graph<'_>,
    program: &Program,
    r#type: TypeId,
    tag: &Tag,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<DefaultValue> {
    if tag.argument.is_empty() {
        diagnostics.push(invalid(graph, tag, "@default value"));
        return None;
    }
    let value = default_value(graph.verdicts(), program, r#type, &tag.argument);
    if value.is_none() {
        let expected = crate::print::constrained_text(program, r#type);
        diagnostics.push(
            problem(
                graph,
                codes::INVALID_TAG_ARGUMENT,
                tag.location,
                format!(
                    "the default `{}` does not fit the type `{expected}`",
                    tag.argument
                ),
            )
            .help(default_help(graph, program, r#type, &expected)),
        );
    }
    value
}

/// Returns the help for a default that does not fit its type. `expected` is the type as text.
fn default_help(graph: &Graph<'_>, program: &Program, r#type: TypeId, expected: &str) -> String {
    let resolved = program.resolve(r#type);
    if resolved.kind == TypeKind::Date {
        return "the default of a `Date` is `@default now`".to_owned();
    }
    if let Some(format) = resolved.constraints.format {
        let sample = &kit_analysis::samples().of_format(format).valid;
        if default_value(graph.verdicts(), program, r#type, sample).is_some() {
            return format!(
                "write a text with the format `{}`: `@default {sample}`",
                format.name()
            );
        }
    }
    format!("write a value of the type `{expected}` as JSON")
}

fn references(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> Option<ReferenceTarget> {
    let target = reference_target(tag);
    if target.is_none() {
        diagnostics.push(invalid(graph, tag, "@references User.id").note(ACTIONS));
    }
    target
}

/// Note about the words after the target of a reference.
const ACTIONS: &str = "after the target you may write what happens when the target is deleted: `cascade`, `set null`, `restrict` or \
     `no action`; and then what happens when its value changes: `on update cascade`";

/// Returns the entity, the property and the actions in a `@references` tag of a property; `None` if the argument is
/// invalid.
pub(crate) fn reference_target(tag: &Tag) -> Option<ReferenceTarget> {
    let words = words(tag);
    let (entity, property) = words.first()?.split_once('.')?;
    let actions = actions(words.get(1..).unwrap_or_default())?;
    (is_property_name(entity) && is_property_name(property)).then(|| ReferenceTarget {
        entity: entity.to_owned(),
        property: property.to_owned(),
        actions,
    })
}

/// Returns the reference in a `@references` tag of an interface, such as `(shopId, orderId) Order (shopId, id) cascade`.
/// Reports an invalid argument.
pub(crate) fn entity_reference(
    graph: &Graph<'_>,
    tag: &Tag,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<EntityReference> {
    let reference = parse_entity_reference(&tag.argument);
    if reference.is_none() {
        diagnostics
            .push(invalid(graph, tag, "@references (shopId, orderId) Order (shopId, id)").note(ACTIONS));
    }
    reference
}

fn parse_entity_reference(argument: &str) -> Option<EntityReference> {
    let (properties, rest) = argument.strip_prefix('(')?.split_once(')')?;
    let (entity, rest) = rest.split_once('(')?;
    let (targets, rest) = rest.split_once(')')?;
    let names = |list: &str| -> Option<Vec<String>> {
        let names = list.split(',').map(str::trim);
        names
            .map(|name| is_property_name(name).then(|| name.to_owned()))
            .collect()
    };
    let (properties, targets) = (names(properties)?, names(targets)?);
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_valid = is_property_name(entity.trim()) && properties.len() == targets.len();
    is_valid.then_some(EntityReference {
        properties,
        entity: entity.trim().to_owned(),
        targets,
        actions: actions(&words)?,
    })
}

/// Parses `[on delete] cascade on update restrict`. Each of the two parts may be missing.
fn actions(words: &[&str]) -> Option<ReferentialActions> {
    let split = words.windows(2).position(|pair| pair == ["on", "update"]);
    let (delete, update) = match split {
        Some(at) => (&words[..at], Some(&words[at + 2..])),
        None => (words, None),
    };
    let delete = delete.strip_prefix(&["on", "delete"]).unwrap_or(delete);
    let action = |words: &[&str]| ReferentialAction::from_name(&words.join(" "));
    Some(ReferentialActions {
        on_delete: match delete {
            [] => ReferentialAction::default(),
            words => action(words)?,
        },
        on_update: match update {
            None => ReferentialAction::default(),
            Some(words) => action(words)?,
        },
    })
}
