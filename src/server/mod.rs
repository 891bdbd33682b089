//! The server edge: JSON-RPC requests become calls, verdicts and results become answers.
//!
//! [`handler`] speaks MCP through rmcp, `ask` asks the client's person, `perform` runs a call on a thread; [`dispatch`] is one call, there and back; [`control`] and [`errands`] are what no model sees;
//! [`hello`] answers below MCP; [`render`] puts everything into words. Types of rmcp do not leave this folder.

pub mod address;
pub mod approval;
mod ask;
pub mod control;
pub mod current;
pub mod denied;
mod did;
pub mod dispatch;
#[cfg(target_os = "linux")]
#[path = "entropy_linux.rs"]
mod entropy;
#[cfg(not(target_os = "linux"))]
#[path = "entropy_other.rs"]
mod entropy;
pub mod errands;
pub mod express;
pub mod handler;
pub mod hello;
pub mod host;
pub mod in_flight;
pub mod jobs;
mod judged;
mod kept;
mod large;
mod listen;
pub mod live;
mod part;
mod perform;
pub mod place;
mod places;
mod questions;
mod records;
pub mod render;
mod repeats;
pub mod request;
mod resource;
pub mod schema;
pub mod settle;
mod stations;
mod thread;
mod turn_diff;
pub mod undo;
mod undo_plan;
mod watches;

pub use current::{Current, News};
pub use errands::Errands;
pub use express::Express;
pub use handler::Server;
pub use hello::{ConfigState, Hello};
pub use host::Host;
pub use place::{Place, WorkspaceSlot};
