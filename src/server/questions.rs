//! How many questions of one connection wait for a person. Those of the older revisions keep their requests under way until they are
//! answered, and the answers come over the wire: they never take so much that nothing more would be read from it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::{QUESTION_BYTES, QUESTIONS};

/// The open ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    count: usize,
    bytes: usize,
}

/// A question is open as long as this is kept.
#[derive(Debug)]
pub(super) struct Question {
    questions: Questions,
    bytes: usize,
}

impl Questions {
    /// One more, of a request that holds so much; `None` when too many are open. A single one always may be.
    pub(super) fn open(&self, bytes: usize) -> Option<Question> {
        let mut open = self.lock();
        if open.count > 0 && (open.count >= QUESTIONS || open.bytes + bytes > QUESTION_BYTES) {
            return None;
        }
        open.count += 1;
        open.bytes += bytes;
        Some(Question { questions: self.clone(), bytes })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let mut open = self.questions.lock();
        open.count -= 1;
        open.bytes -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{MESSAGE_BYTES, MESSAGE_VALUES, REQUEST_BYTES, REQUESTS, VALUE_BYTES};

    #[test]
    fn questions_leave_room_for_their_answers() {
        let questions = Questions::default();
        let many: Vec<_> = std::iter::repeat_with(|| questions.open(1)).take_while(Option::is_some).collect();
        assert!(many.len() == QUESTIONS && many.len() < REQUESTS);
        drop(many);
        let large = questions.open(QUESTION_BYTES / 2).unwrap();
        assert!(questions.open(QUESTION_BYTES).is_none());
        let rest = questions.open(QUESTION_BYTES / 2).unwrap();
        assert!(questions.open(1).is_none());
        drop((large, rest));
        // Whatever can come as one message can be asked for.
        let largest = MESSAGE_BYTES + MESSAGE_VALUES * VALUE_BYTES;
        assert!(largest < REQUEST_BYTES);
        let _largest = questions.open(largest).unwrap();
        assert!(questions.open(1).is_none());
    }
}
