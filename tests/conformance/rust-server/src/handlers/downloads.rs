//! Handlers of `DownloadRoutes`, with the answers of `tests/conformance/downloads-application.ts`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use kit_runtime::{BodyBytes, ChunkSender, Context, Download, HeaderValue, header};

use crate::app::App;
use crate::error::Error;
use crate::router::{
    DownloadRoutes, GetDownloadsBytes, GetDownloadsCached, GetDownloadsEndless, GetDownloadsFilesByName,
    GetDownloadsNamed, GetDownloadsNoDirectory, GetDownloadsSource,
};

const DIGITS: &str = "0123456789";
/// Time of the files in `conformance/downloads.json`, in milliseconds since 1970.
const MODIFIED: Duration = Duration::from_millis(1_767_323_045_500);
/// 2999-01-01.
const FUTURE: Duration = Duration::from_secs(32_472_144_000);
/// Number of bytes that no client receives completely.
const ENDLESS: u64 = 1 << 40;

/// Returns a text of a length, as `textOf` of `tests/conformance/edge-columns.ts` does.
fn text_of(length: usize) -> String {
    "abcdefghij".chars().cycle().take(length).collect()
}

/// Sends a part of a source, as the header `x-mode` tells.
async fn send(mode: String, first: u64, last: u64, mut chunks: ChunkSender) -> Result<(), Error> {
    let text = if mode == "large" { text_of(1000) } else { DIGITS.to_owned() };
    if mode == "gone" {
        return Err(Error::not_found("FILM_NOT_FOUND", "There is no such film"));
    }
    let (first, last) = (usize::try_from(first)?, usize::try_from(last)?);
    let end = match mode.as_str() {
        "long" => last + 2,
        "short" => last,
        _ => last + 1,
    };
    let broken = match mode.as_str() {
        "fail" => 0,
        "late" => 3,
        _ => usize::MAX,
    };
    let text = format!("{text}+");
    let part = text.as_bytes().get(first..end).unwrap_or_default();
    for (number, chunk) in part.chunks(3).enumerate() {
        if number * 3 >= broken {
            return Err(Error::internal("Reading the source failed"));
        }
        chunks.send(BodyBytes::copy_from_slice(chunk)).await?;
    }
    Ok(())
}

fn source(context: &Context) -> Download {
    let mode = context.header("x-mode").unwrap_or_default().into_owned();
    let size = match mode.as_str() {
        "empty" => 0,
        "large" => 1000,
        _ => 10,
    };
    let of_read = mode.clone();
    let download = Download::write(size, async move |first, last, chunks| send(of_read, first, last, chunks).await);
    match mode.as_str() {
        "bare" | "large" => download,
        "weak" => download.etag("W/\"v1\"").last_modified(UNIX_EPOCH + MODIFIED),
        "future" => download.last_modified(UNIX_EPOCH + FUTURE),
        _ => download.etag("\"v1\"").last_modified(UNIX_EPOCH + MODIFIED),
    }
}

/// Writes the number of chunks to the standard output when the source of a download is dropped.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Drop for Counted {
    fn drop(&mut self) {
        println!("the source is dropped after {} chunks", self.0.load(Ordering::Relaxed));
    }
}

impl DownloadRoutes for App {
    async fn get_downloads_files_by_name(&self, input: GetDownloadsFilesByName) -> Result<Download, Error> {
        let root = std::env::var_os("DOWNLOADS_ROOT").unwrap_or_default();
        Ok(Download::file(PathBuf::from(root).join("public"), input.params.name))
    }

    async fn get_downloads_named(&self, input: GetDownloadsNamed) -> Result<Download, Error> {
        let download = Download::bytes(DIGITS).attachment(&input.query.r#as);
        Ok(download.cache_control("private, max-age=60"))
    }

    async fn get_downloads_source(&self, input: GetDownloadsSource) -> Result<Download, Error> {
        Ok(source(&input.context))
    }

    async fn get_downloads_bytes(&self, _input: GetDownloadsBytes) -> Result<Download, Error> {
        Ok(Download::bytes(DIGITS))
    }

    async fn get_downloads_cached(&self, input: GetDownloadsCached) -> Result<Download, Error> {
        let value = HeaderValue::from_static("public, max-age=5");
        input.context.set_header(header::CACHE_CONTROL, value);
        Ok(Download::bytes(DIGITS))
    }

    async fn get_downloads_no_directory(&self, _input: GetDownloadsNoDirectory) -> Result<Download, Error> {
        Ok(Download::file("no-such-directory", "a.txt"))
    }

    async fn get_downloads_endless(&self, _input: GetDownloadsEndless) -> Result<Download, Error> {
        Ok(Download::write(ENDLESS, async |_first, _last, mut chunks| {
            let counted = Counted::default();
            loop {
                counted.0.fetch_add(1, Ordering::Relaxed);
                chunks.send(vec![0; 64 * 1024]).await?;
            }
        }))
    }
}
