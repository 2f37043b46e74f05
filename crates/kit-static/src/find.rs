//! Finds the file for a request.

use std::borrow::Cow;
use std::io;

use crate::accept::{Coding, Weights, accepts_html};
use crate::media_types::content_type_of;
use crate::open::{OpenFile, Opened, open};
use crate::path::path_in_site;
use crate::request::FileRequest;
use crate::site::Site;

const INDEX: &str = "index.html";

/// Result of [`find`].
pub(crate) enum Found<'s> {
    File(FoundFile<'s>),
    /// The path names a directory and has no slash at its end. The client must use another path, so that relative
    /// links work.
    Redirect {
        site: &'s Site,
        /// Value of the header `location`, without the query.
        location: String,
    },
}

/// File for a request.
pub(crate) struct FoundFile<'s> {
    pub(crate) site: &'s Site,
    pub(crate) opened: OpenFile,
    pub(crate) content_type: String,
    /// Coding of the file. `None` if the file is not compressed.
    pub(crate) coding: Option<Coding>,
    /// Value of the header `vary`. Empty if the choice of the file does not depend on headers.
    pub(crate) vary: &'static str,
}

/// Finds the file for a request in the first site that has one.
///
/// # Errors
///
/// Errors of [`open`].
pub(crate) fn find<'s>(sites: &'s [Site], request: &FileRequest) -> io::Result<Option<Found<'s>>> {
    for site in sites {
        let Some(path) = path_in_site(site, &request.path) else {
            continue;
        };
        let mut names = path.names;
        if path.is_directory {
            names.push(Cow::Borrowed(INDEX));
        }
        match open(site, &names)? {
            None => {}
            Some(Opened::File(opened)) => return choose_variant(site, &names, opened, request).map(Some),
            Some(Opened::Directory) if path.is_directory => {}
            Some(Opened::Directory) => {
                names.push(Cow::Borrowed(INDEX));
                if matches!(open(site, &names)?, Some(Opened::File(_))) {
                    let last = request.path.rsplit('/').next().unwrap_or_default();
                    let location = format!("./{last}/");
                    return Ok(Some(Found::Redirect { site, location }));
                }
            }
        }
    }
    find_page(sites, request)
}

/// Finds the page of [`Site::spa`] for a path without a file.
fn find_page<'s>(sites: &'s [Site], request: &FileRequest) -> io::Result<Option<Found<'s>>> {
    if !accepts_html(request.header("accept")) {
        return Ok(None);
    }
    for site in sites {
        let Some(page) = &site.spa else { continue };
        let is_below = |path: &String| {
            let rest = request.path.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if path_in_site(site, &request.path).is_none() || site.spa_except.iter().any(is_below) {
            continue;
        }
        let names: Vec<_> = page.iter().map(|name| Cow::Borrowed(name.as_str())).collect();
        if let Some(Opened::File(opened)) = open(site, &names)? {
            let mut found = choose_variant(site, &names, opened, request)?;
            if let Found::File(file) = &mut found {
                file.vary = if file.vary.is_empty() {
                    "accept"
                } else {
                    "accept, accept-encoding"
                };
            }
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Replaces a file by its compressed variant if the client accepts the variant's coding.
fn choose_variant<'s>(
    site: &'s Site,
    names: &[Cow<'_, str>],
    plain: OpenFile,
    request: &FileRequest,
) -> io::Result<Found<'s>> {
    let (name, directories) = names
        .split_last()
        .map_or(("", names), |(name, rest)| (name, rest));
    let mut found = FoundFile {
        site,
        opened: plain,
        content_type: content_type_of(name),
        coding: None,
        vary: if site.precompressed { "accept-encoding" } else { "" },
    };
    let header = request.header("accept-encoding").filter(|_| site.precompressed);
    let Some(weights) = header.map(Weights::of) else {
        return Ok(Found::File(found));
    };
    let mut left = Coding::ALL.to_vec();
    while let Some(coding) = weights.choose(&left) {
        let mut names = directories.to_vec();
        names.push(Cow::Owned(format!("{name}{}", coding.ending())));
        if let Some(Opened::File(opened)) = open(site, &names)? {
            (found.opened, found.coding) = (opened, Some(coding));
            break;
        }
        left.retain(|other| *other != coding);
    }
    Ok(Found::File(found))
}
