//! Analyses of IR types, and rules for names and literals, that several crates need.
//!
//! This crate builds on `kit-ir`. `kit-emit` uses it to generate the code that chooses a member of a union,
//! and `kit-build` to warn about ambiguous unions. Generators of tests and of the Rust server use its checks
//! and examples of values.
//!
//! Meaning of a union, which the validators of every server implement:
//! 1. Members that no value fits are removed ([`members`]). Nested unions are flattened.
//! 2. A value fits a union if it fits one of the members. If it fits several members, the member that accepts
//!    most of the value's keys, at any depth, is chosen. If several members accept the same number of keys, the
//!    member with the most specific scalars is chosen, and then the member that is declared first.
//!    [`DecodedValue`] implements this rule in Rust, `packages/core/src/codec/match.ts` in TypeScript.
//! 3. [`UnionPlan`] describes how to find that member with few checks. The plan selects the same member, only
//!    faster.
//!
//! Invariants: all functions are pure functions of a [`Program`](kit_ir::Program) without I/O, and every walk terminates,
//! also for recursive types.
//!
//! ```
//! use kit_analysis::{Decision, UnionPlan};
//! use kit_ir::{Program, TypeKind};
//!
//! let mut program = Program::default();
//! let (text, date) = (program.add_type(TypeKind::String), program.add_type(TypeKind::Date));
//! let plan = UnionPlan::new(&program, &[text, date]);
//! // A date is tried before a string, in any order of declaration.
//! assert_eq!(plan.scalars, [1, 0]);
//! assert_eq!(plan.objects, Decision::NoMember);
//! ```

mod all_disjoint;
mod ambiguity;
mod describe;
mod discriminants;
mod disjoint;
mod form_fields;
mod literal;
mod members;
pub mod numbers;
mod plan;
mod rule_tags;
mod samples;
mod sensitive;
mod specificity;
mod template;
mod type_printer;
mod value;
mod walk;
mod words;

pub use all_disjoint::all_disjoint;
pub use ambiguity::{Ambiguity, AmbiguitySearch, Outcome, ambiguities};
pub use describe::describe;
pub use discriminants::{DiscriminantValue, literals};
pub use disjoint::disjoint;
pub use form_fields::{is_json_part, is_text};
pub use literal::{literal_source, number_text, string_literal, template_text};
pub use members::{Kinds, Member, has_obvious_members, is_impossible, kinds, members};
pub use plan::{Candidates, Case, Decision, Discriminator, Switch, UnionPlan};
pub use rule_tags::rule_tags;
pub use samples::{Sample, Samples, TypeSamples, samples};
pub use sensitive::sensitive_names;
pub use specificity::{is_scalar, specificity};
pub use template::{Segment, segments, template_source};
pub use type_printer::TypePrinter;
pub use value::{DecodedValue, Fit, element_types, example, fit, literal_value, read};
pub use walk::{children, collect_references, each_child, resolve};
pub use words::{is_identifier, is_reserved_word, plural_snake_case};

/// Largest number of items that a page of a list may have. Each page is in memory as a whole.
pub const MAX_PAGE_ITEMS: u32 = 10_000;
