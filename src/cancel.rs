//! The cancel token every call carries; walks and waits look at it.

use tokio_util::sync::CancellationToken;

/// Says whether a call should stop, and lets async code wait for that.
#[derive(Clone, Debug, Default)]
pub struct Cancel(CancellationToken);

impl Cancel {
    /// A token nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is also cancelled when this one is.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Asks the call to stop.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// True once somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until somebody asks.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
