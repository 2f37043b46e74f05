//! The intermediate representation (IR): what an application *is*, once its TypeScript has been understood.
//!
//! Where it stands: `kit-typescript` makes a [`Program`]; every emitter, the database room and the Rust server generator
//! read it. Nothing downstream sees TypeScript syntax, and nothing upstream sees an artifact.
//!
//! Invariants:
//! - Owned data without lifetimes, without I/O, ordered as the source orders it: two equal programs print equal bytes.
//! - Types live in one arena, [`Program::types`], and refer to each other by [`TypeId`]. Recursion goes through
//!   [`TypeKind::Reference`] to a [`Declaration`] and through nothing else, so that walking a type without following
//!   references always ends.
//! - Constraints stand on the *type* ([`Type::constraints`]), never on the property: an emitter that sees a type sees
//!   all that a value must satisfy. What stands on a [`Property`] says what the property is for (id, default, column).
//! - Every slot of a route (params, query, body, response) is a reference to a declaration, so that each has a name.
//! - The IR describes values in the form handlers see ([`TypeKind::Date`] is a `Date`); its wire form follows from the
//!   kind and is documented there.
//!
//! The whole program serializes with serde; [`Program::VERSION`] is the version of that document.
//!
//! ```
//! use kit_ir::{Program, Type, TypeKind, Constraints};
//!
//! let mut program = Program::default();
//! let title = program.add_type(Type { kind: TypeKind::String, constraints: Constraints { max_length: Some(200), ..Default::default() } });
//! assert_eq!(program.types[title].constraints.max_length, Some(200));
//! ```

mod application;
mod check;
mod constraints;
mod declaration;
mod ids;
mod property;
mod route;
mod security;
mod source;
mod types;

pub use application::{Application, HandlerSource, MiddlewareKind, MiddlewareSource, Program};
pub use constraints::{Constraints, Decimal, Format, LONGEST_EMAIL, LONGEST_FORMATTED_EMAIL};
pub use declaration::{Declaration, DeclarationOrigin, Entity, EntityOwner};
pub use ids::{Arena, DeclarationId, EntityId, RouteId, SourceId, TypeId};
pub use property::{
    DefaultValue, Documentation, GeneratedKind, Property, PropertyTags, ReferenceTarget, Relation,
};
pub use route::{ContractGroup, Method, Route, RouteSlots, Slot, Throws};
pub use security::{Security, SecurityScheme};
pub use source::{SourceFile, Span};
pub use types::{
    IndexKey, IndexSignature, LiteralValue, ObjectType, TemplatePart, TupleElement, Type, TypeKind,
};
