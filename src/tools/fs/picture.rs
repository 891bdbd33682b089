//! A picture as a model can take it: as it is in the file, or made smaller. It never hands on more than models accept, and never
//! unpacks more than a bound says, whatever the picture claims.

use std::{
    io::Cursor,
    sync::atomic::{AtomicBool, Ordering},
    sync::mpsc::{RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use image::{
    DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits, RgbImage,
    codecs::jpeg::JpegEncoder, imageops::FilterType, metadata::Orientation,
};

use super::jpeg_scans;
use crate::{
    limits,
    tools::{Call, ToolError, reply::Picture},
};

/// The largest picture that is handed on: models refuse more than 5 MB once it is written as base64.
pub const HANDED_BYTES: usize = 3_932_160;
/// The longest side that is handed on: models make longer ones smaller themselves, and refuse them in a talk with many pictures.
pub const SIDE: u32 = 2000;
/// The largest file that is looked into: photographs of 50 megapixels, and screens as they are saved.
pub(super) const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// What a picture may take unpacked, what its decoder holds beside it included: 67 megapixels of colour.
const UNPACKED_BYTES: u64 = 256 * 1024 * 1024;
/// A progressive JPEG goes over all pixels once for each of its scans: so many pixels together, which is some seconds.
const PASSES: u64 = 512 * 1024 * 1024;
/// What a decoder holds for each pixel of a JPEG that comes in scans.
const SCANNED_PIXEL_BYTES: u64 = 6;
/// How good a JPEG is that is made; the next one is tried where it is still too large.
const QUALITIES: [u8; 3] = [85, 60, 30];
/// How often a waiting call looks whether somebody wants it to stop.
const POLL: Duration = Duration::from_millis(10);

/// How the reason begins that bytes are no picture whatever they claim to be.
pub(super) const UNDECODABLE: &str = "it cannot be decoded";

/// Whether a picture is being unpacked: one at a time, so that many at once do not take the machine's memory.
static IS_BUSY: AtomicBool = AtomicBool::new(false);

/// What a model gets of a picture.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) picture: Picture,
    /// Of the file; `None` where it does not tell.
    pub(super) size: Option<(u32, u32)>,
    /// Of `picture`, where that is not what stands in the file.
    pub(super) smaller: Option<(u32, u32)>,
}

/// Which of the formats that models take this is.
pub(super) fn format(mime: &str) -> Option<ImageFormat> {
    match mime {
        "image/png" => Some(ImageFormat::Png),
        "image/jpeg" => Some(ImageFormat::Jpeg),
        "image/gif" => Some(ImageFormat::Gif),
        "image/webp" => Some(ImageFormat::WebP),
        _ => None,
    }
}

/// True for a name that says that it is a picture: to read it may take longer than other short reads.
pub(super) fn is_named_so(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["png", "jpg", "jpeg", "jfif", "gif", "webp", "apng"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// True for a picture that is handed on as it is, if it is one; else it must be made smaller.
pub(super) fn is_small(bytes: &[u8], format: ImageFormat) -> bool {
    let size = decoder(bytes, format).ok().map(|decoder| decoder.dimensions());
    bytes.len() <= HANDED_BYTES && size.is_none_or(|(width, height)| width.max(height) <= SIDE)
}

/// The picture as it is where it is small enough, else made smaller; the error says why it cannot be shown. It is unpacked in any
/// case: a picture that is broken makes a model's provider refuse the whole talk, for good.
pub(super) fn fitted(bytes: &[u8], format: ImageFormat) -> Result<Shown, String> {
    if !is_small(bytes, format) {
        return shrink(bytes, format);
    }
    let (image, size) = unpacked(bytes, format)?;
    drop(image);
    let picture = Picture { mime: format.to_mime_type().to_owned(), data: bytes.to_vec() };
    Ok(Shown { picture, size: Some(size), smaller: None })
}

/// The right to unpack a picture, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Turn(());

impl Turn {
    /// Waits for those before.
    pub(super) fn wait(call: &Call) -> Result<Self, ToolError> {
        while IS_BUSY.swap(true, Ordering::Acquire) {
            call.check_cancelled()?;
            std::thread::sleep(POLL);
        }
        Ok(Self(()))
    }

    /// Unpacks it, and makes it smaller where that is needed, on a thread of its own, so that a cancel is answered at once. The inner error says why it cannot be done.
    pub(super) fn fit(
        self,
        bytes: Vec<u8>,
        format: ImageFormat,
        call: &Call,
    ) -> Result<Result<Shown, String>, ToolError> {
        let (sender, receiver) = channel();
        let fit = move || {
            let shown = fitted(&bytes, format);
            drop(bytes);
            drop(self);
            let _ = sender.send(shown);
        };
        let thread = std::thread::Builder::new().name("picture".to_owned()).spawn(fit);
        thread.map_err(|error| ToolError::no_thread(&error))?;
        let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(shown) => return Ok(shown),
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(UNDECODABLE.to_owned())),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Ok(Err(format!("it takes more than {} s to unpack", limits::SEARCH_SECONDS)));
                }
                Err(RecvTimeoutError::Timeout) => call.check_cancelled()?,
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        IS_BUSY.store(false, Ordering::Release);
    }
}

fn decoder(bytes: &[u8], format: ImageFormat) -> ImageResult<impl ImageDecoder + '_> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut bounds = Limits::default();
    bounds.max_alloc = Some(UNPACKED_BYTES);
    reader.limits(bounds);
    reader.into_decoder()
}

/// The pixels, turned as the picture says, and the size that stands in the file.
fn unpacked(bytes: &[u8], format: ImageFormat) -> Result<(DynamicImage, (u32, u32)), String> {
    let mut decoder = decoder(bytes, format).map_err(cannot)?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(format!("{UNDECODABLE} (it has no pixels)"));
    }
    let pixels = u64::from(width) * u64::from(height);
    let mut unpacked = decoder.total_bytes();
    if format == ImageFormat::Jpeg {
        let scans = jpeg_scans::count(bytes);
        if scans > 1 {
            unpacked = unpacked.saturating_add(pixels.saturating_mul(SCANNED_PIXEL_BYTES));
        }
        if pixels.saturating_mul(scans) > PASSES {
            return Err(format!("its {width}×{height} pixels come in {scans} scans, which takes too long"));
        }
    }
    if unpacked > UNPACKED_BYTES {
        return Err(format!(
            "its {width}×{height} pixels take {} MiB unpacked, and {} are allowed",
            unpacked >> 20,
            UNPACKED_BYTES >> 20
        ));
    }
    let turned = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = scaled(DynamicImage::from_decoder(decoder).map_err(cannot)?);
    image.apply_orientation(turned);
    Ok((image, (width, height)))
}

fn cannot(error: image::ImageError) -> String {
    format!("{UNDECODABLE} ({error})")
}

pub(super) fn shrink(bytes: &[u8], format: ImageFormat) -> Result<Shown, String> {
    let (image, size) = unpacked(bytes, format)?;
    let smaller = Some((image.width(), image.height()));
    let picture = written(image, format).map_err(cannot)?.ok_or("it stays too large")?;
    Ok(Shown { picture, size: Some(size), smaller })
}

/// With no side above [`SIDE`].
fn scaled(mut image: DynamicImage) -> DynamicImage {
    let (width, height) = (image.width(), image.height());
    let longest = width.max(height);
    if longest <= SIDE {
        return image;
    }
    // The good filter holds a copy in floating point: what is very large is averaged first.
    if longest > 2 * SIDE {
        image = image.thumbnail(2 * SIDE, 2 * SIDE);
    }
    let side = |side: u32| (u64::from(side) * u64::from(SIDE) / u64::from(longest)).max(1) as u32;
    image.resize_exact(side(width), side(height), FilterType::Triangle)
}

/// Without loss where the file had none and it is small enough that way, else as a JPEG; `None` when even that is too large.
fn written(image: DynamicImage, from: ImageFormat) -> ImageResult<Option<Picture>> {
    let is_seen_through =
        image.color().has_alpha() && image.to_rgba8().pixels().any(|pixel| pixel.0[3] != u8::MAX);
    let without_loss = matches!(from, ImageFormat::Png | ImageFormat::Gif);
    if without_loss || is_seen_through {
        let image: DynamicImage =
            if is_seen_through { image.to_rgba8().into() } else { image.to_rgb8().into() };
        let mut png = Vec::new();
        image.write_to(&mut Cursor::new(&mut png), ImageFormat::Png)?;
        if png.len() <= HANDED_BYTES {
            return Ok(Some(Picture { mime: "image/png".to_owned(), data: png }));
        }
    }
    let image = if is_seen_through { on_white(&image) } else { image.to_rgb8() };
    for quality in QUALITIES {
        let mut jpeg = Vec::new();
        image.write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, quality))?;
        if jpeg.len() <= HANDED_BYTES {
            return Ok(Some(Picture { mime: "image/jpeg".to_owned(), data: jpeg }));
        }
    }
    Ok(None)
}

/// A JPEG cannot be seen through: what was becomes white, as on a page.
fn on_white(image: &DynamicImage) -> RgbImage {
    let seen_through = image.to_rgba8();
    RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let [red, green, blue, alpha] = seen_through.get_pixel(x, y).0;
        let mixed = |colour: u8| {
            let (colour, alpha) = (u32::from(colour), u32::from(alpha));
            ((colour * alpha + 255 * (255 - alpha)) / 255) as u8
        };
        image::Rgb([mixed(red), mixed(green), mixed(blue)])
    })
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    /// Pixels that no compression makes smaller.
    fn noise(width: u32, height: u32) -> RgbImage {
        let mut state = 1_u64;
        RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let [red, green, blue, ..] = (state >> 24).to_le_bytes();
            image::Rgb([red, green, blue])
        })
    }

    fn opened(shown: &Shown) -> DynamicImage {
        image::load_from_memory(&shown.picture.data).unwrap()
    }

    #[test]
    fn a_small_picture_stays_byte_for_byte() {
        let image = DynamicImage::from(noise(30, 20));
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let bytes = file(&image, format);
            let shown = fitted(&bytes, format).unwrap();
            assert_eq!((shown.size, shown.smaller), (Some((30, 20)), None), "{format:?}");
            assert_eq!(shown.picture, Picture { mime: format.to_mime_type().to_owned(), data: bytes });
        }
    }

    #[test]
    fn a_long_side_is_made_shorter_and_colours_stay() {
        let plain = |colour| DynamicImage::from(RgbImage::from_pixel(4100, 50, image::Rgb(colour)));
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let bytes = file(&plain([200, 100, 50]), format);
            assert!(!is_small(&bytes, format), "{format:?}");
            let shown = shrink(&bytes, format).unwrap();
            assert_eq!((shown.size, shown.smaller), (Some((4100, 50)), Some((2000, 24))), "{format:?}");
            let pixel = opened(&shown).to_rgb8().get_pixel(1000, 12).0;
            let is_near = pixel.iter().zip([200, 100, 50]).all(|(is, was)| is.abs_diff(was) < 12);
            assert!(is_near, "{format:?}: {pixel:?}");
        }
    }

    #[test]
    fn what_stays_large_without_loss_becomes_a_jpeg() {
        let bytes = file(&noise(1500, 1500).into(), ImageFormat::Png);
        assert!(bytes.len() > HANDED_BYTES);
        assert!(!is_small(&bytes, ImageFormat::Png));
        let shown = shrink(&bytes, ImageFormat::Png).unwrap();
        assert_eq!((shown.picture.mime.as_str(), shown.smaller), ("image/jpeg", Some((1500, 1500))));
        assert!(shown.picture.data.len() <= HANDED_BYTES);
        assert_eq!(opened(&shown).width(), 1500);
    }

    #[test]
    fn what_can_be_seen_through_stays_so_or_becomes_white() {
        let glass: DynamicImage = RgbaImage::from_pixel(2500, 10, Rgba([0, 0, 0, 128])).into();
        let shown = shrink(&file(&glass, ImageFormat::Png), ImageFormat::Png).unwrap();
        assert_eq!(opened(&shown).to_rgba8().get_pixel(5, 5).0, [0, 0, 0, 128]);
        assert_eq!(on_white(&glass).get_pixel(5, 5).0, [127, 127, 127]);
    }

    #[test]
    fn a_picture_that_claims_to_be_enormous_is_not_unpacked() {
        // One row of pixels, and a header that says 60 000 × 60 000.
        let mut bytes = file(&noise(10, 1).into(), ImageFormat::Png);
        for place in [16, 20] {
            bytes[place..place + 4].copy_from_slice(&60_000_u32.to_be_bytes());
        }
        let sum = checksum(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        let why = shrink(&bytes, ImageFormat::Png).unwrap_err();
        assert_eq!(why, "its 60000×60000 pixels take 10299 MiB unpacked, and 256 are allowed");
    }

    /// CRC-32, as PNG has it.
    fn checksum(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
        })
    }

    #[test]
    fn what_is_cut_off_or_garbage_is_said_to_be() {
        let whole = file(&noise(2100, 40).into(), ImageFormat::Png);
        let small = file(&noise(40, 40).into(), ImageFormat::Png);
        for (bytes, format) in [
            (&small[..small.len() - 40], ImageFormat::Png),
            (&whole[..whole.len() / 2], ImageFormat::Png),
            (&whole[..20], ImageFormat::Png),
            (b"\xff\xd8\xff\xe0garbage that is no picture at all".as_slice(), ImageFormat::Jpeg),
            (b"GIF89a".as_slice(), ImageFormat::Gif),
            (b"RIFF\x04\0\0\0WEBPVP8 ".as_slice(), ImageFormat::WebP),
        ] {
            let why = fitted(bytes, format).unwrap_err();
            assert!(why.starts_with("it cannot be decoded ("), "{why}");
        }
    }
}
