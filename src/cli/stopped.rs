//! A command that starts programs, and whose user may stop it: then they end with it, and what it made for them goes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
        mpsc,
    },
    thread,
};

use tokio::runtime::Builder;

use super::{report::Exit, terminate::Terminate};
use crate::process;

/// Does it; the programs that it has started are ended as soon as the system says that it should stop.
pub(super) fn heeding(work: impl FnOnce() -> Exit) -> Exit {
    let signal = Arc::new(AtomicU8::new(0));
    let (listening, ready) = mpsc::channel();
    let heard = Arc::clone(&signal);
    let thread = thread::Builder::new().spawn(move || {
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let Ok(mut terminate) = Terminate::listen() else { return };
            let _ = listening.send(());
            heard.store(terminate.asked().await, Ordering::SeqCst);
            process::stop_own();
        });
    });
    // Where nothing can be heard, the system ends the process as it always does.
    if thread.is_ok() {
        let _ = ready.recv();
    }
    let exit = work();
    match signal.load(Ordering::SeqCst) {
        0 => exit,
        number => Exit::Stopped(number),
    }
}
