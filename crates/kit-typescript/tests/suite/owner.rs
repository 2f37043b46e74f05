//! Tests of the doc tag `@owner`: valid tags, and the errors for invalid ones.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use crate::support::{mistakes, output};
use kit_ir::{EntityOwner, Program};

const ROUTES: &str = "
import type { RouteContract } from \"@kit/types\";
import type { Todo } from \"./todos.types.ts\";
export interface TodoRoutes { \"GET /todos\": RouteContract<void, void, void, Todo[]> }";

/// Compiles an entity with this `@owner` tag and this property, and an application with this middleware.
fn compiled(owner: &str, property: &str, middleware: &str) -> (Program, String) {
    let types = format!("/** @table @owner {owner} */\nexport interface Todo {{ id: string; {property} }}");
    let app = format!(
        "
import {{ createApp, defineHandlers, defineMiddleware }} from \"@kit/core\";
import {{ packaged }} from \"a-package\";
import type {{ TodoRoutes }} from \"./todos.routes.ts\";
interface User {{ id: string; send(text: string): void }}
{middleware}
export const handlers = defineHandlers<TodoRoutes>({{ \"GET /todos\": () => [] }});
export const app = createApp({{ routes: [{{ prefix: \"/todos\", handlers, middleware: [auth] }}] }});"
    );
    let output = output(&[
        ("src/todos.types.ts", types.as_str()),
        ("src/todos.routes.ts", ROUTES),
        ("src/app.ts", app.as_str()),
    ]);
    let told = mistakes(&output);
    (output.program, told)
}

#[track_caller]
fn understood(owner: &str, property: &str, middleware: &str) -> Vec<String> {
    let (program, told) = compiled(owner, property, middleware);
    assert_eq!(told, "");
    let read = program.entities.iter().next().unwrap().owner.as_ref();
    assert_eq!(read.map(EntityOwner::to_string).as_deref(), Some(owner));
    program.application.middleware[0].added_context.clone()
}

#[track_caller]
fn refused(owner: &str, property: &str, middleware: &str, says: &str) {
    let (program, told) = compiled(owner, property, middleware);
    assert!(told.contains(says), "{told}");
    assert_eq!(program.entities.iter().next().unwrap().owner, None, "{told}");
}

#[test]
fn accepts_a_value_that_the_type_argument_of_a_middleware_contains() {
    let plain = "const auth = defineMiddleware<{ userId: string }>(() => ({ userId: \"\" }));";
    assert_eq!(
        understood("userId = ctx.userId", "userId: string", plain),
        ["userId"]
    );
    // A property that may be null accepts a value that is never null.
    for property in ["userId: string | null", "userId?: string"] {
        assert_eq!(understood("userId = ctx.userId", property, plain), ["userId"]);
    }
    let nested = "const auth = defineMiddleware<{ user: User }>(() => ({ user: null! }));";
    assert_eq!(
        understood("owner = ctx.user.id", "owner: string", nested),
        ["user.id"]
    );
    let caller = "import type { Auth } from \"@kit/types\";
      interface Caller<S extends string> extends Auth<S> { readonly subject: string }
      const auth = defineMiddleware<{ auth: Caller<\"read\"> }>(() => null!);";
    assert_eq!(
        understood("userId = ctx.auth.subject", "userId: string", caller),
        ["auth.subject"]
    );
    let returned = "import type { Middleware } from \"@kit/core\";
      import type { Auth } from \"@kit/types\";
      interface Caller<S extends string, D> extends Auth<S> { readonly subject: string; readonly data: D }
      declare function sessionAuth<S extends string, D>(sessions: Sessions<S, D>): Middleware<{ auth: Caller<S, D> }>;
      const auth = sessionAuth(null!);";
    assert_eq!(
        understood("userId = ctx.auth.subject", "userId: string", returned),
        ["auth.subject"]
    );
    let entry = "const run = defineMiddleware<{ n: number } & { big: bigint }>(() => null!);
        const auth = { name: \"auth\", middleware: run, priority: 5 };";
    assert_eq!(understood("n = ctx.n", "n: number", entry), ["n"]);
    assert_eq!(understood("n = ctx.big", "n: bigint", entry), ["big"]);
    assert_eq!(understood("none", "userId: string", plain), Vec::<String>::new());
}

#[test]
fn refuses_a_value_that_no_middleware_adds_to_the_context() {
    let plain = "const auth = defineMiddleware<{ userId: string }>(() => ({ userId: \"\" }));";
    refused(
        "userId = ctx.user",
        "userId: string",
        plain,
        "no middleware of the application adds `ctx.user`",
    );
    refused(
        "userId = ctx.userId.id",
        "userId: string",
        plain,
        "adds `ctx.userId.id`",
    );
    for middleware in [
        "const auth = defineMiddleware(() => ({ userId: \"\" }));",
        "const auth = packaged;",
        "function auth() { return { userId: \"\" }; }",
    ] {
        let says = "no middleware of the application adds `ctx.userId`";
        refused("userId = ctx.userId", "userId: string", middleware, says);
    }
}

#[test]
fn refuses_a_value_with_another_type_than_the_property() {
    let added = |r#type: &str| format!("const auth = defineMiddleware<{type}>(() => null!);");
    let number = added("{ userId: number }");
    refused(
        "userId = ctx.userId",
        "userId: string",
        &number,
        "`ctx.userId` is `number`",
    );
    let missing = added("{ userId: string | undefined }");
    refused("userId = ctx.userId", "userId: string", &missing, "KIT1319");
    for optional in ["{ userId?: string }", "{ user?: { id: string } }"] {
        let owner = if optional.contains("user?") {
            "userId = ctx.user.id"
        } else {
            "userId = ctx.userId"
        };
        refused(owner, "userId: string", &added(optional), "may be absent");
    }
}

#[test]
fn refuses_a_property_that_does_not_exist_or_cannot_identify_an_owner() {
    let plain = "const auth = defineMiddleware<{ userId: string }>(() => ({ userId: \"\" }));";
    refused(
        "userid = ctx.userId",
        "userId: string",
        plain,
        "did you mean `userId`?",
    );
    for property in [
        "userId: boolean",
        "userId: Date",
        "userId: string[]",
        "userId: null",
    ] {
        refused("userId = ctx.userId", property, plain, "KIT1318");
    }
}

#[test]
fn refuses_an_owner_tag_with_an_invalid_argument() {
    let plain = "const auth = defineMiddleware<{ userId: string }>(() => ({ userId: \"\" }));";
    for owner in ["", "nobody", "userId", "userId = userId", "ctx.userId = userId"] {
        refused(owner, "userId: string", plain, "KIT1303");
    }
}
