//! Finds unions whose objects are told apart by the text of their first property, such as `kind`. Such a union becomes an
//! enum with `#[serde(tag = "kind")]`, and the structs of its variants have no field for the property.
//!
//! The structs then write no `kind` of their own. So a union is tagged only if each of its objects is used in tagged
//! unions alone.

use std::collections::{BTreeMap, BTreeSet};

use kit_analysis::{UnionPlan, children, members};
use kit_ir::{DeclarationId, LiteralValue, ObjectType, Program, TypeId, TypeKind};

/// An object type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ObjectId {
    /// A declared object type.
    Declared(DeclarationId),
    /// An object type without a name.
    Anonymous(TypeId),
}

/// A tagged union.
#[derive(Debug, Clone)]
pub(crate) struct TaggedUnion {
    /// Name of the property that tells the objects apart.
    pub(crate) property: String,
    /// Text of the property in each member of the flattened union.
    pub(crate) texts: Vec<String>,
    objects: Vec<ObjectId>,
}

/// All tagged unions of an application.
#[derive(Default)]
pub(super) struct TaggedUnions {
    /// Tagged unions, by the members of the flattened union.
    unions: BTreeMap<Vec<TypeId>, TaggedUnion>,
    /// Name and text of the property that the structs of these objects leave out.
    tags: BTreeMap<ObjectId, (String, String)>,
}

impl TaggedUnions {
    /// `needed` are the declared types of the Rust server, and `roots` those of them that are used other than as a part
    /// of another type.
    pub(super) fn new(
        program: &Program,
        needed: &BTreeSet<DeclarationId>,
        roots: &BTreeSet<DeclarationId>,
    ) -> Self {
        let mut finder = Finder {
            program,
            unions: BTreeMap::new(),
            used_alone: roots.iter().copied().map(ObjectId::Declared).collect(),
        };
        for id in needed {
            finder.visit_declared(program.declarations[*id].r#type);
        }
        let Finder {
            mut unions,
            mut used_alone,
            ..
        } = finder;
        // An object of a union that is not tagged keeps its property, so other unions with the object are not tagged either.
        loop {
            let before = unions.len();
            unions.retain(|_, union: &mut TaggedUnion| {
                let is_tagged = union.objects.iter().all(|object| !used_alone.contains(object));
                if !is_tagged {
                    used_alone.extend(&union.objects);
                }
                is_tagged
            });
            if unions.len() == before {
                break;
            }
        }
        let mut tags = BTreeMap::new();
        for union in unions.values() {
            for (object, text) in union.objects.iter().zip(&union.texts) {
                tags.insert(*object, (union.property.clone(), text.clone()));
            }
        }
        Self { unions, tags }
    }

    /// Returns the tagged union with these members. Returns `None` if the union is not tagged.
    pub(super) fn union(&self, members: &[TypeId]) -> Option<&TaggedUnion> {
        self.unions.get(members)
    }

    /// Returns the name and the text of the property that the struct of an object leaves out.
    pub(super) fn tag(&self, object: ObjectId) -> Option<&(String, String)> {
        self.tags.get(&object)
    }
}

struct Finder<'a> {
    program: &'a Program,
    /// Unions whose objects differ in the text of their first property.
    unions: BTreeMap<Vec<TypeId>, TaggedUnion>,
    /// Objects that are used elsewhere than in such unions.
    used_alone: BTreeSet<ObjectId>,
}

impl Finder<'_> {
    /// Visits the type of a declaration.
    fn visit_declared(&mut self, id: TypeId) {
        match &self.program.types[id].kind {
            kind @ TypeKind::Object(_) => self.visit_children(kind),
            // The enum of a declared union has a variant for null, which has no tag.
            TypeKind::Union { members } if self.without_null(members).len() < members.len() => {
                self.visit_untagged(members);
            }
            _ => self.visit(id),
        }
    }

    /// Visits a type that another type contains.
    fn visit(&mut self, id: TypeId) {
        if let Some(object) = self.object(id) {
            self.used_alone.insert(object);
        }
        match &self.program.types[id].kind {
            TypeKind::Reference { .. } => {}
            TypeKind::Union { members } => {
                let members = self.without_null(members);
                match self.tagged(&members) {
                    Some((key, union)) => {
                        for member in &key {
                            self.visit_children(&self.program.types[*member].kind);
                        }
                        self.unions.insert(key, union);
                    }
                    None => self.visit_untagged(&members),
                }
            }
            kind => self.visit_children(kind),
        }
    }

    fn visit_untagged(&mut self, declared: &[TypeId]) {
        for member in members(self.program, declared) {
            self.visit(member.r#type);
        }
    }

    fn visit_children(&mut self, kind: &TypeKind) {
        for child in children(kind) {
            self.visit(child);
        }
    }

    fn without_null(&self, members: &[TypeId]) -> Vec<TypeId> {
        let is_null = |id: &TypeId| matches!(self.program.types[*id].kind, TypeKind::Null);
        members.iter().copied().filter(|id| !is_null(id)).collect()
    }

    /// Returns the members of the flattened union, and its tag. Returns `None` if the first property does not tell the
    /// members apart.
    fn tagged(&self, declared: &[TypeId]) -> Option<(Vec<TypeId>, TaggedUnion)> {
        let plan = UnionPlan::new(self.program, declared);
        let property = plan.discriminator()?.property;
        let members: Vec<TypeId> = plan.members.iter().map(|member| member.r#type).collect();
        let mut objects = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        for member in &members {
            let object = self.object(*member)?;
            let text = first_text(self.program, self.properties(object)?, &property)?;
            // Serde needs a text for each variant.
            if texts.contains(&text) || objects.contains(&object) {
                return None;
            }
            objects.push(object);
            texts.push(text);
        }
        (members.len() > 1).then_some((
            members,
            TaggedUnion {
                property,
                texts,
                objects,
            },
        ))
    }

    /// Returns the object that a type is or refers to. Returns `None` for types that are no structs.
    fn object(&self, id: TypeId) -> Option<ObjectId> {
        let object = match &self.program.types[id].kind {
            TypeKind::Reference { declaration } => ObjectId::Declared(*declaration),
            _ => ObjectId::Anonymous(id),
        };
        self.properties(object).map(|_| object)
    }

    fn properties(&self, object: ObjectId) -> Option<&ObjectType> {
        let id = match object {
            ObjectId::Declared(declaration) => self.program.declarations[declaration].r#type,
            ObjectId::Anonymous(id) => id,
        };
        match &self.program.types[id].kind {
            TypeKind::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Returns the text of the first property of an object. Returns `None` if the property has another name, or if serde
/// would write or read it in another way than as a field: serde writes a tag before all fields.
fn first_text(program: &Program, object: &ObjectType, name: &str) -> Option<String> {
    let first = object.properties.first().filter(|first| first.name == name)?;
    let has_tags = first.tags.default.is_some() || first.tags.generated.is_some() || first.tags.sensitive;
    if first.optional || has_tags || !object.index.is_empty() {
        return None;
    }
    match &program.types[first.r#type].kind {
        TypeKind::Literal {
            value: LiteralValue::String(text),
        } => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kit_ir::{DeclarationId, TypeId};
    use kit_test_programs::{Builder, optional};

    use super::{ObjectId, TaggedUnions};

    /// A union of the interface `Circle` and an object without a name, in a declared union `Figure`.
    struct Figures {
        builder: Builder,
        circle: DeclarationId,
        square: TypeId,
        figure: DeclarationId,
    }

    impl Figures {
        fn new() -> Self {
            let mut builder = Builder::new("src/figures.types.ts");
            let circle = Self::object(&mut builder, "kind", "circle");
            let circle = builder.declare("Circle", circle);
            let square = Self::object(&mut builder, "kind", "square");
            let members = [builder.reference(circle), square];
            let union = builder.union(&members);
            let figure = builder.declare("Figure", union);
            Self {
                builder,
                circle,
                square,
                figure,
            }
        }

        fn object(builder: &mut Builder, tag: &str, text: &str) -> TypeId {
            let (text, number) = (builder.literal(text), builder.positive(None));
            let properties = vec![builder.property(tag, text), builder.property("size", number)];
            builder.object(properties)
        }

        /// Returns the texts of the tags of `Circle` and the square.
        fn tags(&self, roots: &[DeclarationId]) -> [Option<String>; 2] {
            let program = &self.builder.program;
            let all: BTreeSet<_> = program.declarations.iter_ids().map(|(id, _)| id).collect();
            let roots = roots.iter().copied().collect();
            let tagged = TaggedUnions::new(program, &all, &roots);
            [ObjectId::Declared(self.circle), ObjectId::Anonymous(self.square)]
                .map(|object| tagged.tag(object).map(|(_, text)| text.clone()))
        }
    }

    #[test]
    fn a_union_is_tagged_if_the_text_of_the_first_property_selects_the_member() {
        let figures = Figures::new();
        let texts = ["circle", "square"].map(|text| Some(text.to_owned()));
        assert_eq!(figures.tags(&[figures.figure]), texts);
    }

    #[test]
    fn a_union_is_not_tagged_if_a_route_or_another_type_uses_a_member_alone() {
        let mut figures = Figures::new();
        assert_eq!(figures.tags(&[figures.figure, figures.circle]), [None, None]);
        let circle = figures.builder.reference(figures.circle);
        let drawing = vec![figures.builder.property("main", circle)];
        figures.builder.interface("Drawing", drawing);
        assert_eq!(figures.tags(&[figures.figure]), [None, None]);
    }

    #[test]
    fn a_union_is_not_tagged_if_one_of_its_objects_is_in_a_union_without_a_tag() {
        let mut figures = Figures::new();
        let members = [figures.square, figures.builder.string()];
        let other = figures.builder.union(&members);
        figures.builder.declare("SquareOrText", other);
        assert_eq!(figures.tags(&[figures.figure]), [None, None]);
    }

    #[test]
    fn a_union_is_not_tagged_if_the_tag_is_optional_or_not_the_first_property_of_a_member() {
        for is_first in [true, false] {
            let mut figures = Figures::new();
            let builder = &mut figures.builder;
            let (text, number) = (builder.literal("line"), builder.positive(None));
            let tag = builder.property("kind", text);
            let length = builder.property("length", number);
            let properties = if is_first {
                vec![optional(tag), length]
            } else {
                vec![length, tag]
            };
            let line = builder.object(properties);
            let members = [builder.reference(figures.circle), figures.square, line];
            let union = builder.union(&members);
            builder.declare("FigureOrLine", union);
            assert_eq!(figures.tags(&[figures.figure]), [None, None], "{is_first}");
        }
    }
}
