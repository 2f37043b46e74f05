//! Generates the call that sets the format of errors, from the option `errors` of `createApp`, and the trait with which an
//! application with its own format creates error bodies.

use kit_ir::{DeclaredFormat, ErrorFormat, ErrorRules, Program};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::Problem;
use crate::literal_option::unknown_value;
use crate::source::{Imports, doc, ident, string_literal};
use crate::types::Types;

/// Name of the generated trait.
const TRAIT: &str = "ErrorBodies";

/// Returns the items of `kit_runtime` that the generated code for the option `errors` uses.
pub(crate) fn imports(types: &Types<'_>) -> Vec<&'static str> {
    let rules = types.program.application.error_rules();
    match rules.format {
        _ if *rules == ErrorRules::DEFAULT => Vec::new(),
        ErrorFormat::Envelope | ErrorFormat::ProblemDetails => vec!["ErrorFormat"],
        ErrorFormat::Declared(_) => vec!["ErrorFormat", "Failure"],
    }
}

/// Adds the import of the type that describes error bodies, if the application declares this type.
pub(crate) fn add_model(types: &Types<'_>, models: &mut Imports) {
    if let Some(declared) = types.program.application.declared_format() {
        models.add("crate::models", types.name(declared.body));
    }
}

/// Returns the trait with which the application creates its error bodies. Returns `None` if the application
/// does not declare an error format.
pub(crate) fn body_trait(types: &Types<'_>) -> Option<TokenStream> {
    let declared = types.program.application.declared_format()?;
    let name = ident(TRAIT);
    let body = ident(types.name(declared.body));
    let failure = types.of_runtime("Failure");
    let comment = doc("Creates the error bodies of the application. Implement the trait for `App`.");
    let function = doc(
        "Returns the body for a failed request. Insert the trace id unchanged. The server calls this function for every \
         error, also for input that is not HTTP.",
    );
    Some(quote! {
        #comment
        pub trait #name {
            #function
            fn error_body(failure: &#failure) -> #body;
        }
    })
}

/// Returns the call `.errors(…)` for the generated routes. Returns `None` for the format and the status that
/// the runtime has by default.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let rules = types.program.application.error_rules();
    if *rules == ErrorRules::DEFAULT {
        return None;
    }
    let format = types.of_runtime("ErrorFormat");
    let format = match &rules.format {
        ErrorFormat::Envelope => quote!(#format::envelope()),
        ErrorFormat::ProblemDetails => quote!(#format::problem_details()),
        ErrorFormat::Declared(DeclaredFormat { content_type, .. }) => {
            let (content_type, name) = (string_literal(content_type), ident(TRAIT));
            quote!(#format::declared(#content_type, <App as #name>::error_body))
        }
    };
    let status = Literal::u16_unsuffixed(rules.validation_status);
    Some(quote!(.errors(#format, #status)))
}

/// Returns the mistakes in the option `errors`.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let unknown = program
        .application
        .errors
        .as_ref()
        .filter(|errors| errors.rules.is_none());
    let problem = unknown.map(|errors| Problem {
        message: unknown_value("errors"),
        span: errors.span,
        help: "write the value as an object of literals, such as `{ format: \"problem-details\", validationStatus: 422 }`, \
               or with a constant of `defineErrorFormat<MyError>({ … })`"
            .to_owned(),
    });
    problem.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use kit_ir::{DeclaredFormat, ErrorFormat, ErrorPaths, ErrorRules, Errors, Program};
    use kit_test_programs::{Builder, notes};

    use super::{body_trait, call, problems};
    use crate::types::Types;

    fn with(mut program: Program, rules: Option<ErrorRules>) -> Program {
        let span = Builder::new("src/app.ts").span();
        program.application.errors = Some(Errors { rules, span });
        program
    }

    fn call_of(format: ErrorFormat, validation_status: u16) -> Option<String> {
        let rules = ErrorRules {
            format,
            validation_status,
        };
        let program = with(notes::program(), Some(rules));
        let text = call(&Types::new(&program))?.to_string();
        Some(text.replace(' ', ""))
    }

    #[test]
    fn generates_a_call_of_the_runtime_only_if_the_option_differs_from_the_default() {
        assert_eq!(call_of(ErrorFormat::Envelope, 400), None);
        assert_eq!(
            call_of(ErrorFormat::Envelope, 422).as_deref(),
            Some(".errors(ErrorFormat::envelope(),422)")
        );
        assert_eq!(
            call_of(ErrorFormat::ProblemDetails, 400).as_deref(),
            Some(".errors(ErrorFormat::problem_details(),400)")
        );
    }

    #[test]
    fn calls_the_function_of_the_application_for_a_declared_type() {
        let mut b = Builder::new("src/errors.ts");
        let string = b.string();
        let kind = b.property("kind", string);
        let body = b.interface("Failed", vec![kind]);
        let rules = ErrorRules {
            format: ErrorFormat::Declared(DeclaredFormat {
                body,
                content_type: "application/problem+json".to_owned(),
                paths: ErrorPaths::default(),
            }),
            validation_status: 422,
        };
        let program = with(b.program, Some(rules));
        let types = Types::new(&program);
        let call = call(&types).unwrap().to_string().replace(' ', "");
        assert_eq!(
            call,
            r#".errors(ErrorFormat::declared("application/problem+json",<AppasErrorBodies>::error_body),422)"#
        );
        let text = body_trait(&types).unwrap().to_string().replace(' ', "");
        assert!(text.contains("fnerror_body(failure:&Failure)->Failed;"), "{text}");
    }

    #[test]
    fn refuses_a_value_that_is_known_only_at_run_time() {
        let found = problems(&with(notes::program(), None));
        let [problem] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(
            problem
                .message
                .contains("needs the value of `errors` at build time")
        );
        assert!(problems(&notes::program()).is_empty());
    }
}
