//! Blocks of code (`DO`) that create roles.
//!
//! A role belongs to all databases of a server, so a migration creates it in a block that does nothing if the role exists.

use kit_database::sql::identifier;

use crate::destructive::{Kind, Word, words_in, words_of};
use crate::script::Statement;

/// Work of a block of code with roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoleBlock {
    /// The block creates roles or changes their options and members, and does nothing else.
    Only,
    /// The block creates a role, and kit does not know what else it does.
    Mixed,
    /// The block creates no role.
    None,
}

/// Returns the name of the first role that a block of code creates, with quotes if SQL needs them.
pub(crate) fn created_role(statement: &Statement<'_>) -> Option<String> {
    let body = body(statement)?;
    let at = creations(&body).next()?;
    match &body.get(at + 2)?.kind {
        Kind::Plain(name) => Some(name.clone()),
        Kind::Quoted(name) => Some(identifier(name)),
        _ => None,
    }
}

/// Classifies a `DO` statement.
pub(crate) fn role_block(statement: &Statement<'_>) -> RoleBlock {
    let Some(body) = body(statement) else {
        return RoleBlock::None;
    };
    let in_text = |word: &Word| match &word.kind {
        Kind::Dollar(text)
        | Kind::Text {
            content: Some(text), ..
        } => creations(&words_in(text)).next().is_some(),
        _ => false,
    };
    let actions = actions(&body);
    // `EXECUTE` runs a text, also one that an earlier action put into a variable.
    let runs_text = body.iter().any(|word| word.is("execute"));
    let mut changes = actions
        .iter()
        .map(|action| action.own)
        .filter(|own| !begins_with(own, &WITHOUT_EFFECT))
        .peekable();
    if !runs_text && changes.peek().is_some() && changes.all(changes_roles) {
        return RoleBlock::Only;
    }
    // A message may speak of roles. In an expression with `CASE`, a text can be before the last `THEN` or `ELSE`.
    let has_text = actions
        .iter()
        .any(|action| !begins_with(action.own, &["raise"]) && action.all.iter().any(in_text));
    if creations(&body).next().is_some() || runs_text && has_text {
        RoleBlock::Mixed
    } else {
        RoleBlock::None
    }
}

/// Returns the words of the code of a `DO` statement.
fn body(statement: &Statement<'_>) -> Option<Vec<Word>> {
    if !statement.begins(&["do"]) {
        return None;
    }
    words_of(statement).iter().find_map(|word| match &word.kind {
        Kind::Dollar(text)
        | Kind::Text {
            content: Some(text), ..
        } => Some(words_in(text)),
        _ => None,
    })
}

/// Returns the positions of `CREATE ROLE`, `CREATE USER` and `CREATE GROUP`. A text that `EXECUTE` completes has no name.
fn creations(words: &[Word]) -> impl Iterator<Item = usize> {
    (0..words.len()).filter(|at| {
        let is = |next: usize, word: &str| words.get(at + next).is_some_and(|found| found.is(word));
        is(0, "create") && ["role", "user", "group"].iter().any(|kind| is(1, kind)) && !is(2, "mapping")
    })
}

/// Statement of a block.
struct Action<'a> {
    /// All words after the statement before.
    all: &'a [Word],
    /// Words of the statement itself, without those of PL/pgSQL around it, such as `IF … THEN` and `BEGIN`.
    own: &'a [Word],
}

/// Returns the statements of the code.
fn actions(body: &[Word]) -> Vec<Action<'_>> {
    let (mut found, mut begin, mut start, mut depth) = (Vec::new(), 0, 0, 0_usize);
    let action = |begin: usize, start: usize, end: usize| Action {
        all: &body[begin..end],
        own: &body[start..end],
    };
    for (at, word) in body.iter().enumerate() {
        if word.is_sign("(") {
            depth += 1;
        } else if word.is_sign(")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && (word.is("begin") || word.is("then") || word.is("else")) {
            start = at + 1;
        } else if depth == 0 && word.is_sign(";") {
            found.push(action(begin, start, at));
            (begin, start) = (at + 1, at + 1);
        }
    }
    found.push(action(begin, start, body.len()));
    found
}

/// First words of statements of PL/pgSQL that change nothing.
const WITHOUT_EFFECT: [&str; 4] = ["end", "null", "raise", "return"];

/// Returns true for a statement that begins with one of these words, or that is empty.
fn begins_with(own: &[Word], words: &[&str]) -> bool {
    own.first()
        .is_none_or(|first| words.iter().any(|word| first.is(word)))
}

/// Returns true for a statement that changes only roles.
fn changes_roles(action: &[Word]) -> bool {
    let is = |at: usize, words: &[&str]| {
        action
            .get(at)
            .is_some_and(|word| words.iter().any(|wanted| word.is(wanted)))
    };
    is(0, &["create", "alter"]) && is(1, &["role", "user", "group"]) && !is(2, &["mapping"])
        || is(0, &["comment"]) && is(1, &["on"]) && is(2, &["role"])
        // Privileges of objects have an `ON`.
        || is(0, &["grant", "revoke"]) && !action.iter().any(|word| word.is("on"))
}

#[cfg(test)]
mod tests {
    use super::{RoleBlock, created_role, role_block};
    use crate::script::Script;

    fn of(sql: &str) -> (RoleBlock, Option<String>) {
        let script = Script::parse(sql).expect("statements");
        let statement = &script.steps[0].statements[0];
        (role_block(statement), created_role(statement))
    }

    #[test]
    fn finds_blocks_that_only_create_roles() {
        for sql in [
            "DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
            "DO $$ BEGIN CREATE ROLE reader NOLOGIN; GRANT reader TO CURRENT_USER; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
            "DO LANGUAGE plpgsql 'BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ''reader'') THEN CREATE USER reader; \
             ELSE RAISE NOTICE ''it exists''; ALTER ROLE reader NOLOGIN; END IF; END'",
            "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN BEGIN CREATE ROLE reader; EXCEPTION WHEN \
             duplicate_object THEN NULL; END; END IF; IF NOT pg_has_role(current_user, 'reader', CASE WHEN true THEN 'SET' ELSE 'MEMBER' END) \
             THEN GRANT reader TO CURRENT_USER; END IF; END $$",
            "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN RETURN; END IF; CREATE ROLE reader; \
             COMMENT ON ROLE reader IS 'see create role writer'; END $$",
        ] {
            assert_eq!(of(sql), (RoleBlock::Only, Some("reader".to_owned())), "{sql}");
        }
        let members = "DO $$ BEGIN IF NOT pg_has_role('a', 'b', 'SET') THEN GRANT b TO a; END IF; END $$";
        assert_eq!(of(members), (RoleBlock::Only, None));
    }

    #[test]
    fn finds_blocks_that_create_roles_and_do_other_work() {
        for sql in [
            "DO $$ BEGIN CREATE ROLE reader; GRANT SELECT ON notes TO reader; END $$",
            "DO $$ BEGIN CREATE ROLE reader; PERFORM f(); END $$",
            "DO $$ DECLARE n int := 1; BEGIN CREATE GROUP reader; END $$",
            "DO $$ BEGIN EXECUTE format('create role %I', 'reader'); END $$",
            "DO $$ DECLARE name text; BEGIN FOR name IN SELECT 'reader' LOOP EXECUTE 'CREATE ROLE ' || name; END LOOP; END $$",
            "DO $$ DECLARE work text := 'create role reader'; BEGIN EXECUTE work; END $$",
            "DO $$ BEGIN CREATE ROLE reader; COMMENT ON TABLE notes IS 'x'; END $$",
            "DO $$ BEGIN EXECUTE 'CREATE ROLE reader' || CASE WHEN true THEN ' LOGIN' ELSE '' END; END $$",
            "DO $$ DECLARE work text; BEGIN work := CASE WHEN true THEN 'create role reader' ELSE NULL END; EXECUTE work; END $$",
            "DO $$ BEGIN CREATE ROLE reader; EXECUTE CASE WHEN true THEN 'DROP TABLE notes' ELSE NULL END; END $$",
        ] {
            assert_eq!(of(sql).0, RoleBlock::Mixed, "{sql}");
        }
    }

    #[test]
    fn other_blocks_create_no_role() {
        for sql in [
            "DO $$ BEGIN CREATE USER MAPPING FOR reader SERVER s; END $$",
            "DO $$ BEGIN /* create role a; */ END $$",
            "DO $$ BEGIN UPDATE notes SET a = 1; END $$",
            "DO $$ BEGIN IF to_regrole('admin') IS NULL THEN RAISE 'an admin must create role admin first'; END IF; \
             EXECUTE 'ANALYZE notes'; END $$",
            "DO $$ BEGIN INSERT INTO notes VALUES ('how to create role reader'); END $$",
            "CREATE ROLE reader",
        ] {
            assert_eq!(of(sql), (RoleBlock::None, None), "{sql}");
        }
    }
}
