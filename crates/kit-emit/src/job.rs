//! Artifacts that are still to be made: emitters say which ones there are, and threads make them.

use crate::Artifact;

/// One artifact to make.
pub(crate) struct Job<'a> {
    path: String,
    dated: bool,
    /// Whether it is made of the whole program, and so takes longest.
    whole: bool,
    make: Box<dyn Fn() -> String + Send + Sync + 'a>,
}

impl<'a> Job<'a> {
    /// An artifact of one part of the program.
    pub(crate) fn new(path: impl Into<String>, make: impl Fn() -> String + Send + Sync + 'a) -> Self {
        Self {
            path: path.into(),
            dated: false,
            whole: false,
            make: Box::new(make),
        }
    }

    /// An artifact of the whole program.
    pub(crate) fn whole(path: impl Into<String>, make: impl Fn() -> String + Send + Sync + 'a) -> Self {
        Self {
            whole: true,
            ..Self::new(path, make)
        }
    }

    /// An artifact that names the time.
    pub(crate) fn dated(path: impl Into<String>, make: impl Fn() -> String + Send + Sync + 'a) -> Self {
        Self {
            dated: true,
            ..Self::new(path, make)
        }
    }
}

/// Makes all artifacts, in the order of the jobs.
pub(crate) fn run(jobs: Vec<Job<'_>>) -> Vec<Artifact> {
    // The longest first: started last, one of them would keep one thread busy while the others have nothing left.
    let (whole, parts): (Vec<usize>, Vec<usize>) = (0..jobs.len()).partition(|index| jobs[*index].whole);
    let order = [whole, parts].concat();
    let mut made: Vec<(usize, String)> = kit_parallel::map(&order, |index| (*index, (jobs[*index].make)()));
    made.sort_unstable_by_key(|(index, _)| *index);
    jobs.into_iter()
        .zip(made)
        .map(|(job, (_, text))| Artifact {
            path: job.path,
            text,
            dated: job.dated,
        })
        .collect()
}
