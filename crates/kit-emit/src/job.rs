//! Jobs that generate artifacts: emitters list the jobs, threads run them, and an artifact whose inputs did not change
//! is taken from an earlier build.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::artifact::Artifact;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::items::Items;
use crate::text::{Imports, Written};

/// A job that generates one artifact.
pub(crate) struct Job<'a> {
    path: String,
    /// Fingerprint of everything that the artifact depends on. `None` if the artifact is generated in every
    /// build.
    key: Option<Fingerprint>,
    dated: bool,
    /// True if the artifact covers the whole program. Such jobs take longest and start first.
    whole: bool,
    make: Box<dyn Fn() -> Content + Send + Sync + 'a>,
}

/// Result of a job.
pub(crate) enum Content {
    Text(String),
    Module(Written),
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Written> for Content {
    fn from(written: Written) -> Self {
        Self::Module(written)
    }
}

/// A generated artifact. If it is a module, `items` contains its functions and constants for other modules.
pub(crate) struct Generated {
    pub(crate) artifact: Artifact,
    pub(crate) items: Option<Arc<Items>>,
}

impl<'a> Job<'a> {
    /// Creates a job for an artifact about one declaration or entity.
    pub(crate) fn new<C: Into<Content>>(
        path: impl Into<String>,
        make: impl Fn() -> C + Send + Sync + 'a,
    ) -> Self {
        Self {
            path: path.into(),
            key: None,
            dated: false,
            whole: false,
            make: Box::new(move || make().into()),
        }
    }

    /// Creates a job for an artifact about the whole program.
    pub(crate) fn whole(path: impl Into<String>, make: impl Fn() -> String + Send + Sync + 'a) -> Self {
        Self {
            whole: true,
            ..Self::new(path, make)
        }
    }

    /// Creates a job for an artifact that contains the time of the build.
    pub(crate) fn dated(path: impl Into<String>, make: impl Fn() -> String + Send + Sync + 'a) -> Self {
        Self {
            dated: true,
            ..Self::new(path, make)
        }
    }

    /// Sets the fingerprint of the job's inputs. As long as the fingerprint does not change, the artifact of
    /// an earlier build is reused.
    pub(crate) fn keyed(self, key: Fingerprint) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }
}

/// Texts from which long artifacts are assembled, such as the declarations in `types.ts`: those of the last build, with the
/// fingerprints of their inputs.
#[derive(Debug, Default)]
pub(crate) struct PartCache(Vec<(Fingerprint, Arc<String>)>);

impl PartCache {
    /// Returns the texts for these items, in order. `key` returns the fingerprint of the inputs of a text, and `make` generates
    /// the text if the last build had no text with this fingerprint. `is_unchanged` returns true if the text of the
    /// item is the text that the last build had at the same place.
    pub(crate) fn get_or_create<T: Sync>(
        &mut self,
        items: &[T],
        is_unchanged: impl Fn(&T) -> bool,
        key: impl Fn(&T) -> Fingerprint + Sync,
        make: impl Fn(&T) -> String + Sync,
    ) -> Vec<Arc<String>> {
        let has_same_places = self.0.len() == items.len();
        let open: Vec<usize> = (0..items.len())
            .filter(|index| !has_same_places || !is_unchanged(&items[*index]))
            .collect();
        let known: FxHashMap<Fingerprint, &Arc<String>> = if open.is_empty() {
            FxHashMap::default()
        } else {
            self.0.iter().map(|(key, text)| (*key, text)).collect()
        };
        let made = kit_parallel::map(&open, |index| {
            let item = &items[*index];
            let key = key(item);
            let text = known.get(&key).map(|text| Arc::clone(text));
            (key, text.unwrap_or_else(|| Arc::new(make(item))))
        });
        if has_same_places {
            for (index, made) in open.into_iter().zip(made) {
                self.0[index] = made;
            }
        } else {
            self.0 = made;
        }
        self.0.iter().map(|(_, text)| Arc::clone(text)).collect()
    }
}

/// A generated text, and its functions and constants if it is a module.
#[derive(Debug, Clone)]
struct CachedText {
    text: Arc<String>,
    items: Option<Arc<Items>>,
}

impl From<Content> for CachedText {
    fn from(content: Content) -> Self {
        let written = match content {
            Content::Text(text) => {
                return Self {
                    text: Arc::new(text),
                    items: None,
                };
            }
            Content::Module(written) => written,
        };
        let text = Arc::new(written.text);
        let items = Items {
            text: Arc::clone(&text),
            code: written.code,
            start: written.items,
            shared: written.shared,
            package_imports: package_imports(&written.imports),
            imports: written.imports,
            exported: written.exported,
        };
        Self {
            text,
            items: Some(Arc::new(items)),
        }
    }
}

/// Returns the fingerprint of the imports from packages. Other imports are from generated modules.
fn package_imports(imports: &Imports) -> Fingerprint {
    let packages = imports.values.iter().filter(|(from, _)| !from.starts_with("./"));
    fingerprint(packages.collect::<Vec<_>>())
}

/// Artifacts of earlier builds, by path.
#[derive(Debug, Default)]
pub(crate) struct ArtifactCache(FxHashMap<String, (Fingerprint, CachedText)>);

/// Generates all artifacts, in the order of the jobs. Takes unchanged artifacts from the cache `made`, and
/// adds new artifacts to it. Afterwards the cache contains only these artifacts.
pub(crate) fn run(jobs: Vec<Job<'_>>, made: &mut ArtifactCache) -> Vec<Generated> {
    let keyed = jobs.iter().filter(|job| job.key.is_some());
    let paths: FxHashSet<String> = keyed.map(|job| job.path.clone()).collect();
    let generated = run_some(jobs, made);
    if made.0.len() > paths.len() {
        made.0.retain(|path, _| paths.contains(path));
    }
    generated
}

/// Generates artifacts like [`run`]. The cache keeps all other artifacts, too.
pub(crate) fn run_some(jobs: Vec<Job<'_>>, made: &mut ArtifactCache) -> Vec<Generated> {
    let mut texts: Vec<Option<CachedText>> = jobs
        .iter()
        .map(|job| match made.0.get(&job.path) {
            Some((key, kept)) if Some(*key) == job.key => Some(kept.clone()),
            _ => None,
        })
        .collect();
    // Start the longest jobs first. Otherwise one of them could still run while all other threads are idle.
    let open = (0..jobs.len()).filter(|index| texts[*index].is_none());
    let (whole, parts): (Vec<usize>, Vec<usize>) = open.partition(|index| jobs[*index].whole);
    let order = [whole, parts].concat();
    let new = kit_parallel::map(&order, |index| CachedText::from((jobs[*index].make)()));
    for (index, kept) in order.into_iter().zip(new) {
        if let Some(key) = jobs[index].key {
            made.0.insert(jobs[index].path.clone(), (key, kept.clone()));
        }
        texts[index] = Some(kept);
    }
    jobs.into_iter()
        .zip(texts)
        .map(|(job, kept)| {
            let kept = kept.expect("a text that the cache does not have was generated above");
            let artifact = Artifact {
                path: job.path,
                text: kept.text,
                dated: job.dated,
                source: None,
            };
            Generated {
                artifact,
                items: kept.items,
            }
        })
        .collect()
}
