//! The binary formats that are known by name, and their magic numbers.

use std::path::Path;

use memchr::memmem;

/// Says what a format is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Text on pages, slides or sheets.
    Document,
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
    /// Other files, packed or compressed.
    Archive,
    /// Code for a machine, real or virtual.
    Executable,
    /// Records.
    Database,
    /// Letters to print with.
    Font,
    /// Nothing that is known.
    Other,
}

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $name:literal $mime:literal $class:ident;)*) => {
        /// Names a binary format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format { $($(#[$doc])* $variant,)* }

        impl Format {
            /// Every format that this version knows.
            pub const ALL: &[Format] = &[$(Format::$variant),*];

            /// Returns a name for people, without an article: `PDF document`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Format::$variant => $name,)* }
            }

            /// Returns the media type.
            #[must_use]
            pub fn mime(self) -> &'static str {
                match self { $(Format::$variant => $mime,)* }
            }

            /// Returns what the format is for.
            #[must_use]
            pub fn class(self) -> Class {
                match self { $(Format::$variant => Class::$class,)* }
            }
        }
    };
}

formats! {
    /// Portable Document Format.
    Pdf "PDF document" "application/pdf" Document;
    /// Word document (Office Open XML).
    Docx "DOCX document" "application/vnd.openxmlformats-officedocument.wordprocessingml.document" Document;
    /// PowerPoint presentation (Office Open XML).
    Pptx "PPTX presentation" "application/vnd.openxmlformats-officedocument.presentationml.presentation" Document;
    /// Excel workbook (Office Open XML).
    Xlsx "XLSX workbook" "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" Document;
    /// OpenDocument text, sheet or presentation.
    OpenDocument "OpenDocument file" "application/vnd.oasis.opendocument" Document;
    /// Electronic book.
    Epub "EPUB book" "application/epub+zip" Document;
    /// Word, Excel or PowerPoint before 2007, and other compound files.
    Ole "compound file (old Office format)" "application/x-ole-storage" Document;
    /// Portable Network Graphics.
    Png "PNG image" "image/png" Image;
    /// JPEG.
    Jpeg "JPEG image" "image/jpeg" Image;
    /// Graphics Interchange Format.
    Gif "GIF image" "image/gif" Image;
    /// WebP.
    Webp "WebP image" "image/webp" Image;
    /// Windows bitmap.
    Bmp "BMP image" "image/bmp" Image;
    /// Tagged Image File Format.
    Tiff "TIFF image" "image/tiff" Image;
    /// Windows icon.
    Ico "ICO image" "image/vnd.microsoft.icon" Image;
    /// Photoshop document.
    Psd "Photoshop image" "image/vnd.adobe.photoshop" Image;
    /// High Efficiency Image File.
    Heif "HEIF image" "image/heif" Image;
    /// AV1 Image File.
    Avif "AVIF image" "image/avif" Image;
    /// JPEG XL.
    Jxl "JPEG XL image" "image/jxl" Image;
    /// MPEG audio, layer 3.
    Mp3 "MP3 audio" "audio/mpeg" Audio;
    /// Ogg container.
    Ogg "Ogg audio" "audio/ogg" Audio;
    /// Waveform audio.
    Wav "WAV audio" "audio/wav" Audio;
    /// Free Lossless Audio Codec.
    Flac "FLAC audio" "audio/flac" Audio;
    /// MPEG-4 audio.
    M4a "M4A audio" "audio/mp4" Audio;
    /// Standard MIDI file.
    Midi "MIDI audio" "audio/midi" Audio;
    /// MPEG-4 container.
    Mp4 "MP4 video" "video/mp4" Video;
    /// QuickTime container.
    Mov "QuickTime video" "video/quicktime" Video;
    /// Matroska or WebM container.
    Matroska "Matroska video" "video/matroska" Video;
    /// Audio Video Interleave.
    Avi "AVI video" "video/vnd.avi" Video;
    /// ZIP archive that is nothing more special.
    Zip "ZIP archive" "application/zip" Archive;
    /// Java archive.
    Jar "JAR archive" "application/java-archive" Archive;
    /// gzip.
    Gzip "gzip data" "application/gzip" Archive;
    /// Zstandard.
    Zstd "zstd data" "application/zstd" Archive;
    /// xz.
    Xz "xz data" "application/x-xz" Archive;
    /// bzip2.
    Bzip2 "bzip2 data" "application/x-bzip2" Archive;
    /// LZ4 frame.
    Lz4 "LZ4 data" "application/x-lz4" Archive;
    /// 7-Zip archive.
    SevenZip "7-Zip archive" "application/x-7z-compressed" Archive;
    /// RAR archive.
    Rar "RAR archive" "application/vnd.rar" Archive;
    /// tar archive.
    Tar "tar archive" "application/x-tar" Archive;
    /// Unix archive: static libraries and Debian packages.
    Ar "ar archive" "application/x-archive" Archive;
    /// Cabinet archive.
    Cab "CAB archive" "application/vnd.ms-cab-compressed" Archive;
    /// Pack of git objects.
    GitPack "git pack" "application/x-git-pack" Archive;
    /// Executable and Linkable Format.
    Elf "ELF executable" "application/x-elf" Executable;
    /// Mach-O, also for several machines in one file.
    MachO "Mach-O executable" "application/x-mach-binary" Executable;
    /// Portable Executable of Windows.
    Pe "PE executable" "application/vnd.microsoft.portable-executable" Executable;
    /// WebAssembly module.
    Wasm "WebAssembly module" "application/wasm" Executable;
    /// Java class.
    JavaClass "Java class" "application/java-vm" Executable;
    /// Android bytecode.
    Dex "DEX bytecode" "application/x-dex" Executable;
    /// LLVM bitcode.
    LlvmBitcode "LLVM bitcode" "application/x-llvm" Executable;
    /// SQLite database.
    Sqlite "SQLite database" "application/vnd.sqlite3" Database;
    /// Apache Parquet.
    Parquet "Parquet file" "application/vnd.apache.parquet" Database;
    /// Apache Arrow.
    Arrow "Arrow file" "application/vnd.apache.arrow.file" Database;
    /// Apache Avro.
    Avro "Avro file" "application/vnd.apache.avro" Database;
    /// Hierarchical Data Format.
    Hdf5 "HDF5 file" "application/x-hdf5" Database;
    /// NumPy array.
    Npy "NumPy array" "application/x-npy" Database;
    /// Index of a git work tree.
    GitIndex "git index" "application/x-git-index" Database;
    /// Web Open Font Format, first version.
    Woff "WOFF font" "font/woff" Font;
    /// Web Open Font Format, second version.
    Woff2 "WOFF2 font" "font/woff2" Font;
    /// OpenType with PostScript outlines.
    Otf "OpenType font" "font/otf" Font;
    /// TrueType.
    Ttf "TrueType font" "font/ttf" Font;
    /// No format that this version knows.
    Unknown "unknown format" "application/octet-stream" Other;
}

/// Magic numbers at a fixed place. None of them is the likely beginning of a text: those that are letters only are long or
/// are checked further in [`by_structure`].
const MAGIC: &[(usize, &[u8], Format)] = &[
    (0, b"\x89PNG\r\n\x1a\n", Format::Png),
    (0, b"\xff\xd8\xff", Format::Jpeg),
    (0, b"GIF87a", Format::Gif),
    (0, b"GIF89a", Format::Gif),
    (0, b"II*\0", Format::Tiff),
    (0, b"MM\0*", Format::Tiff),
    (0, b"8BPS\0\x01", Format::Psd),
    (0, b"8BPS\0\x02", Format::Psd),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", Format::Jxl),
    (0, b"\xff\x0a", Format::Jxl),
    (0, b"OggS\0", Format::Ogg),
    (0, b"fLaC\0\0\0\x22", Format::Flac),
    (0, b"MThd\0\0\0\x06", Format::Midi),
    (0, b"\x1a\x45\xdf\xa3", Format::Matroska),
    (0, b"\x1f\x8b\x08", Format::Gzip),
    (0, b"\x28\xb5\x2f\xfd", Format::Zstd),
    (0, b"\xfd7zXZ\0", Format::Xz),
    (0, b"\x04\x22\x4d\x18", Format::Lz4),
    (0, b"7z\xbc\xaf\x27\x1c", Format::SevenZip),
    (0, b"Rar!\x1a\x07", Format::Rar),
    (0, b"!<arch>\n", Format::Ar),
    (0, b"MSCF\0\0\0\0", Format::Cab),
    (0, b"PACK\0\0\0\x02", Format::GitPack),
    (0, b"PACK\0\0\0\x03", Format::GitPack),
    (0, b"DIRC\0\0\0", Format::GitIndex),
    (0, b"\x7fELF", Format::Elf),
    (0, b"\xfe\xed\xfa\xce", Format::MachO),
    (0, b"\xfe\xed\xfa\xcf", Format::MachO),
    (0, b"\xce\xfa\xed\xfe", Format::MachO),
    (0, b"\xcf\xfa\xed\xfe", Format::MachO),
    (0, b"\0asm", Format::Wasm),
    (0, b"dex\n03", Format::Dex),
    (0, b"BC\xc0\xde", Format::LlvmBitcode),
    (0, b"SQLite format 3\0", Format::Sqlite),
    (0, b"PAR1\x15", Format::Parquet),
    (0, b"ARROW1\0\0", Format::Arrow),
    (0, b"Obj\x01", Format::Avro),
    (0, b"\x89HDF\r\n\x1a\n", Format::Hdf5),
    (0, b"\x93NUMPY", Format::Npy),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format::Ole),
    (0, b"wOFF\0\x01\0\0", Format::Woff),
    (0, b"wOFFOTTO", Format::Woff),
    (0, b"wOF2\0\x01\0\0", Format::Woff2),
    (0, b"wOF2OTTO", Format::Woff2),
    (0, b"OTTO\0", Format::Otf),
    (0, b"\0\x01\0\0\0", Format::Ttf),
    (257, b"ustar\0", Format::Tar),
    (257, b"ustar  \0", Format::Tar),
];

/// The format whose magic number the head shows. Never answers [`Format::Unknown`].
pub(crate) fn by_magic(name: &Path, head: &[u8]) -> Option<Format> {
    let fixed = MAGIC.iter().find(|(at, magic, _)| head.get(*at..).is_some_and(|it| it.starts_with(magic)));
    match fixed {
        Some(&(_, _, format)) => Some(format),
        None => by_structure(name, head),
    }
}

fn by_structure(name: &Path, head: &[u8]) -> Option<Format> {
    if is_pdf(head) {
        return Some(Format::Pdf);
    }
    match head.get(..4)? {
        b"PK\x03\x04" | b"PK\x05\x06" => return Some(zip(name, head)),
        b"RIFF" => return riff(head),
        // Java classes and Mach-O for several machines share a number; classes begin with version 45, and
        // nobody has built for so many machines.
        b"\xca\xfe\xba\xbe" => {
            let next = u32::from_be_bytes(head.get(4..8)?.try_into().ok()?);
            return Some(if next < 45 { Format::MachO } else { Format::JavaClass });
        }
        b"\0\0\x01\0" if head.get(4).is_some_and(|&it| it > 0) && head.get(5) == Some(&0) => {
            return Some(Format::Ico);
        }
        _ => {}
    }
    if head.get(4..8) == Some(b"ftyp") {
        return Some(iso_media(head));
    }
    if head.starts_with(b"BZh") && head.get(4..10) == Some(b"\x31\x41\x59\x26\x53\x59") {
        return Some(Format::Bzip2);
    }
    if head.starts_with(b"MZ") && is_pe(head) {
        return Some(Format::Pe);
    }
    // The reserved words of a bitmap are zero, so no text qualifies.
    if head.starts_with(b"BM") && head.get(6..10) == Some(&[0; 4]) {
        return Some(Format::Bmp);
    }
    is_mp3(head).then_some(Format::Mp3)
}

/// A byte order mark or blanks may stand in front of the number, as readers of the format accept.
fn is_pdf(head: &[u8]) -> bool {
    let body = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    body.starts_with(b"%PDF-") && body.get(5).is_some_and(u8::is_ascii_digit)
}

/// The names of the first entries tell the special archives apart; the file name helps where they are out of sight.
fn zip(name: &Path, head: &[u8]) -> Format {
    for at in memmem::find_iter(head, b"PK\x03\x04") {
        let Some(entry) = entry_name(&head[at..]) else { continue };
        match entry {
            _ if entry.starts_with(b"word/") => return Format::Docx,
            _ if entry.starts_with(b"ppt/") => return Format::Pptx,
            _ if entry.starts_with(b"xl/") => return Format::Xlsx,
            b"mimetype" => {
                let body = &head[at + LOCAL_HEADER + entry.len()..];
                if body.starts_with(b"application/epub+zip") {
                    return Format::Epub;
                }
                if body.starts_with(b"application/vnd.oasis.opendocument") {
                    return Format::OpenDocument;
                }
            }
            b"META-INF/" | b"META-INF/MANIFEST.MF" => return Format::Jar,
            _ => {}
        }
    }
    match extension(name).as_deref() {
        Some("docx" | "docm") => Format::Docx,
        Some("pptx" | "pptm") => Format::Pptx,
        Some("xlsx" | "xlsm") => Format::Xlsx,
        _ => Format::Zip,
    }
}

/// The fixed part of a local file header, in bytes (APPNOTE.TXT section 4.3.7).
const LOCAL_HEADER: usize = 30;

fn entry_name(header: &[u8]) -> Option<&[u8]> {
    let length = usize::from(u16::from_le_bytes(header.get(26..28)?.try_into().ok()?));
    header.get(LOCAL_HEADER..LOCAL_HEADER + length)
}

fn riff(head: &[u8]) -> Option<Format> {
    match head.get(8..12)? {
        b"WEBP" => Some(Format::Webp),
        b"WAVE" => Some(Format::Wav),
        b"AVI " => Some(Format::Avi),
        _ => None,
    }
}

/// ISO base media file format: the brand says which family.
fn iso_media(head: &[u8]) -> Format {
    match head.get(8..12) {
        Some(b"M4A " | b"M4B ") => Format::M4a,
        Some(b"qt  ") => Format::Mov,
        Some(b"avif" | b"avis") => Format::Avif,
        Some(b"heic" | b"heix" | b"hevc" | b"mif1" | b"msf1") => Format::Heif,
        _ => Format::Mp4,
    }
}

/// The old header names the place of the new one; where that is out of sight, a zero byte shows that this is no text.
fn is_pe(head: &[u8]) -> bool {
    let Some(place) = head.get(0x3c..0x40).and_then(|it| it.try_into().ok()) else { return false };
    let place = u32::from_le_bytes(place) as usize;
    match head.get(place..place.saturating_add(4)) {
        Some(signature) => signature == b"PE\0\0",
        None => head[..0x40].contains(&0),
    }
}

/// A tag of version 2 to 4 with a size in seven-bit bytes, or two frame headers in a row: one alone is too little
/// to tell sound from a legacy text that begins with two accented letters.
fn is_mp3(head: &[u8]) -> bool {
    if let Some(tag) = head.strip_prefix(b"ID3") {
        return tag.len() >= 7 && (2..=4).contains(&tag[0]) && tag[3..7].iter().all(|&it| it < 0x80);
    }
    frame_bytes(head).is_some_and(|it| head.get(it..).is_some_and(|next| frame_bytes(next).is_some()))
}

/// The length of the MPEG-1 layer 3 frame that begins here.
///
/// # Source
///
/// ISO/IEC 11172-3, section 2.4.1.3.
fn frame_bytes(head: &[u8]) -> Option<usize> {
    const KBIT: [usize; 16] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
    const HERTZ: [usize; 4] = [44_100, 48_000, 32_000, 0];
    let &[0xff, 0xfa | 0xfb, third, _, ..] = head else { return None };
    let kbit = KBIT[usize::from(third >> 4)];
    let hertz = HERTZ[usize::from(third >> 2 & 3)];
    if kbit == 0 || hertz == 0 {
        return None;
    }
    Some(144 * kbit * 1000 / hertz + usize::from(third >> 1 & 1))
}

/// The extension in lower case, when it is ASCII.
pub(crate) fn extension(name: &Path) -> Option<String> {
    let extension = name.extension()?.to_str()?;
    Some(extension.to_ascii_lowercase())
}
