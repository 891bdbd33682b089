//! Every number of the wire and of the tools, and its reason.

/// The largest frame we send to a browser. Both browsers close the port above 1 048 576 bytes; the rest is head-room.
pub const FRAME_BYTES: usize = 1_000_000;
/// The largest body we accept from a browser in one frame: Chromium refuses to send more than 64 MiB.
pub const INBOUND_FRAME_BYTES: usize = 64 * 1024 * 1024;
/// A message longer than this travels in chunks, each carrying at most this much text: 256 KiB frames are as fast as larger
/// ones and let a cancel pass (`docs/protocol.md`).
pub const CHUNK_BYTES: usize = 256 * 1024;
/// The largest message, joined.
pub const MESSAGE_BYTES: usize = 64 * 1024 * 1024;
/// Values of one message, the keys of its objects counted: the undo of a call that changed as many names as one may
/// ([`TREE_ENTRIES`]) can name each of them, and no other request has more than a few hundred. A value of two bytes takes hundreds
/// while it is read, so a message of the largest kind could fill any memory with them.
pub const MESSAGE_VALUES: usize = 100_000;
/// What each of them counts for in [`REQUEST_BYTES`], beside its text: so much it takes while its request waits.
pub const VALUE_BYTES: usize = 128;
/// What may wait for a peer to read it before new calls wait with their start: one message of the largest kind. Less would make
/// small calls wait for a large file that is under way.
pub const WAITING_BYTES: usize = MESSAGE_BYTES;
/// At so much, not even the peer's next message is read: it has asked for more than it takes, and goes on asking.
pub const WAITING_BYTES_MAX: usize = 2 * MESSAGE_BYTES;
/// Requests that are being answered at the same time; a peer that sends more waits in the pipe. A window of an editor has tens.
pub const REQUESTS: usize = 1024;
/// And what they may hold together, each value with [`VALUE_BYTES`]: two messages of the largest kind.
pub const REQUEST_BYTES: usize = 2 * MESSAGE_BYTES;
/// Questions to an older client's person that are open at the same time: half of [`REQUESTS`]. Each keeps its request under way until its
/// answer is read, so they must never fill it: nothing would be read any more, and no answer either.
pub const QUESTIONS: usize = REQUESTS / 2;
/// And what their requests may hold together, for the same reason; a single one may be larger, up to a message of the largest kind.
pub const QUESTION_BYTES: usize = REQUEST_BYTES / 2;
/// Requests of one connection that listen at the same time: each may take one of the watches of the system, which gives a user
/// 128. They are answered when they end, so they are none of [`REQUESTS`]: a peer that only listens would no longer be heard.
pub const LISTENERS: usize = 64;
/// And what their messages may hold together: thousands of names, where the root of a workspace stands for all in it.
pub const LISTENER_BYTES: usize = 1024 * 1024;
/// Chunk groups open at the same time; more is a peer that never finishes what it starts.
pub const OPEN_GROUPS: usize = 8;
/// The name of a chunk group: room for any kind of id; a longer one would be kept beside what it names, and given back in an error.
pub const GROUP_NAME_BYTES: usize = 128;
/// How long a person may take to answer a plan before it has to be made again.
pub const PLAN_LIFETIME_SECONDS: i64 = 24 * 60 * 60;

/// Lines of a file shown at once, unless the caller asks otherwise.
pub const READ_LINES: u32 = 2000;
/// Parameters that there are not, of one call, that are named; a caller learns nothing from more.
pub const STRANGERS_NAMED: usize = 16;
/// Bytes of a name that a caller made up, or of a pattern, in a sentence about it.
pub const NAME_SHOWN_BYTES: usize = 200;
/// Bytes of a word that a cut does not go through: most tokens have fewer.
pub const WORD_BYTES: usize = 400;
/// Characters of one line shown before it is cut.
pub const READ_LINE_CHARS: usize = 2000;
/// Bytes of text a read returns by default: about 12 000 tokens.
pub const READ_BYTES: u32 = 48 * 1024;
/// The most a caller may raise that to.
pub const READ_BYTES_MAX: u32 = 16 * 1024 * 1024;
/// A file up to this size is read on the thread that took the request: from the page cache that takes microseconds.
pub const BRIEF_BYTES: u64 = 64 * 1024;
/// The largest file whose lines are scanned; a larger one is no text a person edits.
pub const SCAN_BYTES: u64 = 256 * 1024 * 1024;
/// The largest file that is hashed to be moved, removed or put back: some seconds of reading.
pub const NODE_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Names that one call moves or removes: a `node_modules` of a usual project. Each is kept in the journal.
pub const TREE_ENTRIES: usize = 50_000;
/// Folders that are made for one path: a project has ten levels. A model that repeats itself names thousands, and each of them is looked
/// for from the root, so a file below a thousand took half a minute.
pub const NEW_FOLDERS: usize = 100;
/// Names that one call copies.
pub const COPY_ENTRIES: usize = 2000;
/// Bytes that one call copies.
pub const COPY_BYTES: u64 = 256 * 1024 * 1024;
/// The largest file a tool writes or edits.
pub const WRITE_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes of text of one answer, for searches and listings: about 16 000 tokens. The facts beside it are not cut.
pub const TEXT_BYTES: usize = 64 * 1024;
/// Bytes of a diff in the text of a result.
pub const DIFF_TEXT_BYTES: usize = 8 * 1024;
/// Lines of the hunks of one plan: a file whose change has no room among them is told by its sizes and its counts.
pub const PLAN_LINES: usize = 200_000;
/// The same in bytes.
pub const PLAN_DIFF_BYTES: usize = 8 * 1024 * 1024;
/// Before-images that one call keeps; what is beyond cannot be undone, and its plan says so.
pub const IMAGE_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of an extended attribute that the journal keeps with a file: larger ones are data of their own, which few file systems take.
pub const ATTRIBUTE_BYTES: u64 = 64 * 1024;
/// Bytes of a patch: larger ones are no work of a model.
pub const PATCH_BYTES: usize = 1024 * 1024;
/// Files of a patch: a person has to look at each.
pub const PATCH_FILES: usize = 200;
/// Lines and entries that a parameter may name or count: no file that is read has more.
pub const POSITION_MAX: u32 = 100_000_000;
/// Edits in one call.
pub const EDITS_MAX: usize = 64;
/// Arguments a caller may give to a command: more is a list of files that belongs into the command's own configuration.
pub const EXEC_ARGS: usize = 64;
/// Bytes of one argument: a person has to read it before they approve.
pub const EXEC_ARG_BYTES: usize = 4096;
/// Words that the braces of one argument may stand for: each is looked up on the disk, and people write two or three.
pub const EXEC_BRACES: usize = 64;
/// Different pieces of all arguments together that could be paths: each is kept and looked up on the disk, and a page of prose has
/// some hundreds.
pub const EXEC_PIECES: usize = 4096;
/// How long a command may run, unless its entry says otherwise: a large test suite ends in it.
pub const EXEC_TIMEOUT_MS: u64 = 600_000;
/// How long a command may say nothing, unless its entry says otherwise: a hung one holds its workspace.
pub const EXEC_IDLE_MS: u64 = 120_000;
/// The most an entry may raise either to.
pub const EXEC_TIMEOUT_MS_MAX: u64 = 1_800_000;
/// Output of a command shown to a model.
pub const EXEC_TEXT_BYTES: usize = 32 * 1024;
/// Output of a command kept.
pub const EXEC_STORED_BYTES: usize = 16 * 1024 * 1024;
/// Commands in the background at the same time: a server, its database, a watcher, and some to spare.
pub const EXEC_JOBS: usize = 8;
/// How long a call waits for a job at most: longer, and clients give the call up.
pub const EXEC_WAIT_MS_MAX: u64 = 30_000;
/// How long a job may take to end by itself.
pub const EXEC_GRACE_MS_MAX: u64 = 10_000;
/// Text that was cut from answers and is kept for one connection, together.
pub const HANDLE_BYTES: usize = 64 * 1024 * 1024;
/// How long a search runs before it answers with what it has.
pub const SEARCH_SECONDS: u64 = 30;
/// What an error says at most: a message longer than that repeats what somebody gave it and tells nobody more.
pub const ERROR_BYTES: usize = 16 * 1024;
/// Of a value that does not fit, so much is repeated.
pub const ECHO_BYTES: usize = 1000;
/// The longest search pattern or glob. Millions of characters take the engines minutes, and nobody means them.
pub const PATTERN_BYTES: usize = 32 * 1024;
/// Bytes of memory that a pattern may take once compiled: thousands of words, or two hundred letters of any alphabet. The engine's
/// own limit, ten times as high, is reached by twelve characters, and takes seconds.
pub const PATTERN_COMPILED_BYTES: usize = 16 * 1024 * 1024;
/// Bytes that each thread may keep of what it has learnt about a pattern; usual ones need some hundred thousand.
pub const PATTERN_CACHE_BYTES: usize = 16 * 1024 * 1024;

/// Entries of a listing, unless the caller asks otherwise: about 5 000 tokens.
pub const LIST_ENTRIES: u32 = 500;
/// The most a caller may raise that to.
pub const LIST_ENTRIES_MAX: u32 = 100_000;
/// Bytes of the paths of one listing: of usual ones more than [`LIST_ENTRIES_MAX`] have; as JSON, they fit into one message however
/// they have to be written.
pub const LISTING_BYTES: usize = 8 * 1024 * 1024;
/// Levels of a listing; deeper is a search.
pub const LIST_DEPTH_MAX: u32 = 10;

/// How large the journal may grow, unless the configuration says otherwise: before-images of weeks of edits.
pub const JOURNAL_MIB: u64 = 256;
/// Days a finished call stays undoable, unless the configuration says otherwise.
pub const JOURNAL_DAYS: u64 = 14;
/// Regular expressions of an administrator for secrets: each is tried on every result.
pub const REDACT_PATTERNS: usize = 64;
/// Bytes that one of them may take once compiled.
pub const REDACT_PATTERN_BYTES: usize = 1024 * 1024;

/// Folders of a workspace that are watched, at most: each takes a kilobyte of the kernel's memory, and the user has 8 192 to
/// 65 536 for everything.
pub const WATCH_FOLDERS: usize = 8192;
/// Changed paths that one notification names; more are counted.
pub const WATCH_PATHS: usize = 200;
/// Changed paths that wait to be told; more is a checkout of another world, and whoever listens has to look anyway.
pub const WATCH_PENDING: usize = 10_000;
