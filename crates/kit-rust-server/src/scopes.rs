//! Scopes of contracts, which the generated server does not check yet.

use kit_ir::Program;

use crate::Problem;

/// Returns an error for each route that requires scopes. A server that does not check them would let every caller through.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let routes = program.routes.iter().filter(|route| !route.scopes.is_empty());
    routes
        .map(|route| Problem {
            message: format!(
                "`{}` requires scopes, which a Rust server does not check yet",
                route.reference()
            ),
            span: route.span,
            help: "remove `auth` from the contract and check the scopes in the handler, or serve this route with kit's server for Node"
                .to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use kit_ir::RouteId;
    use kit_test_programs::notes;

    use super::problems;

    #[test]
    fn names_the_route_that_requires_scopes() {
        let mut program = notes::program();
        assert_eq!(problems(&program), []);
        program.routes[RouteId(0)].scopes = vec![vec!["notes:read".to_owned()]];
        let [problem] = &problems(&program)[..] else {
            panic!("one route requires scopes");
        };
        let route = program.routes[RouteId(0)].reference();
        let expected = format!("`{route}` requires scopes, which a Rust server does not check yet");
        assert_eq!(problem.message, expected);
    }
}
