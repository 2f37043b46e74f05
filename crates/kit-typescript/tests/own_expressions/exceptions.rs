//! Regular expressions of kit that are not proven to take linear time, each with the reason why it is
//! harmless.

const STACK: &str = "its text is a line of a stack of the developer's own program";
const SOURCE: &str = "its text is source code of the developer's own project";
const TEST: &str = "its text is made by the developer's own tests or types";
const FORMAT: &str = "kit writes it from constants; packages/core/test/codec/formats.test.ts measures its time on hostile texts";
const BOUNDED: &str = "it is anchored, and its parts are constants without unbounded repetition";
const ALWAYS_ENDS: &str = "once it has begun to match it cannot fail, so it is tried from each place once";

/// File, regular expression (or the source text of the argument of `RegExp`), and the reason why it is
/// harmless.
pub(crate) const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "packages/cli/src/code-location.ts",
        r"^\s+at (?:.*\()?(.+?):(\d+):(\d+)\)?$",
        STACK,
    ),
    (
        "packages/cli/src/code-location.ts",
        r"'([^']+)' imported from (\S.*)$",
        STACK,
    ),
    (
        "packages/cli/src/code-location.ts",
        r#"(["'])((?:(?!\1).)*)\1"#,
        SOURCE,
    ),
    (
        "packages/cli/src/test-reporter.ts",
        r"^[\w$]*(?:Error|Exception)\b[^]*?(?=\n {4}at |\n\n|$(?![^]))",
        TEST,
    ),
    (
        "packages/client/src/header.ts",
        r#"(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^",])+"#,
        ALWAYS_ENDS,
    ),
    (
        "packages/core/src/codec/email.ts",
        r"`^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`",
        FORMAT,
    ),
    (
        "packages/core/src/codec/formats.ts",
        r#"`^${groups.join("-")}$`"#,
        FORMAT,
    ),
    (
        "packages/core/src/codec/ip.ts",
        r#"`^${[octet, octet, octet, octet].join("\\.")}$`"#,
        FORMAT,
    ),
    (
        "packages/core/src/codec/uri.ts",
        r"`^[A-Za-z][A-Za-z0-9+.-]*:(?:${authority}|(?!//))${any(`:@/${everywhere}`)}(?:\\?${query})?(?:#${query})?$`",
        FORMAT,
    ),
    (
        "packages/core/src/codec/encode-number.ts",
        "0+$",
        "its text has three digits",
    ),
    (
        "packages/core/src/edge/http-date.ts",
        r"`^${day}, ([0-9]{2}) ${month} ([0-9]{4}) ${time} GMT$`",
        BOUNDED,
    ),
    (
        "packages/core/src/edge/http-date.ts",
        r"`^${longDay}, ([0-9]{2})-${month}-([0-9]{2}) ${time} GMT$`",
        BOUNDED,
    ),
    (
        "packages/core/src/edge/http-date.ts",
        r"`^${day} ${month} ([0-9]{2}| [0-9]) ${time} ([0-9]{4})$`",
        BOUNDED,
    ),
    (
        "packages/core/src/errors/error-writer.ts",
        r"`(${placeholder}|${placeholderUuid})`",
        "its alternatives are two fixed texts of hexadecimal digits and hyphens",
    ),
    (
        "packages/plugin-debug/dashboard/src/text/block.ts",
        r"\/\/.*$",
        SOURCE,
    ),
    (
        "packages/plugin-debug/dashboard/src/text/block.ts",
        r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`"#,
        SOURCE,
    ),
    (
        "packages/plugin-debug/dashboard/src/text/definition.ts",
        "name === \"default\"\n      ? \"^export default\\\\b\"\n      : `^\\\\s*(?:export\\\\s+)?(?:default\\\\s+)?(?:async\\\\s+)?(?:const|let|var|function\\\\*?|class)\\\\s+${word}\\\\b`",
        SOURCE,
    ),
    (
        "packages/plugin-debug/dashboard/src/text/definition.ts",
        r#"^import\s+(?:([A-Za-z_$][\w$]*)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*["']([^"']+)["']"#,
        SOURCE,
    ),
    (
        "packages/plugin-debug/dashboard/src/text/definition.ts",
        r"\s+as\s+",
        SOURCE,
    ),
    (
        "packages/plugin-debug/dashboard/src/text/stack.ts",
        r"\(?((?:file:\/\/)?[^\s()]+?):(\d+):(\d+)\)?$",
        STACK,
    ),
    (
        "packages/plugin-debug/src/calls/http.ts",
        r"[?#][^]*$",
        ALWAYS_ENDS,
    ),
    (
        "packages/plugin-debug/src/calls/sql.ts",
        r#"--[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"]|"")*(?:"|$)|\b[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)|(?:\b(?:[bBxXnN]|[uU]&))?'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[^]*?(?:\$\1\$|$)|\$\d+|\b\d[\w.]*"#,
        ALWAYS_ENDS,
    ),
    (
        "packages/testing/src/project/call-site.ts",
        r"(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):(\d+)\)?$",
        STACK,
    ),
    (
        "packages/testing/src/project/call-site.ts",
        r"`\\b${callee}\\s*<`",
        SOURCE,
    ),
    (
        "packages/testing/src/project/call-site.ts",
        r"`^\\s*(?:export\\s+)?(?:declare\\s+)?(?:type|interface|class|enum)\\s+${escaped(outer)}\\b`",
        SOURCE,
    ),
    (
        "packages/testing/src/project/call-site.ts",
        r#"`import\\s+(?:type\\s+)?\\*\\s+as\\s+${name}\\s+from\\s*["']([^"']+)["']`"#,
        SOURCE,
    ),
    (
        "packages/testing/src/project/call-site.ts",
        r"`(?:^|,)\\s*(?:type\\s+)?(?:([\\w$]+)\\s+as\\s+)?${name}\\s*(?:,|$)`",
        SOURCE,
    ),
    (
        "packages/testing/src/project/call-site.ts",
        r#"import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*["']([^"']+)["']"#,
        SOURCE,
    ),
    ("packages/testing/src/values/pattern.ts", "pattern.source", TEST),
    ("packages/testing/src/values/pattern.ts", "`^(?:${raw})$`", TEST),
    (
        "packages/testing/src/values/texts.ts",
        "\"^[a-z][a-z0-9+.-]{0,5}:(?://(?:[a-z0-9]{1,4}@)?[a-z0-9]{1,8}(?:\\\\.[a-z]{2,4}){0,2}(?::[0-9]{1,4})?)?\" +\n    \"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}){1,6}){0,3}(?:\\\\?[a-z]{1,4}=[a-z0-9+/?]{0,4})?(?:#[a-z0-9?/]{0,5})?$\"",
        TEST,
    ),
];
