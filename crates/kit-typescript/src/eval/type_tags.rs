//! Tags that typia writes as types: `string & tags.MinLength<3>`. Each tag is an object type with one optional property, whose
//! type names a rule and its argument. kit reads them by their structure, and adds the rules as doc tags.

use std::rc::Rc;

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::Format;

use super::{DocId, Evaluator, Literal, Object, RuleSource, Ty, TyId};
use crate::docs::{Doc, Tag, TagName};
use crate::modules::Location;

/// Name of the property that marks a tag.
const MARK: &str = "typia.tag";

/// Maximum number of nested types through which the tags of one type are searched.
const MAX_DEPTH: usize = 64;

/// Tags that document a type and do not limit its values. typia's own validators ignore them too.
const WITHOUT_RULE: &[&str] = &[
    "default",
    "example",
    "examples",
    "title",
    "description",
    "constant",
    "contentMediaType",
    "jsonPlugin",
    "sequence",
];

/// Returns true for the name of the property that marks an object type as a tag. No value has this property.
pub(crate) fn is_type_tag(name: &str) -> bool {
    name == MARK
}

/// Tag with its argument.
struct TypeTag {
    kind: Rc<str>,
    value: Option<Literal>,
}

impl Evaluator<'_> {
    /// Returns the rules of the tags in a brand: `minLength 3` for the object type in `string & tags.MinLength<3>`. Adds a
    /// warning for each tag whose rule kit cannot check.
    ///
    /// `location` is the place in the source that messages name.
    pub(crate) fn rules_of_type_tags(&mut self, brand: TyId, location: Location) -> Vec<RuleSource> {
        let mut rules = Vec::new();
        for tag in self.type_tags(brand) {
            if WITHOUT_RULE.contains(&&*tag.kind) {
                continue;
            }
            match doc_tag(&tag, location) {
                Ok(Some(tag)) => rules.push(RuleSource::Doc(self.doc_of_type_tag(tag))),
                Ok(None) => {}
                Err(()) => self.warn_of_type_tag(&tag, location),
            }
        }
        rules
    }

    /// Returns true if a brand has tags with rules, or tags whose rules kit cannot check.
    pub(crate) fn has_type_tags(&mut self, brand: TyId) -> bool {
        self.type_tags(brand)
            .iter()
            .any(|tag| !WITHOUT_RULE.contains(&&*tag.kind))
    }

    fn type_tags(&mut self, brand: TyId) -> Vec<TypeTag> {
        let Some(property) = self
            .as_object(brand)
            .and_then(|object| object.property(MARK).cloned())
        else {
            return Vec::new();
        };
        let mut tags = Vec::new();
        self.collect_type_tags(property.ty, &mut tags, 0);
        tags
    }

    /// Collects the tags of an intersection, which has a type for each of several tags.
    fn collect_type_tags(&mut self, ty: TyId, tags: &mut Vec<TypeTag>, depth: usize) {
        let ty = self.without_laziness(ty);
        if let Ty::Intersection(members) = self.store.get(ty).clone()
            && depth < MAX_DEPTH
        {
            for member in members.iter() {
                self.collect_type_tags(*member, tags, depth + 1);
            }
            return;
        }
        if let Some(object) = self.as_object(ty)
            && let Some(Literal::String(kind)) = self.literal_property(&object, "kind")
        {
            let value = self.literal_property(&object, "value");
            tags.push(TypeTag { kind, value });
        }
    }

    fn literal_property(&mut self, object: &Object, name: &str) -> Option<Literal> {
        match self.shape_of(object.property(name)?.ty) {
            Ty::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// Returns the id of a doc comment with one tag. Types at the same location share the comment.
    fn doc_of_type_tag(&mut self, tag: Tag) -> DocId {
        let key = (tag.location, tag.name.name(), tag.argument.clone());
        if let Some(known) = self.type_tag_docs.get(&key) {
            return *known;
        }
        let id = self.store.add_doc(Rc::new(Doc {
            tags: vec![tag],
            ..Doc::default()
        }));
        self.type_tag_docs.insert(key, id);
        id
    }

    fn warn_of_type_tag(&mut self, tag: &TypeTag, location: Location) {
        let argument = tag
            .value
            .as_ref()
            .map(|value| format!(" {}", value.name()))
            .unwrap_or_default();
        let message = format!("kit does not check the tag `{}{argument}` of this type", tag.kind);
        let warning = Diagnostic::warning(codes::SCHEMA_RULE, message)
            .label(self.graph.label(location))
            .help("write a rule of kit, such as `@pattern`, or check the value in the handler");
        self.warn_once(warning);
    }
}

/// Returns the doc tag with the same meaning. Returns `Ok(None)` for a tag that is switched off, and an error for a tag that
/// kit cannot check.
fn doc_tag(tag: &TypeTag, location: Location) -> Result<Option<Tag>, ()> {
    let value = tag.value.as_ref().ok_or(())?;
    let with = |name: TagName, argument: String| {
        Ok(Some(Tag {
            name,
            argument,
            location,
            in_template: false,
        }))
    };
    let text = value.name().to_string();
    match &*tag.kind {
        "minLength" => with(TagName::MinLength, text),
        "maxLength" => with(TagName::MaxLength, text),
        "minItems" => with(TagName::MinItems, text),
        "maxItems" => with(TagName::MaxItems, text),
        "minimum" => with(TagName::Minimum, text),
        "maximum" => with(TagName::Maximum, text),
        "exclusiveMinimum" => with(TagName::ExclusiveMinimum, text),
        "exclusiveMaximum" => with(TagName::ExclusiveMaximum, text),
        "multipleOf" => with(TagName::MultipleOf, text),
        "pattern" => with(TagName::Pattern, text),
        "uniqueItems" if *value == Literal::Boolean(true) => with(TagName::UniqueItems, String::new()),
        "uniqueItems" => Ok(None),
        "type" => with(TagName::NumberType, text),
        "format" if &*text == "url" => with(TagName::Format, Format::Uri.name().to_owned()),
        // typia accepts any string as a password.
        "format" if &*text == "password" => Ok(None),
        "format" if Format::from_name(&text).is_some() => with(TagName::Format, text),
        _ => Err(()),
    }
}
