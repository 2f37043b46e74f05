//! Formats of bodies that the generated server does not have yet.

use kit_ir::{BodyFormat, Program, Route};

use crate::Problem;

/// Returns an error for each body of a request or response with a format that the generated server cannot read or
/// write.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    program.routes.iter().flat_map(of_route).collect()
}

fn of_route(route: &Route) -> Vec<Problem> {
    let problem = |noun: &str, format: &BodyFormat| Problem {
        message: format!(
            "the {noun} of `{}` is `{}<…>`, which a Rust server does not support yet",
            route.reference(),
            format.name()
        ),
        span: route.span,
        help: "use a JSON type, or serve this route with kit's server for Node".to_owned(),
    };
    let body = Some(&route.body_format).filter(|format| !is_read(format));
    let replies = route.declared_replies().map(|reply| &reply.format);
    let responses = std::iter::once(&route.response_format).chain(replies);
    let mut found: Vec<Problem> = body.map(|format| problem("body", format)).into_iter().collect();
    for format in responses.filter(|format| !is_written(format)) {
        let new = problem("response", format);
        if !found.contains(&new) {
            found.push(new);
        }
    }
    found
}

/// Returns true if the generated server reads request bodies of a format.
fn is_read(format: &BodyFormat) -> bool {
    format.is_json()
}

/// Returns true if the generated server writes response bodies of a format.
fn is_written(format: &BodyFormat) -> bool {
    format.is_json()
}

#[cfg(test)]
mod tests {
    use kit_ir::{BodyFormat, DeclaredReply, RouteId};
    use kit_test_programs::notes;

    use super::problems;

    #[test]
    fn names_the_route_and_the_format_of_a_body_that_is_not_supported() {
        let mut program = notes::program();
        assert_eq!(problems(&program), []);
        let route = &mut program.routes[RouteId(0)];
        let lines = DeclaredReply {
            status: 200,
            body: None,
            format: BodyFormat::Lines,
            headers: None,
        };
        route.body_format = BodyFormat::Lines;
        route.replies = vec![lines.clone(), lines];
        let messages: Vec<_> = problems(&program)
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        let reference = program.routes[RouteId(0)].reference();
        let message = |noun| {
            format!("the {noun} of `{reference}` is `Lines<…>`, which a Rust server does not support yet")
        };
        assert_eq!(messages, [message("body"), message("response")]);
    }
}
