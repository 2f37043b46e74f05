//! Objects of a database as PostgreSQL itself describes them.
//!
//! All definitions come from PostgreSQL's own functions (`format_type`, `pg_get_expr`, `pg_get_constraintdef`,
//! `pg_get_indexdef`), so two equal objects are equal here even if different statements created them. Privileges,
//! owners and tablespaces are not part of the description.

use std::collections::{BTreeMap, BTreeSet};

use kit_database::sql::string_literal;
use kit_database::{ForeignObject, HISTORY_TABLES, ObjectKind};
use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

use crate::MigrateError;
use crate::printed::stable;

/// Objects of one or several schemas of a database, without those of kit's own history and of extensions. Objects of a table follow
/// the table: comment, columns in their order, constraints, indexes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The objects.
    pub objects: Vec<CatalogObject>,
}

/// An object of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogObject {
    /// Kind, table, name and definition of the object, and the objects on which it depends.
    pub described: ForeignObject,
    /// True if the object comes from a parent table, or belongs to a partition as part of its parent.
    pub inherited: bool,
}

/// Schemas of the database to describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// The first existing schema of the `search_path`, and these other schemas. Names of objects in the latter have the
    /// schema in front.
    Current(&'a [String]),
    /// The session's own schema for temporary tables.
    Temporary,
}

impl Catalog {
    /// Describes the objects of the selected schemas.
    pub(crate) async fn read(client: &Client, scope: Scope<'_>) -> Result<Self, MigrateError> {
        let mut found: Vec<(String, CatalogObject)> = Vec::new();
        for row in rows(client, &objects_query(scope)).await? {
            let Some(kind) = kind(&text(&row, 1)) else {
                continue;
            };
            let described = ForeignObject {
                kind,
                table: row.get(2).map(str::to_owned),
                name: text(&row, 3),
                definition: row.get(4).map(|text| stable(kind, text)),
                uses: Vec::new(),
            };
            let inherited = row.get(5) == Some("t");
            found.push((text(&row, 0), CatalogObject { described, inherited }));
        }
        let titles: BTreeMap<&str, String> = found
            .iter()
            .map(|(key, object)| (key.as_str(), object.described.title()))
            .collect();
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        if scope != Scope::Temporary {
            for row in rows(client, DEPENDENCIES).await? {
                let (user, used) = (text(&row, 0), text(&row, 1));
                if let (Some(own), Some(title)) = (titles.get(user.as_str()), titles.get(used.as_str()))
                    && own != title
                {
                    uses.entry(user).or_default().insert(title.clone());
                }
            }
        }
        drop(titles);
        let objects = found
            .into_iter()
            .map(|(key, mut object)| {
                object.described.uses = uses.remove(&key).unwrap_or_default().into_iter().collect();
                object
            })
            .collect();
        Ok(Self { objects })
    }

    /// Returns the descriptions of the objects.
    pub fn described(&self) -> impl Iterator<Item = &ForeignObject> {
        self.objects.iter().map(|object| &object.described)
    }

    /// Returns the object with the kind, table and name of the given object.
    pub fn find(&self, wanted: &ForeignObject) -> Option<&ForeignObject> {
        self.described().find(|object| object.is_same_object(wanted))
    }

    /// Returns the table with the given name.
    pub fn table(&self, name: &str) -> Option<&ForeignObject> {
        self.described()
            .find(|object| object.kind == ObjectKind::Table && object.name == name)
    }
}

fn kind(text: &str) -> Option<ObjectKind> {
    Some(match text {
        "extension" => ObjectKind::Extension,
        "type" => ObjectKind::Type,
        "sequence" => ObjectKind::Sequence,
        "function" => ObjectKind::Function,
        "table" => ObjectKind::Table,
        "comment" => ObjectKind::Comment,
        "column" => ObjectKind::Column,
        "constraint" => ObjectKind::Constraint,
        "index" => ObjectKind::Index,
        "view" => ObjectKind::View,
        "rule" => ObjectKind::Rule,
        "trigger" => ObjectKind::Trigger,
        "policy" => ObjectKind::Policy,
        "statistics" => ObjectKind::Statistics,
        "other" => ObjectKind::Other,
        _ => return None,
    })
}

/// Returns the query for all objects: key, kind, table, name, definition, and if the object is inherited.
fn objects_query(scope: Scope<'_>) -> String {
    let (schema, others) = match scope {
        Scope::Current(others) => (
            "(SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())",
            others,
        ),
        Scope::Temporary => ("pg_my_temp_schema()", &[][..]),
    };
    let ours = HISTORY_TABLES.map(|name| format!("'{name}'")).join(", ");
    OBJECTS
        .replace("{schema}", schema)
        .replace("{others}", &literals(others))
        .replace("{ours}", &ours)
        .replace(
            "{everywhere}",
            if scope == Scope::Temporary {
                "false"
            } else {
                "true"
            },
        )
}

/// Returns names as a list of SQL literals that is never empty.
pub(crate) fn literals(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| string_literal(name)).collect();
    if names.is_empty() {
        "NULL".to_owned()
    } else {
        names.join(", ")
    }
}

/// Returns the SQL expression of the session's `search_path` without some schemas. PostgreSQL then prints the names of their
/// objects with the schema.
pub(crate) fn path_without(schemas: &[String]) -> String {
    if schemas.is_empty() {
        return "current_setting('search_path')".to_owned();
    }
    format!(
        "(SELECT coalesce(string_agg(quote_ident(kit_schema), ', ' ORDER BY kit_at), '') \
         FROM unnest(current_schemas(false)) WITH ORDINALITY AS kit_path (kit_schema, kit_at) WHERE kit_schema NOT IN ({}))",
        literals(schemas)
    )
}

/// Query for the objects. `{schema}` is the first schema, `{others}` has the names of the others, and `{ours}` those of
/// kit's own tables, which are in the first schema. Functions with one more argument (`true`) print names without their schema if the `search_path` finds
/// them. `shown` is the prefix of names in SQL, and `called` the name as kit has it.
const OBJECTS: &str = r#"
WITH ns AS MATERIALIZED (SELECT oid, quote_ident(nspname) || '.' AS prefix, oid = {schema} AS main,
    CASE WHEN oid = {schema} THEN '' ELSE quote_ident(nspname) || '.' END AS shown,
    CASE WHEN oid = {schema} THEN '' WHEN strpos(nspname, '.') = 0 THEN nspname || '.' ELSE '"' || replace(nspname, '"', '""') || '".' END AS called
  FROM pg_catalog.pg_namespace WHERE oid = {schema} OR nspname IN ({others})),
members AS MATERIALIZED (SELECT classid, objid FROM pg_catalog.pg_depend WHERE deptype = 'e'),
relations AS MATERIALIZED (SELECT c.*, ns.prefix, ns.shown,
    ns.called || CASE WHEN strpos(relname, '.') = 0 THEN relname::text ELSE '"' || replace(relname, '"', '""') || '"' END AS called
  FROM pg_catalog.pg_class c, ns WHERE relnamespace = ns.oid
  AND NOT (ns.main AND relname IN ({ours})) AND NOT EXISTS (SELECT FROM members WHERE classid = 'pg_class'::regclass AND objid = c.oid)),
tables AS MATERIALIZED (SELECT * FROM relations WHERE relkind IN ('r', 'p')),
procedures AS MATERIALIZED (SELECT p.*, ns.prefix, ns.shown, ns.called || p.proname::text || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS signature
  FROM pg_catalog.pg_proc p, ns WHERE pronamespace = ns.oid
  AND NOT EXISTS (SELECT FROM members WHERE classid = 'pg_proc'::regclass AND objid = p.oid)),
types AS MATERIALIZED (SELECT t.*, ns.shown, ns.called || typname::text AS called FROM pg_catalog.pg_type t, ns WHERE typnamespace = ns.oid
  AND (typtype IN ('e', 'd', 'r') OR typtype = 'c' AND EXISTS (SELECT FROM pg_class WHERE oid = typrelid AND relkind = 'c'))
  AND NOT EXISTS (SELECT FROM members WHERE classid = 'pg_type'::regclass AND objid = t.oid)),
found (key, kind, rank, owner, name, definition, inherited, position, comment, parent) AS (
  SELECT 'pg_extension/' || e.oid || '/0', 'extension', 1, NULL, extname::text,
    'CREATE EXTENSION IF NOT EXISTS ' || quote_ident(extname) || CASE WHEN extrelocatable AND nspname <> 'public' AND extnamespace <> ns.oid
      THEN ' WITH SCHEMA ' || quote_ident(nspname) ELSE '' END, false, 0, NULL, ''
    FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = extnamespace, ns WHERE extname <> 'plpgsql' AND ns.main AND {everywhere}
  UNION ALL
  SELECT 'pg_type/' || oid || '/0', 'type', 2, NULL, called, CASE typtype
    WHEN 'e' THEN 'CREATE TYPE ' || shown || quote_ident(typname) || ' AS ENUM (' || coalesce((SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder)
      FROM pg_catalog.pg_enum WHERE enumtypid = types.oid), '') || ')'
    WHEN 'd' THEN 'CREATE DOMAIN ' || shown || quote_ident(typname) || ' AS ' || format_type(typbasetype, typtypmod)
      || CASE WHEN typcollation <> (SELECT b.typcollation FROM pg_catalog.pg_type b WHERE b.oid = types.typbasetype) THEN ' COLLATE ' || typcollation::regcollation ELSE '' END
      || coalesce(' DEFAULT ' || typdefault, '') || CASE WHEN typnotnull THEN ' NOT NULL' ELSE '' END
      || coalesce((SELECT string_agg(' CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(c.oid, true), '' ORDER BY conname)
        FROM pg_catalog.pg_constraint c WHERE contypid = types.oid AND contype = 'c'), '')
    WHEN 'r' THEN (SELECT 'CREATE TYPE ' || shown || quote_ident(typname) || ' AS RANGE (subtype = ' || format_type(rngsubtype, NULL)
      || CASE WHEN rngsubdiff <> 0 THEN ', subtype_diff = ' || rngsubdiff::regproc ELSE '' END || ')' FROM pg_catalog.pg_range WHERE rngtypid = types.oid)
    ELSE 'CREATE TYPE ' || shown || quote_ident(typname) || ' AS (' || coalesce((SELECT string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
      FROM pg_catalog.pg_attribute WHERE attrelid = typrelid AND attnum > 0 AND NOT attisdropped), '') || ')' END,
    false, 0, obj_description(oid, 'pg_type'), '' FROM types
  UNION ALL
  SELECT 'pg_class/' || r.oid || '/0', 'sequence', 3, NULL, called, 'CREATE SEQUENCE ' || shown || quote_ident(relname) || ' AS ' || format_type(seqtypid, NULL)
    || ' START WITH ' || seqstart || ' INCREMENT BY ' || seqincrement || ' MINVALUE ' || seqmin || ' MAXVALUE ' || seqmax || ' CACHE ' || seqcache
    || CASE WHEN seqcycle THEN ' CYCLE' ELSE '' END
    || coalesce((SELECT ' OWNED BY ' || refobjid::regclass || '.' || quote_ident(attname) FROM pg_catalog.pg_depend JOIN pg_catalog.pg_attribute ON attrelid = refobjid
      AND attnum = refobjsubid WHERE classid = 'pg_class'::regclass AND objid = r.oid AND refclassid = 'pg_class'::regclass AND deptype = 'a'), ''),
    false, 0, obj_description(r.oid, 'pg_class'), ''
    FROM relations r JOIN pg_catalog.pg_sequence ON seqrelid = r.oid
    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend WHERE classid = 'pg_class'::regclass AND objid = r.oid AND deptype = 'i')
  UNION ALL
  SELECT 'pg_proc/' || oid || '/0', 'function', 4, NULL, signature,
    CASE WHEN prokind = 'a' THEN (SELECT 'CREATE AGGREGATE ' || shown || quote_ident(proname) || '(' || pg_get_function_arguments(p.oid) || ') (SFUNC = ' || aggtransfn::regproc
        || ', STYPE = ' || format_type(aggtranstype, NULL) || CASE WHEN aggfinalfn <> 0 THEN ', FINALFUNC = ' || aggfinalfn::regproc ELSE '' END
        || CASE WHEN aggcombinefn <> 0 THEN ', COMBINEFUNC = ' || aggcombinefn::regproc ELSE '' END
        || coalesce(', INITCOND = ' || quote_literal(agginitval), '') || ')' FROM pg_catalog.pg_aggregate WHERE aggfnoid = p.oid)
      ELSE replace(rtrim(pg_get_functiondef(p.oid), E'\n'), (CASE prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END) || prefix,
        (CASE prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END) || shown) END, false, 0, obj_description(oid, 'pg_proc'), '' FROM procedures p
  UNION ALL
  SELECT 'pg_class/' || t.oid || '/0', 'table', 5, NULL, called,
    CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE'
    || CASE WHEN relispartition THEN ' PARTITION OF ' || (SELECT inhparent::regclass FROM pg_catalog.pg_inherits WHERE inhrelid = t.oid LIMIT 1) || ' ' || pg_get_expr(relpartbound, t.oid)
      ELSE coalesce((SELECT ' INHERITS (' || string_agg(inhparent::regclass::text, ', ' ORDER BY inhseqno) || ')' FROM pg_catalog.pg_inherits WHERE inhrelid = t.oid HAVING count(*) > 0), '') END
    || CASE WHEN relkind = 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(t.oid) ELSE '' END
    || coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '')
    || CASE WHEN reloftype <> 0 THEN ' OF ' || reloftype::regtype ELSE '' END
    || CASE relreplident WHEN 'f' THEN ' REPLICA IDENTITY FULL' WHEN 'n' THEN ' REPLICA IDENTITY NOTHING' ELSE '' END
    || CASE WHEN relrowsecurity THEN ' ROW LEVEL SECURITY' ELSE '' END || CASE WHEN relforcerowsecurity THEN ' FORCE ROW LEVEL SECURITY' ELSE '' END
    || CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = t.oid AND tgisinternal AND tgenabled = 'D') THEN ' FOREIGN KEYS NOT ENFORCED (DISABLE TRIGGER ALL)' ELSE '' END,
    relispartition, 0, obj_description(t.oid, 'pg_class'), '' FROM tables t
  UNION ALL
  SELECT 'pg_class/' || attrelid || '/' || attnum, 'column', 7, called, attname::text, format_type(atttypid, atttypmod)
    || CASE WHEN attcollation <> typcollation THEN ' COLLATE ' || attcollation::regcollation ELSE '' END
    || CASE WHEN attidentity = '' THEN '' ELSE CASE attidentity WHEN 'a' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE ' GENERATED BY DEFAULT AS IDENTITY' END
      || coalesce((SELECT CASE WHEN seqstart <> 1 OR seqincrement <> 1 OR seqmin <> 1 OR seqcycle OR seqcache <> 1 THEN ' (START WITH ' || seqstart || ' INCREMENT BY ' || seqincrement
        || ' MINVALUE ' || seqmin || ' CACHE ' || seqcache || CASE WHEN seqcycle THEN ' CYCLE' ELSE '' END || ')' END FROM pg_catalog.pg_depend JOIN pg_catalog.pg_sequence ON seqrelid = objid
        WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = attrelid AND refobjsubid = attnum AND deptype = 'i' LIMIT 1), '') END
    || CASE attgenerated WHEN 's' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(adbin, adrelid, true) || ') STORED'
      WHEN 'v' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(adbin, adrelid, true) || ') VIRTUAL'
      ELSE coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid, true), '') END
    || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END, NOT attislocal, attnum, col_description(t.oid, attnum), 'column ' || called || '.' || attname
    FROM tables t JOIN pg_catalog.pg_attribute ON attrelid = t.oid AND attnum > 0 AND NOT attisdropped
    JOIN pg_catalog.pg_type ON pg_type.oid = atttypid
    LEFT JOIN pg_catalog.pg_attrdef ON adrelid = attrelid AND adnum = attnum
  UNION ALL
  -- `NOT NULL` constraints exist since PostgreSQL 18; older versions store `NOT NULL` only in the column.
  SELECT 'pg_constraint/' || c.oid || '/0', 'constraint', 8, called, conname::text, pg_get_constraintdef(c.oid, true),
    NOT conislocal OR conparentid <> 0, 0, obj_description(c.oid, 'pg_constraint'), ''
    FROM tables t JOIN pg_catalog.pg_constraint c ON conrelid = t.oid WHERE contype NOT IN ('n', 't')
  UNION ALL
  SELECT 'pg_class/' || i.oid || '/0', 'index', 9, t.called, i.relname::text,
    replace(pg_get_indexdef(indexrelid, 0, true), ' ' || quote_ident(i.relname) || ' ON ', ' ON ')
    || CASE WHEN indisvalid AND indisready THEN '' ELSE ' (invalid: its creation was interrupted)' END,
    i.relispartition, 0, obj_description(i.oid, 'pg_class'), ''
    FROM relations t JOIN pg_catalog.pg_index ON indrelid = t.oid JOIN pg_catalog.pg_class i ON i.oid = indexrelid
    WHERE t.relkind IN ('r', 'p', 'm') AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid AND contype IN ('p', 'u', 'x'))
  UNION ALL
  SELECT 'pg_class/' || oid || '/0', 'view', 10, NULL, called, CASE relkind WHEN 'm' THEN 'CREATE MATERIALIZED VIEW ' ELSE 'CREATE VIEW ' END || shown || quote_ident(relname)
    || coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '') || ' AS' || E'\n' || rtrim(pg_get_viewdef(oid, true), ';'),
    false, 0, obj_description(oid, 'pg_class'), '' FROM relations WHERE relkind IN ('v', 'm')
  UNION ALL
  SELECT 'pg_rewrite/' || w.oid || '/0', 'rule', 11, called, rulename::text, pg_get_ruledef(w.oid, true), false, 0, obj_description(w.oid, 'pg_rewrite'), ''
    FROM relations r JOIN pg_catalog.pg_rewrite w ON ev_class = r.oid WHERE rulename <> '_RETURN'
  UNION ALL
  SELECT 'pg_trigger/' || g.oid || '/0', 'trigger', 12, called, tgname::text, pg_get_triggerdef(g.oid, true)
    || CASE tgenabled WHEN 'D' THEN ' (DISABLED)' WHEN 'R' THEN ' (ENABLE REPLICA)' WHEN 'A' THEN ' (ENABLE ALWAYS)' ELSE '' END,
    tgparentid <> 0, 0, obj_description(g.oid, 'pg_trigger'), ''
    FROM relations r JOIN pg_catalog.pg_trigger g ON tgrelid = r.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'pg_policy/' || p.oid || '/0', 'policy', 13, called, polname::text, 'CREATE POLICY ' || quote_ident(polname) || ' ON ' || shown || quote_ident(relname)
    || CASE WHEN polpermissive THEN '' ELSE ' AS RESTRICTIVE' END
    || CASE polcmd WHEN 'r' THEN ' FOR SELECT' WHEN 'a' THEN ' FOR INSERT' WHEN 'w' THEN ' FOR UPDATE' WHEN 'd' THEN ' FOR DELETE' ELSE '' END
    || CASE WHEN polroles = '{0}' THEN '' ELSE ' TO ' || (SELECT string_agg(CASE WHEN role = 0 THEN 'PUBLIC' ELSE role::regrole::text END, ', ' ORDER BY role) FROM unnest(polroles) role) END
    || coalesce(' USING (' || pg_get_expr(polqual, polrelid, true) || ')', '') || coalesce(' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid, true) || ')', ''),
    false, 0, obj_description(p.oid, 'pg_policy'), ''
    FROM tables t JOIN pg_catalog.pg_policy p ON polrelid = t.oid
  UNION ALL
  SELECT 'pg_statistic_ext/' || s.oid || '/0', 'statistics', 14, called, stxname::text, replace(pg_get_statisticsobjdef(s.oid), 'STATISTICS ' || prefix, 'STATISTICS ' || shown),
    false, 0, obj_description(s.oid, 'pg_statistic_ext'), ''
    FROM relations r JOIN pg_catalog.pg_statistic_ext s ON stxrelid = r.oid
  UNION ALL
  SELECT class || '/' || o.oid || '/0', 'other', 15, NULL, pg_describe_object(class::regclass, o.oid, 0), coalesce(o.definition, 'exists'), false, 0, NULL, '' FROM ns,
    LATERAL (SELECT 'pg_ts_config' AS class, c.oid, 'CREATE TEXT SEARCH CONFIGURATION ' || shown || quote_ident(cfgname) || ' (PARSER = ' || quote_ident(n.nspname) || '.' || quote_ident(prsname) || ')'
        || coalesce((SELECT string_agg(E';\nALTER TEXT SEARCH CONFIGURATION ' || shown || quote_ident(cfgname) || ' ADD MAPPING FOR ' || alias || ' WITH ' || list, '' ORDER BY alias)
          FROM (SELECT alias, string_agg(mapdict::regdictionary::text, ', ' ORDER BY mapseqno) AS list FROM pg_catalog.pg_ts_config_map
            JOIN LATERAL ts_token_type(cfgparser) ON tokid = maptokentype WHERE mapcfg = c.oid GROUP BY alias) mapped), '') AS definition
        FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_ts_parser p ON p.oid = cfgparser JOIN pg_catalog.pg_namespace n ON n.oid = prsnamespace WHERE cfgnamespace = ns.oid
      UNION ALL SELECT 'pg_ts_dict', d.oid, 'CREATE TEXT SEARCH DICTIONARY ' || shown || quote_ident(dictname) || ' (TEMPLATE = ' || quote_ident(n.nspname) || '.' || quote_ident(tmplname)
        || coalesce(', ' || dictinitoption, '') || ')' FROM pg_catalog.pg_ts_dict d JOIN pg_catalog.pg_ts_template t ON t.oid = dicttemplate
        JOIN pg_catalog.pg_namespace n ON n.oid = tmplnamespace WHERE dictnamespace = ns.oid
      UNION ALL SELECT 'pg_collation', c.oid, CASE WHEN collprovider = 'i' THEN 'CREATE COLLATION ' || shown || quote_ident(collname) || ' (PROVIDER = icu, LOCALE = '
        || quote_literal(coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale')) || CASE WHEN collisdeterministic THEN '' ELSE ', DETERMINISTIC = false' END || ')'
        WHEN collprovider = 'c' THEN 'CREATE COLLATION ' || shown || quote_ident(collname) || ' (PROVIDER = libc, LC_COLLATE = ' || quote_literal(collcollate) || ', LC_CTYPE = ' || quote_literal(collctype) || ')' END
        FROM pg_catalog.pg_collation c WHERE collnamespace = ns.oid
      UNION ALL SELECT 'pg_operator', o.oid, CASE WHEN oprkind = 'b' AND oprcode <> 0 THEN 'CREATE OPERATOR ' || shown || oprname || ' (FUNCTION = ' || oprcode::regproc || ', LEFTARG = ' || format_type(oprleft, NULL)
        || ', RIGHTARG = ' || format_type(oprright, NULL) || CASE WHEN oprrest <> 0 THEN ', RESTRICT = ' || oprrest::regproc ELSE '' END
        || CASE WHEN oprjoin <> 0 THEN ', JOIN = ' || oprjoin::regproc ELSE '' END || CASE WHEN oprcanhash THEN ', HASHES' ELSE '' END || CASE WHEN oprcanmerge THEN ', MERGES' ELSE '' END
        || CASE WHEN oprcom <> 0 THEN ', COMMUTATOR = OPERATOR(' || (SELECT quote_ident(nspname) || '.' || c.oprname FROM pg_catalog.pg_operator c JOIN pg_catalog.pg_namespace n ON n.oid = c.oprnamespace WHERE c.oid = o.oprcom) || ')' ELSE '' END || ')' END
        FROM pg_catalog.pg_operator o WHERE oprnamespace = ns.oid
      UNION ALL SELECT 'pg_opclass', oid, NULL FROM pg_catalog.pg_opclass WHERE opcnamespace = ns.oid
      UNION ALL SELECT 'pg_type', oid, NULL FROM pg_catalog.pg_type WHERE typnamespace = ns.oid AND typtype = 'b' AND typelem = 0
      UNION ALL SELECT 'pg_class', oid, NULL FROM pg_catalog.pg_class WHERE relnamespace = ns.oid AND relkind = 'f'
      UNION ALL SELECT 'pg_event_trigger', oid, NULL FROM pg_catalog.pg_event_trigger WHERE ns.main AND {everywhere}) o
    WHERE NOT EXISTS (SELECT FROM members WHERE classid = class::regclass AND objid = o.oid)
)
SELECT key, kind, owner, name, definition, inherited, coalesce(owner, CASE WHEN kind = 'table' THEN name END) AS group_name, rank, position FROM found
UNION ALL
SELECT '', 'comment', CASE WHEN kind = 'table' THEN name ELSE owner END, CASE WHEN parent <> '' THEN parent WHEN owner IS NULL THEN kind || ' ' || name
  ELSE kind || ' ' || name || ' of ' || owner END, comment, false, coalesce(owner, CASE WHEN kind = 'table' THEN name END), CASE WHEN kind = 'table' THEN 6 ELSE rank END, position
  FROM found WHERE comment IS NOT NULL
ORDER BY 7 NULLS FIRST, 8, 9, 2, 4
"#;

/// Query for the pairs of keys of which the first depends on the second. A view depends on an object through its rewrite
/// rule, and a column through its default.
const DEPENDENCIES: &str = r"
SELECT DISTINCT
  CASE d.classid
    WHEN 'pg_rewrite'::regclass THEN (SELECT CASE WHEN rulename = '_RETURN' THEN 'pg_class/' || ev_class || '/0' ELSE 'pg_rewrite/' || oid || '/0' END
      FROM pg_catalog.pg_rewrite WHERE oid = d.objid)
    WHEN 'pg_attrdef'::regclass THEN (SELECT 'pg_class/' || adrelid || '/' || adnum FROM pg_catalog.pg_attrdef WHERE oid = d.objid)
    WHEN 'pg_class'::regclass THEN 'pg_class/' || d.objid || '/' || d.objsubid
    WHEN 'pg_constraint'::regclass THEN (SELECT CASE WHEN contypid <> 0 THEN 'pg_type/' || contypid || '/0' ELSE 'pg_constraint/' || oid || '/0' END
      FROM pg_catalog.pg_constraint WHERE oid = d.objid)
    ELSE (SELECT relname FROM pg_catalog.pg_class WHERE oid = d.classid) || '/' || d.objid || '/' || d.objsubid END,
  CASE d.refclassid
    WHEN 'pg_type'::regclass THEN (SELECT CASE WHEN t.typtype = 'c' AND NOT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = t.typrelid AND relkind = 'c')
        THEN 'pg_class/' || t.typrelid || '/0' WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN 'pg_type/' || t.typelem || '/0' ELSE 'pg_type/' || t.oid || '/0' END
      FROM pg_catalog.pg_type t WHERE t.oid = d.refobjid)
    -- A foreign key depends on the index of the key to which it refers.
    WHEN 'pg_class'::regclass THEN coalesce((SELECT 'pg_constraint/' || c.oid || '/0' FROM pg_catalog.pg_constraint c
        WHERE c.conindid = d.refobjid AND c.contype IN ('p', 'u', 'x') LIMIT 1), 'pg_class/' || d.refobjid || '/' || d.refobjsubid)
    WHEN 'pg_attrdef'::regclass THEN (SELECT 'pg_class/' || adrelid || '/' || adnum FROM pg_catalog.pg_attrdef WHERE oid = d.refobjid)
    ELSE (SELECT relname FROM pg_catalog.pg_class WHERE oid = d.refclassid) || '/' || d.refobjid || '/' || d.refobjsubid END
FROM pg_catalog.pg_depend d WHERE d.deptype IN ('n', 'a', 'i', 'P', 'S') AND d.refobjid >= 16384
UNION
SELECT 'pg_class/' || inhrelid || '/0', 'pg_class/' || inhparent || '/0' FROM pg_catalog.pg_inherits
";

fn text(row: &SimpleQueryRow, at: usize) -> String {
    row.get(at).unwrap_or_default().to_owned()
}

/// Runs a query with the simple protocol, which returns all values as text.
async fn rows(client: &Client, sql: &str) -> Result<Vec<SimpleQueryRow>, MigrateError> {
    let messages = client
        .simple_query(sql)
        .await
        .map_err(MigrateError::database("cannot read the tables of the database"))?;
    Ok(messages
        .into_iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        })
        .collect())
}
