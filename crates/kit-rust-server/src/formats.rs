//! Formats of bodies that the generated server does not have yet.

use kit_ir::{Program, Route};

use crate::Problem;

/// Returns an error for each body with a format that the generated server cannot read or write.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    program.routes.iter().filter_map(of_route).collect()
}

fn of_route(route: &Route) -> Option<Problem> {
    let responses = route.responses();
    let mut formats = std::iter::once(&route.body_format).chain(responses.iter().map(|reply| &reply.format));
    let union = formats.find(|format| format.is_union())?;
    Some(Problem {
        message: format!(
            "`{}` has the formats `{}`, but a Rust server supports one format for each body",
            route.reference(),
            union.names()
        ),
        span: route.span,
        help: "declare one format, or serve this route with kit's server for Node".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use kit_test_programs::{bodies, formats};

    use super::problems;

    #[test]
    fn names_each_route_with_a_union_of_formats() {
        let messages: Vec<_> = problems(&formats::program())
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        let expected = [
            ("POST /orders", "Json | Form | Text | Raw"),
            ("POST /photos", "Multipart | Raw"),
            ("GET /report", "Json | Text | Bytes | Lines"),
            ("GET /export", "Text | Json"),
            ("GET /watch", "Json | Events"),
        ]
        .map(|(route, names)| {
            format!(
                "`{route}` has the formats `{names}`, but a Rust server supports one format for each body"
            )
        });
        assert_eq!(messages, expected);
    }

    #[test]
    fn accepts_every_single_format() {
        assert_eq!(problems(&bodies::program()), []);
    }
}
