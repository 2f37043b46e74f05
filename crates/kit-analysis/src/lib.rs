//! Facts about IR types that more than one room needs.
//!
//! Where it stands: beside the IR. `kit-emit` asks how the members of a union are told apart and writes code that does it;
//! `kit-build` asks which unions are ambiguous and warns; a generator of tests or of another server asks for values.
//!
//! What a union means, which every runtime of kit keeps:
//! 1. Members that no value can have are left out ([`members`]); unions inside of unions are taken apart.
//! 2. A value fits a union where it fits a member. Of several that it fits, it is read as the one that keeps most of its
//!    keys, at any depth; among those as the one with the most specific scalars; among those as the one declared
//!    first ([`Read`] is that rule in Rust, `packages/core/src/codec/match.ts` in TypeScript).
//! 3. [`UnionPlan`] says with how little looking the choice can be made. It changes the cost, never the choice.
//!
//! Invariants: pure functions of a [`Program`](kit_ir::Program); no I/O; every walk ends, whatever refers to whom.
//!
//! ```
//! use kit_analysis::{Decision, UnionPlan};
//! use kit_ir::{Program, TypeKind};
//!
//! let mut program = Program::default();
//! let (text, date) = (program.add_type(TypeKind::String), program.add_type(TypeKind::Date));
//! let plan = UnionPlan::new(&program, &[text, date]);
//! // A date is tried before any text, in whatever order they are declared.
//! assert_eq!(plan.scalars, [1, 0]);
//! assert_eq!(plan.objects, Decision::Never);
//! ```

mod ambiguity;
mod disjoint;
mod members;
mod plan;
mod specificity;
mod tags;
mod text;
mod value;
mod walk;

pub use ambiguity::{Ambiguity, Outcome, ambiguities};
pub use disjoint::{all_disjoint, disjoint};
pub use members::{Kinds, Member, is_impossible, kinds, members};
pub use plan::{Candidates, Case, Decision, Discriminator, Switch, UnionPlan};
pub use specificity::{is_scalar, specificity};
pub use tags::{Tag, literals};
pub use text::describe;
pub use value::{Fit, Read, example, fit, read};
pub use walk::{children, collect_references, resolve};
