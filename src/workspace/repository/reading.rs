//! How gix opens a repository: with reduced trust, and without all that names a program.

use std::{path::PathBuf, sync::Arc};

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Repository, RepositoryError, linked, nofollow, pack_cache};
use crate::relpath::RelPath;

/// The largest object that is read, as a setting of gix. Sizes are what a repository claims: without a limit one that lies takes
/// all memory, and the limit gix has by itself (16 MiB) is below files that people do commit.
const OBJECT_LIMIT: &str = "gitoxide.objects.allocLimit=268435456";
/// Larger files are not looked into for renames; git's own number (512 MiB) would let a small repository take minutes.
const RENAME_LIMIT: &str = "core.bigFileThreshold=16777216";

/// Where `core.safecrlf` stands in a repository that gix has opened.
const ASKED_LINE_ENDS: &str = "outrigger.safecrlf";

/// Files that are compared with each other for renames, at most, as git does it by itself.
const RENAMED_FILES: i64 = 1000;

impl Repository {
    /// Opens it for reading, the index included.
    pub fn reader(&self) -> Result<gix::Repository, RepositoryError> {
        let opened = self.history()?;
        self.check_index(&opened)?;
        Ok(opened)
    }

    fn check_index(&self, opened: &gix::Repository) -> Result<(), RepositoryError> {
        let sparse = opened.index_or_empty().map_err(|error| self.broken(&error))?.is_sparse();
        if sparse { Err(self.unsupported("a sparse index")) } else { Ok(()) }
    }

    /// Opens it for reading commits. The index, which takes longer to read than a page of history, is looked at only where
    /// the configuration says that it may be sparse.
    pub fn history(&self) -> Result<gix::Repository, RepositoryError> {
        self.is_used();
        let mut reader = if let Some(opened) = self.opened.get() {
            opened.to_thread_local()
        } else {
            let opened = self.open_gix()?;
            self.opened.get_or_init(|| opened.into_sync()).to_thread_local()
        };
        let gave_up = Arc::clone(&self.gave_up);
        reader.objects.set_pack_cache(move || Box::new(pack_cache::PackCache::new(Arc::clone(&gave_up))));
        Ok(reader)
    }

    /// The same for what is stored: it refuses line ends that would not come back, where the user's git does.
    pub fn strict(&self, reader: &gix::Repository) -> Result<gix::Repository, RepositoryError> {
        let mut strict = reader.clone();
        let mut restore = || -> gix::Result<()> {
            let mut config = strict.config_snapshot_mut();
            if let Some(value) = config.string(ASKED_LINE_ENDS) {
                config.set_raw_value("core.safecrlf", value.as_bstr())?;
            }
            config.commit()?;
            Ok(())
        };
        restore().map_err(|error| self.broken(&error))?;
        Ok(strict)
    }

    fn open_gix(&self) -> Result<gix::Repository, RepositoryError> {
        let mut options = gix::open::Options::default()
            .with(gix::sec::Trust::Reduced)
            .permissions(permissions())
            .filter_config_section(|meta| meta.source.kind() != gix::config::source::Kind::Repository);
        options = options.strict_config(false).config_overrides([OBJECT_LIMIT, RENAME_LIMIT]);
        let mut opened = gix::open_opts(self.opened_by(), options).map_err(|error| self.broken(&error))?;
        self.check_opened(opened.git_dir(), opened.common_dir(), opened.workdir())?;
        without_drivers(&mut opened).map_err(|error| self.broken(&error))?;
        let named = self.own_rules(&opened)?;
        take_own_rules(&mut opened, named).map_err(|error| self.broken(&error))?;
        if opened.object_hash() != gix::hash::Kind::Sha1 {
            return Err(self.unsupported("SHA-256 objects"));
        }
        if opened.config_snapshot().boolean("core.sparseCheckout") == Some(true) {
            self.check_index(&opened)?;
        }
        Ok(opened)
    }

    /// Files of rules that the repository itself names are read where they lie inside the workspace: gix trusts none of them.
    fn own_rules(
        &self,
        repository: &gix::Repository,
    ) -> Result<Vec<(&'static str, PathBuf)>, RepositoryError> {
        use gix::config::Source;
        let root = self.workdir.ancestors().nth(self.folder.as_path().components().count());
        let root = root.unwrap_or(&self.workdir);
        let config = repository.config_snapshot();
        let mut found = Vec::new();
        for key in ["core.excludesFile", "core.attributesFile"] {
            let named = config
                .plumbing()
                .string_filter(key, |meta| matches!(meta.source, Source::Local | Source::Worktree));
            let Some(named) = named.filter(|named| !named.starts_with(b"~")) else { continue };
            let Ok(path) = gix::path::from_bstr(named.as_bstr()) else { continue };
            let path = linked::plain(&self.workdir.join(&*path));
            let inside = path.strip_prefix(root).ok().and_then(RelPath::from_plain);
            let Some(inside) = inside else { continue };
            if let Ok((_, metadata)) = nofollow::open_file(&self.handle, inside.as_path()) {
                self.check_rules(&inside, metadata.len())?;
                found.push((key, path));
            }
        }
        Ok(found)
    }
}

fn take_own_rules(repository: &mut gix::Repository, named: Vec<(&'static str, PathBuf)>) -> gix::Result<()> {
    let mut config = repository.config_snapshot_mut();
    for (key, path) in named {
        config.set_raw_value(key, gix::path::into_bstr(path.as_path())?.as_bstr())?;
    }
    config.commit()?;
    Ok(())
}

/// Whether a driver says of its files that no difference of them is text, or that each is (`diff.<driver>.binary`).
pub fn driver_is_binary(reader: &gix::Repository, driver: &BStr) -> Option<bool> {
    reader.config_snapshot().boolean(&format!("outrigger.{driver}.binary"))
}

/// Whether a driver says itself which lines head a difference (`diff.<driver>.xfuncname`); what it says is not used.
pub fn driver_has_headings(reader: &gix::Repository, driver: &BStr) -> bool {
    reader.config_snapshot().boolean(&format!("outrigger.{driver}.headings")) == Some(true)
}

/// The user's own configuration counts, the environment's does not.
fn permissions() -> gix::open::Permissions {
    let (allow, deny) = (gix::sec::Permission::Allow, gix::sec::Permission::Deny);
    gix::open::Permissions {
        env: gix::open::permissions::Environment {
            xdg_config_home: allow,
            home: allow,
            http_transport: deny,
            identity: deny,
            objects: deny,
            git_prefix: deny,
            other: deny,
            ssh_prefix: deny,
        },
        config: gix::open::permissions::Config {
            // Finding the installation's own file would mean to run `git`.
            git_binary: false,
            system: true,
            git: true,
            user: true,
            env: false,
            includes: true,
        },
        attributes: gix::open::permissions::Attributes { git_binary: false, system: true, git: true },
    }
}

/// Sets how times are compared, and takes out what names programs, also from the user's own configuration: reading a status must run nothing at all.
fn without_drivers(repository: &mut gix::Repository) -> gix::Result<()> {
    let mut config = repository.config_snapshot_mut();
    let named: Vec<_> = config.sections_by_name("diff").into_iter().flatten().collect();
    let names: Vec<BString> =
        named.iter().filter_map(|section| section.header().subsection_name().map(BStr::to_owned)).collect();
    let has = |name: &BString, key: &str| config.string(&format!("diff.{name}.{key}")).is_some();
    let with_headings: Vec<BString> =
        names.iter().filter(|name| has(name, "xfuncname") || has(name, "funcname")).cloned().collect();
    let binary = names
        .into_iter()
        .filter_map(|name| Some((config.boolean(&format!("diff.{name}.binary")).ok()??, name)));
    let binary: Vec<(bool, BString)> = binary.collect();
    let drivers: Vec<_> = config
        .sections_and_ids()
        .filter(|(section, _)| {
            let header = section.header();
            let named = |name: &str| header.name().to_str_lossy().eq_ignore_ascii_case(name);
            named("filter") || (header.subsection_name().is_some() && (named("diff") || named("merge")))
        })
        .map(|(_, id)| id)
        .collect();
    for id in drivers {
        config.remove_section_by_id(id);
    }
    // All that a driver of differences may say is whether its files are text, and that it knows more of them; a blame is not to know
    // even that.
    for (is_binary, name) in binary {
        let value = if is_binary { "true" } else { "false" };
        config.set_raw_value_by("outrigger", name.as_bstr(), "binary", value)?;
    }
    for name in with_headings {
        config.set_raw_value_by("outrigger", name.as_bstr(), "headings", "true")?;
    }
    // libgit2 writes the index and trusts nanoseconds; to compare whole seconds would hide a change of the same size that
    // was made in the second of the last commit.
    config.set_raw_value("gitoxide.core.useNsec", "true")?;
    // To compare is not to store: where git warns of line ends then, gix would fail.
    if let Some(asked) = config.string("core.safecrlf") {
        config.set_raw_value(ASKED_LINE_ENDS, asked.as_bstr())?;
        config.set_raw_value("core.safecrlf", "false")?;
    }
    // Names are composed for macOS alone, as git does it. A repository that came from there says so, and elsewhere gix would not find
    // the files again.
    if !cfg!(target_os = "macos") {
        config.set_raw_value("core.precomposeUnicode", "false")?;
    }
    // Each file that went is compared with each that came: a repository that asks for more than git's own number would get
    // an hour of work.
    for key in ["diff.renameLimit", "status.renameLimit"] {
        // One that is no number at all counts as none.
        let limit = config.integer(key).unwrap_or(Some(0));
        if limit.is_some_and(|limit| !(1..=RENAMED_FILES).contains(&limit)) {
            config.set_raw_value(key, RENAMED_FILES.to_string().as_str())?;
        }
    }
    // Where copies are looked for, gix loses the change of the file that was copied.
    for key in ["diff.renames", "status.renames"] {
        let value = config.string(key).unwrap_or_default();
        if [b"copies".as_slice(), b"copy"].iter().any(|copies| value.eq_ignore_ascii_case(copies)) {
            config.set_raw_value(key, "true")?;
        }
    }
    config.commit()?;
    Ok(())
}
