//! Formats of bodies that the generated server does not have yet.

use kit_ir::{BodyFormat, Program, Route};

use crate::Problem;

/// Returns an error for each body with a format that the generated server cannot read or write.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    program.routes.iter().flat_map(of_route).collect()
}

fn of_route(route: &Route) -> Vec<Problem> {
    let responses = route.responses();
    let mut unions = std::iter::once(&route.body_format).chain(responses.iter().map(|reply| &reply.format));
    if let Some(union) = unions.find(|format| format.is_union()) {
        return vec![Problem {
            message: format!(
                "`{}` has the formats `{}`, but a Rust server supports one format for each body",
                route.reference(),
                union.names()
            ),
            span: route.span,
            help: "declare one format, or serve this route with kit's server for Node".to_owned(),
        }];
    }
    // Replies of wrappers can be cloned and compared, which lines cannot.
    let of_wrappers = route.wrappers.iter().flat_map(|wrapper| &wrapper.replies);
    let lines = of_wrappers.filter(|reply| reply.format == BodyFormat::Lines);
    let events = route
        .declared_replies()
        .filter(|reply| matches!(reply.format, BodyFormat::Events { .. }));
    let mut found: Vec<Problem> = Vec::new();
    for reply in lines.chain(events) {
        let format = reply.format.name();
        let problem = Problem {
            message: format!(
                "a reply of `{}` is `{format}<…>`, which a Rust server supports only as the response of a handler \
                 without replies",
                route.reference()
            ),
            span: route.span,
            help: format!(
                "use `response: {format}<…>` without `Reply`, or serve this route with kit's server for Node"
            ),
        };
        if !found.contains(&problem) {
            found.push(problem);
        }
    }
    found.extend(route.body_format.upload().map(|file| Problem {
        message: format!(
            "the part `{}` of `{}` is `{}`, which a Rust server does not support yet",
            file.name,
            route.reference(),
            file.type_name()
        ),
        span: route.span,
        help: "use `File`, or serve this route with kit's server for Node".to_owned(),
    }));
    found
}

#[cfg(test)]
mod tests {
    use kit_ir::{BodyFormat, DeclaredReply, RouteId};
    use kit_test_programs::{bodies, formats, notes};

    use super::problems;

    #[test]
    fn names_the_route_and_the_format_of_a_reply_that_is_not_supported() {
        let mut program = notes::program();
        let reply = |status, format| DeclaredReply {
            status,
            body: None,
            format,
            headers: None,
        };
        let text = BodyFormat::Text {
            media_types: vec!["text/csv".to_owned()],
        };
        program.routes[RouteId(0)].replies = vec![reply(200, text)];
        assert_eq!(problems(&program), []);
        let events = BodyFormat::Events { events: Vec::new() };
        let events = [201, 202].map(|status| reply(status, events.clone()));
        program.routes[RouteId(0)].replies.extend(events);
        let messages: Vec<_> = problems(&program)
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        let expected = format!(
            "a reply of `{}` is `Events<…>`, which a Rust server supports only as the response of a handler without \
             replies",
            program.routes[RouteId(0)].reference()
        );
        assert_eq!(messages, [expected]);
    }

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
    fn names_the_route_and_the_part_of_an_upload() {
        let messages: Vec<_> = problems(&bodies::program())
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        let expected = [
            ("video", "/videos", "Upload"),
            ("archives", "/archives", "Uploads"),
            ("avatar", "/avatars", "Upload"),
        ]
        .map(|(part, path, name)| {
            format!(
                "the part `{part}` of `POST {path}` is `{name}`, which a Rust server does not support yet"
            )
        });
        assert_eq!(messages, expected);
        assert_eq!(problems(&bodies::without_uploads()), []);
    }
}
