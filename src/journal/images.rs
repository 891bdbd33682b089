//! Before-images: the bytes that a call replaced or removed, by content, so that it can be undone.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{Journal, JournalError};
use crate::ids::Etag;

/// The bytes of a file as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Of the bytes.
    pub etag: Etag,
    /// All of them.
    pub content: Vec<u8>,
}

impl Journal {
    /// The bytes with this etag, if they are kept and still what they were.
    pub fn image(&self, etag: &Etag) -> Result<Option<Vec<u8>>, JournalError> {
        let content: Option<Vec<u8>> = self.with(|database| {
            database
                .query_row("SELECT content FROM images WHERE etag = ?1", [etag.as_str()], |row| row.get(0))
                .optional()
        })?;
        Ok(content.filter(|content| Etag::of(content) == *etag))
    }

    /// True while the bytes with this etag are kept.
    pub fn has_image(&self, etag: &Etag) -> Result<bool, JournalError> {
        self.with(|database| {
            database
                .query_row("SELECT 1 FROM images WHERE etag = ?1", [etag.as_str()], |_| Ok(()))
                .optional()
                .map(|found| found.is_some())
        })
    }

    /// Keeps bytes outside a call: what an undo is about to replace.
    pub fn keep_images(&self, images: &[Image]) -> Result<(), JournalError> {
        self.with(|database| {
            let transaction = database.transaction()?;
            keep(&transaction, images)?;
            transaction.commit()
        })
    }
}

/// Keeps images; one that is there already becomes young again, and the last of its second.
pub(super) fn keep(transaction: &Transaction<'_>, images: &[Image]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO images (etag, bytes, content, kept_at) VALUES (?1, ?2, ?3, unixepoch())",
    )?;
    for image in images {
        let bytes = i64::try_from(image.content.len()).unwrap_or(i64::MAX);
        insert.execute(params![image.etag.as_str(), bytes, image.content])?;
    }
    Ok(())
}

/// Drops what is too old, then the oldest until the rest fits. Returns how many went.
pub(super) fn prune(database: &Connection, max_bytes: u64, max_seconds: i64) -> rusqlite::Result<usize> {
    let old = database.execute("DELETE FROM images WHERE kept_at < unixepoch() - ?1", [max_seconds])?;
    // The running sum from the youngest on says which no longer fit. All of it stands in the index by age.
    let surplus = database.execute(
        "DELETE FROM images WHERE rowid IN (
           SELECT rowid FROM (SELECT rowid, SUM(bytes) OVER (ORDER BY kept_at DESC, rowid DESC) AS sum FROM images) WHERE sum > ?1)",
        [i64::try_from(max_bytes).unwrap_or(i64::MAX)],
    )?;
    Ok(old + surplus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(content: &[u8]) -> Image {
        Image { etag: Etag::of(content), content: content.to_vec() }
    }

    #[test]
    fn bytes_come_back_as_they_were_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().to_owned());
        let kept = image(b"\x00old\xff");
        journal.keep_images(&[kept.clone(), kept.clone()]).unwrap();
        assert_eq!(journal.image(&kept.etag).unwrap(), Some(kept.content.clone()));
        assert_eq!(journal.image(&Etag::of(b"other")).unwrap(), None);
        journal.with(|database| database.execute("UPDATE images SET content = x'00'", [])).unwrap();
        assert_eq!(journal.image(&kept.etag).unwrap(), None);
    }

    #[test]
    fn the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().to_owned());
        let images: Vec<Image> = (0..4_u8).map(|number| image(&[number; 10])).collect();
        journal.keep_images(&images).unwrap();
        for (age, image) in images.iter().enumerate() {
            journal
                .with(|database| {
                    database.execute(
                        "UPDATE images SET kept_at = unixepoch() - ?2 WHERE etag = ?1",
                        params![image.etag.as_str(), i64::try_from(age * 100).unwrap()],
                    )
                })
                .unwrap();
        }
        assert_eq!(journal.with(|database| prune(database, 25, 250)).unwrap(), 2);
        let left: Vec<bool> = images.iter().map(|image| journal.has_image(&image.etag).unwrap()).collect();
        assert_eq!(left, [true, true, false, false]);
    }

    #[test]
    fn of_one_second_the_first_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path().to_owned());
        let images: Vec<Image> = (0..8_u8).map(|number| image(&[number; 10])).collect();
        journal.keep_images(&images).unwrap();
        // Kept once more: now it is the last.
        journal.keep_images(&images[2..3]).unwrap();
        journal.with(|database| database.execute("UPDATE images SET kept_at = unixepoch()", [])).unwrap();
        assert_eq!(journal.with(|database| prune(database, 20, 250)).unwrap(), 6);
        let left: Vec<bool> = images.iter().map(|image| journal.has_image(&image.etag).unwrap()).collect();
        assert_eq!(left, [false, false, true, false, false, false, false, true]);
    }
}
