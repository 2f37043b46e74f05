//! Programs in IR for the tests of crates, and a builder for further programs. Not part of the product.
//!
//! The programs are written by hand, as the compiler would produce them, so that tests of emitters need no compiler. All
//! helpers panic on a mistake, like tests.

// Helpers of tests may panic like tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::missing_panics_doc)]

pub mod bodies;
pub mod contracts;
pub mod directions;
pub mod formats;
pub mod jobs;
pub mod kitchen_sink;
pub mod large;
pub mod notes;
pub mod sockets;
pub mod wrappers;

use kit_ir::{
    BodyFormat, Constraints, Decimal, Declaration, DeclarationId, DeclarationOrigin, Documentation, Format,
    IndexKey, IndexSignature, LiteralValue, Method, ObjectType, Program, Property, PropertyTags, Route,
    RouteLimits, RoutePath, RouteSlots, SourceFile, SourceId, Span, Type, TypeId, TypeKind,
};
use kit_router::{ParsedRoute, RouteTree};

/// A program under construction.
pub struct Builder {
    /// The program, with everything that was added so far.
    pub program: Program,
    source: SourceId,
    line: u32,
}

impl Builder {
    /// Creates a program without types, and a source file at `path`.
    pub fn new(path: &str) -> Self {
        let mut program = Program::default();
        let source = program.sources.push(SourceFile {
            path: path.to_owned(),
        });
        Self {
            program,
            source,
            line: 0,
        }
    }

    /// Starts another source file. The declarations that follow belong to it.
    pub fn file(&mut self, path: &str) {
        self.source = self.program.sources.push(SourceFile {
            path: path.to_owned(),
        });
        self.line = 0;
    }

    /// Returns a span on the next line of the source file.
    pub fn span(&mut self) -> Span {
        self.line += 1;
        Span {
            source: self.source,
            start: 0,
            end: 0,
            line: self.line,
            column: 1,
        }
    }

    /// Adds a type without rules.
    pub fn kind(&mut self, kind: TypeKind) -> TypeId {
        self.program.add_type(kind)
    }

    /// Adds a type with rules.
    pub fn constrained(&mut self, kind: TypeKind, constraints: Constraints) -> TypeId {
        self.program.add_type(Type {
            kind,
            constraints,
            calls_to_json: false,
        })
    }

    /// Adds the type `string`.
    pub fn string(&mut self) -> TypeId {
        self.kind(TypeKind::String)
    }

    /// Adds the type of a `string` with `@generated uuid`.
    pub fn uuid(&mut self) -> TypeId {
        self.constrained(
            TypeKind::String,
            Constraints {
                format: Some(Format::Uuid),
                ..Constraints::default()
            },
        )
    }

    /// Adds a string type with `min` to `max` characters.
    pub fn text(&mut self, min: u64, max: u64) -> TypeId {
        let constraints = Constraints {
            min_length: (min > 0).then_some(min),
            max_length: Some(max),
            ..Constraints::default()
        };
        self.constrained(TypeKind::String, constraints)
    }

    /// Adds an integer type with a minimum of 1.
    pub fn positive(&mut self, max: Option<f64>) -> TypeId {
        let constraints = Constraints {
            integer: true,
            minimum: Decimal::new(1.0),
            maximum: max.and_then(Decimal::new),
            ..Constraints::default()
        };
        self.constrained(TypeKind::Number, constraints)
    }

    /// Adds the type of one string: `"draft"`.
    pub fn literal(&mut self, text: &str) -> TypeId {
        let value = LiteralValue::String(text.to_owned());
        self.kind(TypeKind::Literal { value })
    }

    /// Adds a union of strings: `"draft" | "published"`.
    pub fn literals(&mut self, texts: &[&str]) -> TypeId {
        let members = texts.iter().map(|text| self.literal(text)).collect();
        self.kind(TypeKind::Union { members })
    }

    /// Adds a union of types.
    pub fn union(&mut self, members: &[TypeId]) -> TypeId {
        self.kind(TypeKind::Union {
            members: members.to_vec(),
        })
    }

    /// Adds an array type.
    pub fn array(&mut self, element: TypeId) -> TypeId {
        self.kind(TypeKind::Array { element })
    }

    /// Adds a reference to a named type.
    pub fn reference(&mut self, declaration: DeclarationId) -> TypeId {
        self.kind(TypeKind::Reference { declaration })
    }

    /// Creates a required property on the next line of the file.
    pub fn property(&mut self, name: &str, r#type: TypeId) -> Property {
        Property {
            name: name.to_owned(),
            r#type,
            optional: false,
            documentation: Documentation::default(),
            tags: PropertyTags::default(),
            span: self.span(),
        }
    }

    /// Adds an object type without index signatures.
    pub fn object(&mut self, properties: Vec<Property>) -> TypeId {
        self.kind(TypeKind::Object(ObjectType {
            properties,
            index: Vec::new(),
        }))
    }

    /// Adds an object type with arbitrary keys: `Record<string, V>`.
    pub fn record(&mut self, value: TypeId) -> TypeId {
        self.indexed(Vec::new(), vec![(IndexKey::String, value)])
    }

    /// Adds an object type with properties and index signatures.
    pub fn indexed(&mut self, properties: Vec<Property>, index: Vec<(IndexKey, TypeId)>) -> TypeId {
        let free = |(key, value)| (key, Constraints::default(), value);
        self.ruled(properties, index.into_iter().map(free).collect())
    }

    /// Adds an object type with index signatures, and with rules that the keys must satisfy.
    pub fn ruled(
        &mut self,
        properties: Vec<Property>,
        index: Vec<(IndexKey, Constraints, TypeId)>,
    ) -> TypeId {
        let index = index
            .into_iter()
            .map(|(key, rules, value)| IndexSignature { key, rules, value })
            .collect();
        self.kind(TypeKind::Object(ObjectType { properties, index }))
    }

    /// Declares a type under a name, on the next line of the file.
    pub fn declare_as(&mut self, name: &str, r#type: TypeId, origin: DeclarationOrigin) -> DeclarationId {
        let span = self.span();
        self.program.declarations.push(Declaration {
            name: name.to_owned(),
            r#type,
            origin,
            documentation: Documentation::default(),
            span,
        })
    }

    /// Declares an exported type.
    pub fn declare(&mut self, name: &str, r#type: TypeId) -> DeclarationId {
        let origin = DeclarationOrigin::Named {
            export: name.to_owned(),
        };
        self.declare_as(name, r#type, origin)
    }

    /// Declares an exported interface.
    pub fn interface(&mut self, name: &str, properties: Vec<Property>) -> DeclarationId {
        let r#type = self.object(properties);
        self.declare(name, r#type)
    }

    /// Declares the type of a slot of a contract, such as its query.
    pub fn slot(&mut self, name: &str, properties: Vec<Property>) -> DeclarationId {
        let r#type = self.object(properties);
        self.declare_as(name, r#type, DeclarationOrigin::Slot)
    }

    /// Creates a route of the group, with the default status of its method and response.
    pub fn route(&mut self, method: Method, path: &str, group: &str, slots: RouteSlots) -> Route {
        let parsed = RoutePath::parse(path).unwrap();
        let parameters = parsed.parameters().map(str::to_owned).collect();
        let status = match (slots.response, method) {
            (None, _) => 204,
            (Some(_), Method::Post) => 201,
            _ => 200,
        };
        Route {
            method,
            path: parsed,
            key: format!("{method} {path}"),
            group: group.to_owned(),
            parameters,
            slots,
            body_format: BodyFormat::Json,
            response_format: BodyFormat::Json,
            status,
            replies: Vec::new(),
            is_list: false,
            wrappers: Vec::new(),
            operation: None,
            limits: RouteLimits::default(),
            lifecycle: kit_ir::Lifecycle::default(),
            summary: None,
            tags: Vec::new(),
            subprotocols: None,
            throws: Vec::new(),
            documentation: Documentation::default(),
            middleware: Vec::new(),
            security: Vec::new(),
            scopes: Vec::new(),
            authenticator: None,
            scopes_before: None,
            handler: None,
            tests: Vec::new(),
            span: self.span(),
        }
    }
}

/// Returns the property, changed to an optional property.
pub fn optional(mut property: Property) -> Property {
    property.optional = true;
    property
}

/// Returns the property with the doc tags that `tag` has set.
pub fn tagged(mut property: Property, tag: impl FnOnce(&mut PropertyTags)) -> Property {
    tag(&mut property.tags);
    property
}

/// Returns the property with a description.
pub fn described(mut property: Property, text: &str) -> Property {
    property.documentation.description = Some(text.to_owned());
    property
}

/// Compiles the route tree of a program like the build does.
pub fn tree(program: &Program) -> RouteTree {
    let specs = program.routes.iter().map(|route| ParsedRoute {
        method: route.method,
        path: route.path.clone(),
        reference: route.reference(),
        validators: route
            .read()
            .into_iter()
            .map(|id| program.declarations[id].name.clone())
            .collect(),
    });
    RouteTree::compile_parsed(specs).expect("the routes of a fixture do not conflict")
}
