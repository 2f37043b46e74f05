//! Resolves `@renamedFrom` tags: finds the former name of each table and column in the committed snapshot.
//!
//! The tag may stay in the source permanently. If the new name already exists in the snapshot, the rename was usually
//! done earlier. If a tag is ambiguous, because a rename could also drop another table or column, kit does not guess:
//! it reports the tag as a finding.

use std::fmt;

use crate::{Column, Table, names};

/// Name of a table or column in the types, and the former name in its tag `@renamedFrom`.
struct RenameClaim<'a> {
    name: &'a str,
    /// Former name as written in the tag.
    written: Option<&'a str>,
    /// The former name in the snapshot that the tag refers to; `None` if the snapshot does not have it.
    from: Option<&'a str>,
}

/// Result of resolving the tags `@renamedFrom` of all tables, or of the columns of one table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Renames {
    /// Old and new names, in an order in which each new name is free when the rename runs.
    pub(crate) renames: Vec<(String, String)>,
    /// Tags `@renamedFrom` that cannot be followed, each with the name of its table or column in the types.
    pub(crate) findings: Vec<(String, Finding)>,
}

/// Reason why a tag `@renamedFrom` cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// The types still contain a table or column with the former name, which has no tag `@renamedFrom` itself.
    Taken {
        /// The former name.
        from: String,
    },
    /// Two tags state the same former name.
    ClaimedTwice {
        /// The former name.
        from: String,
        /// Table or column that is declared first with this former name.
        other: String,
    },
    /// The snapshot has the former and the new name, but the types have only the new name, so the values
    /// under the former name would be lost.
    BothThere {
        /// The former name.
        from: String,
    },
    /// The renames form a circle: each table or column takes the former name of the next, and the last takes
    /// the former name of the first.
    Swapped {
        /// All names of the circle.
        names: Vec<String>,
    },
    /// The snapshot has neither the former name nor the new name.
    Unknown {
        /// Former name as written in the tag.
        written: String,
    },
}

impl Finding {
    /// Returns true if the finding prevents a plan. Other findings are warnings.
    pub(crate) fn is_refused(&self) -> bool {
        !matches!(self, Self::Unknown { .. })
    }
}

/// Kind of object that a tag renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Table,
    Column,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Column => "column",
        })
    }
}

/// Resolves the tags of tables. `before` are the tables of the snapshot, `after` the tables of the types.
pub(crate) fn tables(before: &[Table], after: &[Table]) -> Renames {
    let known: Vec<&str> = before.iter().map(|table| table.name.as_str()).collect();
    let claims: Vec<RenameClaim<'_>> = after
        .iter()
        .map(|table| {
            let written = table.renamed_from.as_deref();
            RenameClaim {
                name: &table.name,
                written,
                from: written.filter(|from| known.contains(from)),
            }
        })
        .collect();
    resolve(&known, &claims)
}

/// Resolves the tags of the columns of one table. `before` are its columns in the snapshot, `after` its columns in the
/// types.
pub(crate) fn columns(before: &[Column], after: &[Column]) -> Renames {
    let known: Vec<&str> = before.iter().map(|column| column.name.as_str()).collect();
    let claims: Vec<RenameClaim<'_>> = after
        .iter()
        .map(|column| {
            let written = column.source.renamed_from.as_deref();
            // The tag may state the name of a column or of a property.
            let from = written.and_then(|written| {
                let property = names::column(written);
                let of = |wanted: &str| known.iter().find(|name| **name == wanted).copied();
                of(written).or_else(|| of(&property))
            });
            RenameClaim {
                name: &column.name,
                written,
                from,
            }
        })
        .collect();
    resolve(&known, &claims)
}

impl Renames {
    /// Returns the name that a table or column of the types has in the snapshot. Returns `None` if the
    /// snapshot does not contain the table or column. `known` returns true for the names in the snapshot.
    pub(crate) fn name<'a>(&'a self, name: &'a str, known: impl Fn(&str) -> bool) -> Option<&'a str> {
        let renamed = self.renames.iter().find(|(_, to)| to == name);
        let left = self.renames.iter().any(|(from, _)| from == name);
        match renamed {
            Some((from, _)) => Some(from),
            None => Some(name).filter(|name| !left && known(name)),
        }
    }
}

fn resolve(known: &[&str], claims: &[RenameClaim<'_>]) -> Renames {
    let mut former = Renames::default();
    let of = |name: &str| claims.iter().find(|claim| claim.name == name);
    let mut find = |claim: &RenameClaim<'_>, finding| former.findings.push((claim.name.to_owned(), finding));
    // Start with the names that the snapshot does not have, because only these are free. Each rename frees its former
    // name, which may be the target of another rename.
    let mut active: Vec<(&str, &str)> = Vec::new();
    for fresh in claims.iter().filter(|claim| !known.contains(&claim.name)) {
        let mut next = Some(fresh);
        while let Some(claim) = next.take() {
            let Some(from) = claim.from else {
                continue;
            };
            if let Some((_, other)) = active.iter().find(|(taken, _)| *taken == from) {
                let (from, other) = (from.to_owned(), (*other).to_owned());
                find(claim, Finding::ClaimedTwice { from, other });
                continue;
            }
            active.push((from, claim.name));
            match of(from) {
                Some(successor) if successor.from.is_some_and(|of| of != from) => next = Some(successor),
                Some(_) => find(
                    claim,
                    Finding::Taken {
                        from: from.to_owned(),
                    },
                ),
                None => {}
            }
        }
    }
    let mut swapped: Vec<&str> = Vec::new();
    for claim in claims {
        let is_active = active.iter().any(|(_, to)| *to == claim.name);
        match (claim.written, claim.from) {
            (Some(written), None) if !known.contains(&claim.name) => {
                let written = written.to_owned();
                find(claim, Finding::Unknown { written });
            }
            (Some(_), Some(from)) if known.contains(&claim.name) && !is_active && from != claim.name => {
                let circle = circle(claim, of);
                if !circle.is_empty() {
                    if !swapped.contains(&claim.name) {
                        let names = circle.iter().map(|name| (*name).to_owned()).collect();
                        find(claim, Finding::Swapped { names });
                        swapped.extend(circle);
                    }
                } else if of(from).is_none() && !active.iter().any(|(taken, _)| *taken == from) {
                    find(
                        claim,
                        Finding::BothThere {
                            from: from.to_owned(),
                        },
                    );
                }
            }
            _ => {}
        }
    }
    former.renames = active
        .into_iter()
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect();
    former
}

/// Returns the names of the circle of renames to which a claim belongs. Returns an empty list if the claim
/// belongs to no circle.
fn circle<'a>(claim: &RenameClaim<'a>, of: impl Fn(&str) -> Option<&'a RenameClaim<'a>>) -> Vec<&'a str> {
    let mut names = vec![claim.name];
    let mut from = claim.from;
    while let Some(name) = from {
        if name == claim.name {
            return names;
        }
        if names.contains(&name) {
            break;
        }
        names.push(name);
        from = of(name).and_then(|next| next.from);
    }
    Vec::new()
}

/// Returns the message and the advice for a tag that cannot be followed.
pub(crate) fn message_and_help(kind: Kind, name: &str, finding: &Finding) -> (String, String) {
    match finding {
        Finding::Taken { from } => (
            format!(
                "`@renamedFrom` names `{from}` as the former name, but the types still contain a {kind} `{from}`"
            ),
            match kind {
                Kind::Table => {
                    format!(
                        "remove the new entity of the table `{from}` from the types, generate a migration that renames `{from}` to `{name}`, and then add the entity again"
                    )
                }
                Kind::Column => {
                    format!(
                        "remove the new property of the column `{from}` from the types, generate a migration that renames `{from}` to `{name}`, and then add the property again"
                    )
                }
            },
        ),
        Finding::ClaimedTwice { from, other } => (
            format!(
                "`@renamedFrom` names `{from}` as the former name, but `{other}` has the same former name"
            ),
            format!(
                "keep the tag only at the {kind} that gets the data of `{from}`, and remove the tag from the {kind} that is new"
            ),
        ),
        Finding::BothThere { from } => {
            let place = match kind {
                Kind::Table => "there are",
                Kind::Column => "the table has",
            };
            (
                format!(
                    "`@renamedFrom` names `{from}` as the former name, but {place} both `{name}` and `{from}`: one of them must be \
                     dropped, and kit does not guess which"
                ),
                format!(
                    "to keep the data of `{from}`, remove `{name}` from the types, generate a migration that drops `{name}`, and \
                     rename `{from}` in the next migration; to keep the data of `{name}`, remove `@renamedFrom`: then `{from}` is dropped"
                ),
            )
        }
        Finding::Swapped { names } => {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            (
                format!("`@renamedFrom` swaps the names {}", quoted.join(" and ")),
                format!(
                    "kit cannot know if the names are swapped already: rename `{name}` to a third name in one migration, and rename both \
                     in the next migration; if nothing must be renamed, remove the tags"
                ),
            )
        }
        Finding::Unknown { written } => (
            format!(
                "`@renamedFrom` names `{written}` as the former name, but the migrations contain neither `{written}` nor `{name}`: \
                 a new {kind} will be created"
            ),
            format!("correct the former name, or remove the tag if the {kind} is new"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, RenameClaim, resolve};

    /// Resolves tags, written as `new<-old`, against a snapshot with the names `known`. Returns the renames in the same
    /// notation, and the findings.
    fn resolved(known: &[&str], types: &[&str]) -> (Vec<String>, Vec<(String, Finding)>) {
        let claims: Vec<RenameClaim<'_>> = types
            .iter()
            .map(|text| {
                let (name, written) = match text.split_once("<-") {
                    Some((name, written)) => (name, Some(written)),
                    None => (*text, None),
                };
                RenameClaim {
                    name,
                    written,
                    from: written.filter(|written| known.contains(written)),
                }
            })
            .collect();
        let former = resolve(known, &claims);
        let renames = former.renames.iter().map(|(from, to)| format!("{to}<-{from}"));
        (renames.collect(), former.findings)
    }

    #[test]
    fn ignores_a_tag_whose_rename_is_already_done() {
        for (known, types) in [
            (&["b"][..], &["b<-a"][..]),
            (&["a", "b"], &["b<-a", "a"]),
            (&["b", "c"], &["c<-b", "b<-a"]),
            (&["a"], &["a<-a"]),
        ] {
            assert_eq!(resolved(known, types), (vec![], vec![]), "{types:?}");
        }
    }

    #[test]
    fn orders_a_chain_of_renames_so_that_each_new_name_is_free() {
        let (renames, findings) = resolved(&["b", "c", "d"], &["c<-d", "b<-c", "a<-b"]);
        assert_eq!(
            (renames, findings),
            (vec!["a<-b".into(), "b<-c".into(), "c<-d".into()], vec![])
        );
        // The rename that the tag of `x` states was done earlier: the present column `b` is now renamed to `y`.
        let (renames, findings) = resolved(&["b", "x"], &["y<-b", "x<-b"]);
        assert_eq!((renames, findings), (vec!["y<-b".into()], vec![]));
    }

    #[test]
    fn reports_each_kind_of_rename_tag_that_is_invalid() {
        let finding = |known: &[&str], types: &[&str]| {
            let (_, findings) = resolved(known, types);
            assert_eq!(findings.len(), 1, "{types:?}: {findings:?}");
            findings.into_iter().next().unwrap()
        };
        let (from, other) = (|| "a".to_owned(), || "b".to_owned());
        for (known, types, place, expected) in [
            (
                &["a"][..],
                &["b<-a", "a"][..],
                "b",
                Finding::Taken { from: from() },
            ),
            (
                &["a"],
                &["b<-a", "c<-a"],
                "c",
                Finding::ClaimedTwice {
                    from: from(),
                    other: other(),
                },
            ),
            (&["a", "b"], &["b<-a"], "b", Finding::BothThere { from: from() }),
            (
                &["a", "b"],
                &["a<-b", "b<-a"],
                "a",
                Finding::Swapped {
                    names: vec![from(), other()],
                },
            ),
            (&["c"], &["b<-a"], "b", Finding::Unknown { written: from() }),
        ] {
            assert_eq!(finding(known, types), (place.to_owned(), expected), "{types:?}");
        }
        let (_, findings) = resolved(&["a", "b", "c"], &["a<-b", "b<-c", "c<-a"]);
        assert!(
            matches!(&findings[..], [(_, Finding::Swapped { names })] if names.len() == 3),
            "{findings:?}"
        );
    }
}
