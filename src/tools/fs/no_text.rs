//! `fs_read` of what is no text: a picture as a model can take it, of anything else what it is and how it begins.

use std::{
    fmt::Write as _,
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
};

use image::ImageFormat;

use super::{
    picture::{self, Shown, Turn, UNDECODABLE},
    preview::{Preview, preview},
    read::{Output, time, whole},
};
use crate::{
    ids::Etag,
    limits::BRIEF_BYTES,
    tools::{Call, Reply, ToolError, Truncated},
    workspace::{DoorError, Stat, WorkspacePath},
};

/// Bytes that tell what a large file is.
const BEGINNING: u64 = 4096;

/// Of a file that is held as a whole.
pub(super) fn of_bytes(
    bytes: Vec<u8>,
    stat: &Stat,
    path: &WorkspacePath,
    call: &Call,
) -> Result<Reply<Output>, ToolError> {
    let preview = preview(&path.resolved().to_string(), &bytes, stat.size);
    let etag = Etag::of(&bytes);
    let mut reply = match picture::format(preview.mime) {
        None => plain(preview, stat, path),
        // Read where it was received, for its size: there is no time there to make it smaller.
        Some(format) if stat.size <= BRIEF_BYTES && !picture::is_named_so(&path.resolved().to_slashed()) => {
            let shown = if picture::is_small(&bytes, format) {
                picture::fitted(&bytes, format)
            } else {
                let why = "its name does not say that it is a picture; one that ends in .png, .jpg, .gif or .webp is made smaller";
                Err(why.to_owned())
            };
            with_picture(preview, format, shown, stat, path)
        }
        Some(format) => {
            let shown = Turn::wait(call)?.fit(bytes, format, call)?;
            with_picture(preview, format, shown, stat, path)
        }
    };
    reply.etag = Some(etag.as_str().to_owned());
    Ok(reply)
}

/// Of one that is too large to be held, unless it is a picture.
pub(super) fn of_file(
    mut file: File,
    stat: &Stat,
    path: &WorkspacePath,
    call: &Call,
) -> Result<Reply<Output>, ToolError> {
    let failed = |error| ToolError::from(DoorError::io(path.given(), error));
    let mut beginning = Vec::new();
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    (&file).take(BEGINNING).read_to_end(&mut beginning).map_err(failed)?;
    let preview = preview(&path.resolved().to_string(), &beginning, stat.size);
    let Some(format) = picture::format(preview.mime) else { return Ok(plain(preview, stat, path)) };
    if stat.size > picture::FILE_BYTES {
        let why = format!("it is larger than {} MiB", picture::FILE_BYTES >> 20);
        return Ok(with_picture(preview, format, Err(why), stat, path));
    }
    let turn = Turn::wait(call)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let bytes = whole(file, stat, path)?;
    let etag = Etag::of(&bytes);
    let shown = turn.fit(bytes, format, call)?;
    let mut reply = with_picture(preview, format, shown, stat, path);
    reply.etag = Some(etag.as_str().to_owned());
    Ok(reply)
}

fn plain(preview: Preview, stat: &Stat, path: &WorkspacePath) -> Reply<Output> {
    let output = Output {
        kind: preview.kind.to_owned(),
        mime: Some(preview.mime.to_owned()),
        size: stat.size,
        mtime: time(stat.modified),
        ..Output::without_text(path.resolved().to_text())
    };
    Reply::new(preview.text, output)
}

fn with_picture(
    mut preview: Preview,
    format: ImageFormat,
    shown: Result<Shown, String>,
    stat: &Stat,
    path: &WorkspacePath,
) -> Reply<Output> {
    let shown = match shown {
        Ok(shown) => shown,
        Err(why) => {
            if why.starts_with(UNDECODABLE) {
                preview.kind = "binary";
                let _ = writeln!(preview.text, "It is not shown: {why}.");
            } else {
                let _ = writeln!(preview.text, "It is not shown: {why}. A command can convert it.");
            }
            return plain(preview, stat, path);
        }
    };
    if let Some((width, height)) = shown.size {
        let (name, what, bytes) = (path.resolved(), preview.what, stat.size);
        preview.text = format!("{name}: {what}, {width}×{height} pixels, {bytes} bytes\n");
    }
    let mut truncated = None;
    if let (Some((width, height)), Some((from_width, from_height))) = (shown.smaller, shown.size) {
        let first = if format == ImageFormat::Gif { "; of an animation its first picture" } else { "" };
        let _ = writeln!(
            preview.text,
            "Shown as {width}×{height}, {}{first}. A command can cut a part out of it.",
            shown.picture.mime
        );
        let pixels = |width, height| u64::from(width) * u64::from(height);
        truncated = Some(Truncated {
            shown: pixels(width, height),
            total: pixels(from_width, from_height),
            unit: "pixels".to_owned(),
            next: None,
        });
    }
    let mut reply = plain(preview, stat, path);
    reply.truncated = truncated.filter(|truncated| truncated.shown < truncated.total);
    reply.picture = Some(shown.picture);
    reply
}
