//! Generates `error.rs`: an enum of all errors that the contracts declare with `Failure` or `@throws`, with the status of
//! each, and with the details that it declares.

use heck::ToPascalCase;
use kit_ir::{DeclaredError, Program};
use proc_macro2::TokenStream;
use quote::quote;

use crate::source::{Imports, allow_lints, doc, file_doc, ident, string_literal};
use crate::status::{constant, status_name};
use crate::types::Types;
use crate::{File, names};

/// An error that a contract declares.
pub(crate) struct ContractError<'a> {
    pub(crate) variant: String,
    pub(crate) throws: &'a DeclaredError,
}

/// Returns the errors of all routes in the order of their first occurrence. Errors that differ only in their description
/// occur once.
pub(crate) fn all(program: &Program) -> Vec<ContractError<'_>> {
    let mut distinct: Vec<&DeclaredError> = Vec::new();
    for throws in program.routes.iter().flat_map(|route| &route.throws) {
        if !distinct.iter().any(|known| is_same(known, throws)) {
            distinct.push(throws);
        }
    }
    let mut found: Vec<ContractError<'_>> = Vec::new();
    for throws in &distinct {
        let mut wanted = names::variant(&throws.code.to_pascal_case());
        let has_other_status =
            |other: &&DeclaredError| other.code == throws.code && other.status != throws.status;
        if distinct.iter().any(has_other_status) {
            wanted.push_str(&match constant(throws.status) {
                Some(name) => name.to_pascal_case(),
                None => throws.status.to_string(),
            });
        }
        let variant = names::unique(wanted, |taken| found.iter().any(|known| known.variant == taken));
        found.push(ContractError { variant, throws });
    }
    found
}

/// Returns true if two declared errors are equal for a client: they have the same code, status and details.
pub(crate) fn is_same(one: &DeclaredError, other: &DeclaredError) -> bool {
    (&one.code, one.status, one.details) == (&other.code, other.status, other.details)
}

/// Returns the name of the enum variant for an error.
pub(crate) fn variant(program: &Program, throws: &DeclaredError) -> Option<String> {
    let known = all(program)
        .into_iter()
        .find(|known| is_same(known.throws, throws));
    known.map(|known| known.variant)
}

pub(crate) fn file(types: &Types<'_>) -> File {
    let known = all(types.program);
    let mut file = file_doc("Errors of the application, and the HTTP status of each.");
    if !known.is_empty() {
        file.extend(allow_lints(
            "The contracts decide comments and the number of errors. A code may have several statuses.",
            &[
                "doc_link_with_quotes",
                "doc_markdown",
                "match_same_arms",
                "too_many_lines",
            ],
        ));
    }
    file.extend(quote!(
        pub use kit_runtime::Error;
    ));
    if known.is_empty() {
        return File::output("error.rs", &file);
    }
    let status_code = types.of_runtime("StatusCode");
    let mut models = Imports::default();
    let mut variants = Vec::new();
    let mut codes = Vec::new();
    let mut details = Vec::new();
    // Errors with the same status share one match arm.
    let mut statuses: Vec<(u16, Vec<TokenStream>)> = Vec::new();
    for ContractError { variant, throws } in &known {
        let variant = ident(variant);
        let says = throws
            .description
            .as_deref()
            .unwrap_or("An error of the contracts.");
        let comment = doc(&format!("`{}`: {says}", throws.code));
        let (fields, ignored) = match throws.details {
            Some(id) => {
                models.add("crate::models", types.name(id));
                let kind = ident(types.name(id));
                details.push(quote!(Self::#variant(details) => error.with_declared_details(details)));
                (Some(quote!((#kind))), Some(quote!((_))))
            }
            None => (None, None),
        };
        variants.push(quote!(#comment #variant #fields));
        let code = string_literal(&throws.code);
        let pattern = quote!(Self::#variant #ignored);
        codes.push(quote!(#pattern => #code));
        match statuses.iter_mut().find(|(status, _)| *status == throws.status) {
            Some((_, patterns)) => patterns.push(pattern),
            None => statuses.push((throws.status, vec![pattern])),
        }
    }
    let statuses = statuses.iter().map(|(status, patterns)| {
        let status = status_name(&status_code, *status);
        quote!(#(#patterns)|* => #status)
    });
    if !types.declares("StatusCode") {
        file.extend(quote!(
            use kit_runtime::StatusCode;
        ));
    }
    let with = quote!(Error::new(self.status(), self.code(), message));
    // An enum without details is `Copy`, so its methods take the value.
    let (derives, receiver, with) = if details.is_empty() {
        (quote!(Debug, Clone, Copy, PartialEq, Eq), quote!(self), with)
    } else {
        let others = (details.len() < known.len()).then(|| quote!(_ => error,));
        let with = quote! {
            let error = #with;
            match &self { #(#details,)* #others }
        };
        (quote!(Debug, Clone, PartialEq), quote!(&self), with)
    };
    let large = (!details.is_empty()).then(|| quote!(#[allow(clippy::large_enum_variant)]));
    file.extend(quote! {
        #models

        /// Errors that the contracts declare.
        #[derive(#derives)]
        #large
        pub enum AppError {
            #(#variants),*
        }

        impl AppError {
            /// Returns the code, which clients can rely on.
            #[must_use]
            pub const fn code(#receiver) -> &'static str {
                match self { #(#codes,)* }
            }

            /// Returns the status of the response.
            #[must_use]
            pub fn status(#receiver) -> #status_code {
                match self { #(#statuses,)* }
            }

            /// Returns the error with a message for people.
            #[track_caller]
            pub fn with(self, message: impl Into<String>) -> Error { #with }
        }
    });
    File::output("error.rs", &file)
}

#[cfg(test)]
mod tests {
    use kit_ir::{Arena, DeclarationId, DeclaredError, Program, RouteId};

    use super::{all, variant};

    fn error(code: &str, status: u16, details: Option<u32>) -> DeclaredError {
        DeclaredError {
            code: code.to_owned(),
            status,
            description: None,
            details: details.map(DeclarationId),
        }
    }

    /// Returns a program with a route for the first error, and a route for all other errors.
    fn program(errors: &[DeclaredError]) -> Program {
        let mut program = kit_test_programs::notes::program();
        let mut route = program.routes[RouteId(0)].clone();
        program.routes = Arena::default();
        for throws in [&errors[..1], &errors[1..]] {
            route.throws = throws.to_vec();
            program.routes.push(route.clone());
        }
        program
    }

    #[test]
    fn names_errors_with_the_same_code_after_their_statuses() {
        let errors = [
            error("GONE", 404, None),
            error("SOLD_OUT", 409, None),
            error("GONE", 410, None),
            error("GONE", 404, None),
            error("GONE", 499, None),
        ];
        let program = program(&errors);
        let found: Vec<_> = all(&program).into_iter().map(|known| known.variant).collect();
        assert_eq!(found, ["GoneNotFound", "SoldOut", "GoneGone", "Gone499"]);
        assert_eq!(variant(&program, &errors[2]).as_deref(), Some("GoneGone"));
    }

    #[test]
    fn codes_in_small_letters_with_points_and_hyphens_become_distinct_names() {
        let codes = ["note.not-found", "NOTE_NOT_FOUND", "noteNotFound", "self", "v1.2"];
        let errors = codes.map(|code| error(code, 404, None));
        let found: Vec<_> = all(&program(&errors))
            .into_iter()
            .map(|known| known.variant)
            .collect();
        assert_eq!(
            found,
            [
                "NoteNotFound",
                "NoteNotFound2",
                "NoteNotFound3",
                "ValueSelf",
                "V12"
            ]
        );
    }

    #[test]
    fn distinguishes_errors_with_the_same_code_if_their_details_differ() {
        let errors = [
            error("SOLD_OUT", 409, None),
            error("SOLD_OUT", 409, Some(0)),
            error("SOLD_OUT", 409, Some(1)),
        ];
        let program = program(&errors);
        let found: Vec<_> = errors
            .iter()
            .map(|error| variant(&program, error).unwrap())
            .collect();
        assert_eq!(found, ["SoldOut", "SoldOut2", "SoldOut3"]);
    }
}
