//! Intermediate representation (IR): what the compiler knows of an application after it has understood the TypeScript.
//!
//! `kit-typescript` creates a [`Program`]. The emitters, the database crates and the generator of the Rust
//! server read it. Their code never sees TypeScript syntax, and `kit-typescript` never sees an artifact.
//!
//! Invariants:
//! - The data contains no references to other memory and follows the order of the source, so two equal
//!   programs serialize to equal bytes.
//! - All types live in one arena, [`Program::types`], and refer to each other by [`TypeId`]. Types recurse only through
//!   [`TypeKind::Reference`] to a [`Declaration`], so a walk that does not follow references always terminates.
//! - Constraints belong to the *type* ([`Type::constraints`]), never to the property: an emitter that has the
//!   type has every rule that a value must satisfy. The other doc tags of a property (id, default, column)
//!   are in [`PropertyTags`].
//! - Each slot of a route's contract refers to a declaration, so its type has a name. Bodies in a format without a
//!   type, such as raw bytes, have only a [`BodyFormat`].
//! - The IR describes values in the form that handlers receive ([`TypeKind::Date`] is a `Date`). The
//!   documentation of each kind describes its wire form.
//!
//! The whole program serializes with serde. [`Program::VERSION`] is the version of the serialized document.
//!
//! ```
//! use kit_ir::{Program, Type, TypeKind, Constraints};
//!
//! let mut program = Program::default();
//! let title = program.add_type(Type { kind: TypeKind::String, constraints: Constraints { max_length: Some(200), ..Default::default() }, calls_to_json: false });
//! assert_eq!(program.types[title].constraints.max_length, Some(200));
//! ```

mod application;
mod body;
mod check;
mod constraints;
mod cors;
mod decimal_range;
mod declaration;
mod digits;
mod environment;
mod errors;
mod ids;
mod index;
mod jobs;
mod lifecycle;
mod literal;
mod literal_option;
mod property;
mod reference;
mod route;
mod route_formats;
mod route_options;
mod security;
mod security_headers;
mod slots;
mod source;
mod types;

pub use application::{Application, MiddlewareKind, MiddlewareSource, Program};
pub use body::{BodyFormat, DeclaredEvent, FilePart, FormatChoice};
pub use constraints::{Constraints, Decimal, Format, MAX_EMAIL_LENGTH, MAX_EXPLICIT_EMAIL_LENGTH};
pub use cors::{Cors, CorsRules};
pub use decimal_range::DecimalRange;
pub use declaration::{Declaration, DeclarationOrigin, Entity, EntityOwner};
pub use digits::Digits;
pub use environment::EnvironmentVariables;
pub use errors::{DeclaredFormat, ErrorFormat, ErrorPaths, ErrorRules, Errors};
pub use ids::{Arena, DeclarationId, EntityId, Items, RouteId, SourceId, TypeId};
pub use index::{EntityIndex, IndexColumn, IndexColumnOptions, IndexMethod, Nulls};
pub use jobs::{Job, Jobs};
pub use kit_router::{InvalidPath, Method, RoutePath, Segment};
pub use lifecycle::{CalendarDate, Lifecycle};
pub use literal::LiteralValue;
pub use literal_option::LiteralOption;
pub use property::{
    DefaultValue, Documentation, GeneratedKind, Property, PropertyTags, ReferenceTarget, StoredAs,
};
pub use reference::{EntityReference, ReferentialAction, ReferentialActions};
pub use route::{
    ContractGroup, DeclaredError, DeclaredReply, HandlerSource, Route, RouteWrapper, SOCKET_METHOD,
};
pub use route_options::{RouteLimits, Subprotocols};
pub use security::{Security, SecurityScheme};
pub use security_headers::SecurityHeaders;
pub use slots::{RouteSlots, Slot};
pub use source::{SourceFile, Span};
pub use types::{IndexKey, IndexSignature, ObjectType, TemplatePart, TupleElement, Type, TypeKind};
