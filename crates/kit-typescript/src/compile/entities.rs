//! Entities of an application: interfaces with `@table`.

use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::{Entity, EntityIndex, IndexColumnOptions};
use rustc_hash::FxHashSet;

use super::begin;
use crate::affected::Affected;
use crate::docs::index::{self, is_identifier};
use crate::docs::{Doc, Tag, TagName, entity_reference, invalid, is_property_name, table_name};
use crate::eval::{Ty, TyId};
use crate::lower::Lowering;
use crate::modules::{DeclId, Location, ModuleId};
use crate::{owner, unmatched_tables};

/// Adds each interface with `@table` as an entity. Returns the `@owner` tags that name a property; they are
/// checked when all types are lowered.
pub(super) fn entities(
    lowering: &mut Lowering<'_>,
    type_modules: &[ModuleId],
    route_modules: &[ModuleId],
    only: Option<&Affected>,
) -> Vec<owner::OwnerTag> {
    let mut seen = FxHashSet::default();
    let modules = type_modules
        .iter()
        .chain(route_modules)
        .filter(|module| seen.insert(**module));
    let decls: Vec<DeclId> = modules
        .flat_map(|module| lowering.graph().declared_in(*module))
        .collect();
    // Adds all entities first, because tags may refer to entities that are declared later.
    for decl in &decls {
        // Most declarations have no table, and their comments need not be read.
        if !lowering.eval.doc_contains(*decl, unmatched_tables::TAG) {
            continue;
        }
        let doc = lowering.eval.declaration_doc(*decl);
        if doc.is_some_and(|doc| doc.has(TagName::Table)) {
            lowering.add_entity(*decl);
        }
    }
    let mut owners = Vec::new();
    for decl in decls {
        if only.is_some_and(|only| !only.all_entities && !only.contains(lowering.graph(), decl)) {
            continue;
        }
        let Some(doc) = lowering.eval.declaration_doc(decl) else {
            continue;
        };
        if doc.has(TagName::Table) {
            begin(lowering, decl);
            entity(lowering, decl, &doc, &mut owners);
        } else {
            let issues = owner::without_table(lowering.graph(), decl, &doc);
            lowering.report_all(issues);
        }
    }
    owners
}

fn entity(lowering: &mut Lowering<'_>, decl_id: DeclId, doc: &Doc, owners: &mut Vec<owner::OwnerTag>) {
    let decl = lowering.graph().decl(decl_id);
    let (name, location) = (
        decl.name,
        Location {
            module: decl.module,
            span: decl.span,
        },
    );
    let exported = lowering.graph().exported_name(decl_id).is_some();
    let ty = lowering.eval.declared(decl_id);
    let generic = lowering.eval.parameter_count(decl_id) > 0;
    let shape = if generic { ty } else { lowering.eval.shape(ty) };
    let mistake = if generic {
        Some(("is generic", "change it to an interface without type parameters"))
    } else if !exported {
        Some(("is not exported", "write `export` before it"))
    } else {
        match lowering.eval.store.get(shape) {
            Ty::Object(object) if !lowering.eval.store.object_at(*object).index.is_empty() => Some((
                "has an index signature",
                "declare each property by its name, since each property becomes a column",
            )),
            Ty::Object(object) if lowering.eval.store.object_at(*object).accepts_anything_but_null() => {
                Some((
                    "has no properties",
                    "declare each property by its name, since each property becomes a column",
                ))
            }
            Ty::Object(_) | Ty::Invalid(_) => None,
            _ => Some(("is not an object", "put `@table` on an interface with properties")),
        }
    };
    if let Some((what, help)) = mistake {
        let message = format!("`{name}` has `@table` and {what}");
        let diagnostic = lowering
            .eval
            .diagnostic(codes::ENTITY_NOT_AN_OBJECT, location, message)
            .help(help);
        lowering.report(diagnostic);
        return;
    }
    let Ty::Named(instance) = *lowering.eval.store.get(ty) else {
        return;
    };
    let declaration = lowering.declare(instance);
    let mut issues = Vec::new();
    let graph = lowering.graph();
    let table = doc
        .all(TagName::Table)
        .next()
        .filter(|tag| !tag.argument.is_empty());
    let table = table.and_then(|tag| table_name(graph, tag, "@table notes", &mut issues));
    let renamed_from = doc
        .all(TagName::RenamedFrom)
        .next()
        .and_then(|tag| table_name(graph, tag, "@renamedFrom old_notes", &mut issues));
    let mut indexes = composites(lowering, ty, doc, TagName::Index, name, &mut issues);
    let mut uniques = Vec::new();
    for unique in composites(lowering, ty, doc, TagName::Unique, name, &mut issues) {
        if unique.condition.is_some() {
            indexes.push(unique);
        } else {
            let properties = unique.columns.into_iter().map(|column| column.property);
            uniques.push((unique.name, properties.collect()));
        }
    }
    let mut checks = Vec::new();
    for tag in doc.all(TagName::Check) {
        let parts = tag.argument.split_once('(').and_then(|(name, rest)| {
            let condition = rest.trim_end().strip_suffix(')')?.trim();
            let valid = is_identifier(name.trim()) && !condition.is_empty();
            valid.then(|| (name.trim().to_owned(), condition.to_owned()))
        });
        match parts {
            Some(check) => checks.push(check),
            None => issues.push(invalid(
                lowering.graph(),
                tag,
                "@check ends_later (starts_at < ends_at)",
            )),
        }
    }
    let mut references = Vec::new();
    for tag in doc.all(TagName::References) {
        let reference = entity_reference(lowering.graph(), tag, &mut issues);
        let properties = reference
            .as_ref()
            .map_or_else(Vec::new, |reference| reference.properties.clone());
        issues.extend(unknown_property(lowering, ty, &properties, tag));
        references.extend(reference);
    }
    let tenant = doc.all(TagName::Tenant).next().and_then(|tag| {
        let property = tag.argument.clone();
        if !is_property_name(&property) {
            issues.push(invalid(lowering.graph(), tag, "@tenant tenantId"));
            return None;
        }
        let unknown = unknown_property(lowering, ty, std::slice::from_ref(&property), tag);
        let is_known = unknown.is_none();
        issues.extend(unknown);
        is_known.then_some(property)
    });
    let owner = owner::read(lowering.graph(), doc, &mut issues);
    lowering.report_all(issues);
    let entity = lowering.program.entities.push(Entity {
        declaration,
        table: table.unwrap_or_else(|| kit_analysis::plural_snake_case(name)),
        renamed_from,
        indexes,
        uniques,
        checks,
        references,
        tenant,
        owner: owner.as_ref().map(|(owner, _)| owner.clone()),
    });
    owners.extend(owner.map(|(owner, tag)| owner::OwnerTag {
        entity,
        ty,
        owner,
        tag,
    }));
}

/// Returns the indexes of the `@index name (a, b)` or the `@unique name (a, b)` tags of an interface.
fn composites(
    lowering: &mut Lowering<'_>,
    ty: TyId,
    doc: &Doc,
    tag_name: TagName,
    entity: &str,
    issues: &mut Vec<Diagnostic>,
) -> Vec<EntityIndex> {
    let mut found = Vec::new();
    let is_unique = tag_name == TagName::Unique;
    for tag in doc.all(tag_name) {
        // A unique index without a condition is a constraint, whose columns have no options.
        let index = index::of_interface(&tag.argument, is_unique).filter(|index| {
            let is_plain = index.method.is_none()
                && index.include.is_empty()
                && index
                    .columns
                    .iter()
                    .all(|column| column.options == IndexColumnOptions::default());
            !is_unique || is_plain || index.condition.is_some()
        });
        match index {
            Some(index) => {
                let columns = index.columns.iter().map(|column| column.property.clone());
                let properties: Vec<String> = columns.chain(index.include.iter().cloned()).collect();
                issues.extend(unknown_property(lowering, ty, &properties, tag));
                found.push(index);
            }
            None => issues.push(
                lowering
                    .eval
                    .diagnostic(
                        codes::INVALID_TAG_ARGUMENT,
                        tag.location,
                        format!("`@{} {}` is not valid", tag_name.name(), tag.argument),
                    )
                    .help(format!(
                        "write `@{} {}_by_author (authorId, createdAt)`",
                        tag_name.name(),
                        kit_analysis::plural_snake_case(entity)
                    )),
            ),
        }
    }
    found
}

/// Returns the error for the first property in an index that the entity does not have.
fn unknown_property(
    lowering: &mut Lowering<'_>,
    ty: TyId,
    properties: &[String],
    tag: &Tag,
) -> Option<Diagnostic> {
    let object = lowering.eval.as_object(ty)?;
    let unknown = properties
        .iter()
        .find(|property| object.property(property).is_none())?;
    let known = object.properties.iter().map(|property| &*property.name);
    let help = match closest(unknown, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name properties of the entity".to_owned(),
    };
    let message = format!(
        "`{}` has no property `{unknown}` for `@{}`",
        lowering.eval.text(ty),
        tag.name.name()
    );
    Some(
        lowering
            .eval
            .diagnostic(codes::INVALID_TAG_ARGUMENT, tag.location, message)
            .help(help),
    )
}
