//! Where the git tools work: on a thread that can open nothing outside the workspace.
//!
//! gix and libgit2 open by names, and what a name leads to can be changed in between by whoever may write in the workspace. What was
//! refused for that looks like any other damage of a repository, so an error is told as what it may be.

use crate::{
    tools::{AnyTool, Call, Code, ToolError},
    workspace::{
        confined,
        repository::{RepositoryError, Still, watched},
    },
};

/// What the work is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools) enum Step {
    /// Only reads: an answer about another repository is none.
    Read,
    /// Changes something: what is done is done.
    Write,
}

/// Does the work of a git tool.
pub(in crate::tools) fn confined<T: Send>(
    call: &Call,
    step: Step,
    work: impl FnOnce() -> Result<T, ToolError> + Send,
) -> Result<T, ToolError> {
    let done = confined::within(call.workspace.handle(), || {
        let (result, still) = watched(work);
        match told(result, &still, step) {
            Err(error) if may_come_of_settings(error.code) && confined::settings_have_changed() => {
                Err(settings_changed(&error))
            }
            result => result,
        }
    });
    done.unwrap_or_else(|error| Err(ToolError::no_thread(&error)))
}

/// Does all of a call that reads a repository on one thread: to change to another takes as long as many a read.
pub fn on_one_thread<T: Send>(
    tool: &dyn AnyTool,
    call: &Call,
    work: impl FnOnce() -> Result<T, ToolError> + Send,
) -> Result<T, ToolError> {
    if !tool.reads_by_name() {
        return work();
    }
    let done = confined::within(call.workspace.handle(), work);
    done.unwrap_or_else(|error| Err(ToolError::no_thread(&error)))
}

fn told<T>(result: Result<T, ToolError>, still: &Still, step: Step) -> Result<T, ToolError> {
    let replaced = |path: &String| RepositoryError::Replaced { path: path.clone() }.into();
    match (result, step) {
        (Ok(_), Step::Read) if let Some(path) = &still.replaced => Err(replaced(path)),
        (Err(error), Step::Read)
            if let Some(path) = &still.touched
                && may_come_of_it(error.code) =>
        {
            Err(replaced(path))
        }
        // Our own changes touch it.
        (Err(error), Step::Write)
            if let Some(path) = &still.replaced
                && may_come_of_it(error.code) =>
        {
            Err(replaced(path))
        }
        (result, _) => result,
    }
}

/// What a library says where it may not open a file of the user's own settings that has just taken the place of another.
fn may_come_of_settings(code: Code) -> bool {
    may_come_of_it(code) || matches!(code, Code::Busy | Code::InvalidArgs)
}

fn settings_changed(error: &ToolError) -> ToolError {
    let told = ToolError::new(
        Code::Stale,
        format!("the user's own settings of git changed meanwhile, and could not be read: {}", error.message),
        "call it again; after a change, git_status says how far it came",
    );
    ToolError { retryable: true, ..told }
}

/// What a library says where a part of a repository is not there, or not to be opened.
fn may_come_of_it(code: Code) -> bool {
    matches!(code, Code::Internal | Code::NotARepo | Code::PermissionDenied | Code::BadRevision)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(result: Result<(), Code>, (replaced, touched): (bool, bool), step: Step) -> Result<(), Code> {
        let path = |is_it: bool| is_it.then(|| "sub".to_owned());
        let still = Still { replaced: path(replaced), touched: path(touched) };
        let told = told(result.map_err(|code| ToolError::new(code, "", "")), &still, step);
        told.map_err(|error| {
            assert_eq!(error.retryable, error.code == Code::Stale);
            error.code
        })
    }

    #[test]
    fn an_answer_about_another_repository_is_none() {
        assert_eq!(check(Ok(()), (true, true), Step::Read), Err(Code::Stale));
        assert_eq!(check(Ok(()), (false, true), Step::Read), Ok(()));
        assert_eq!(check(Ok(()), (true, true), Step::Write), Ok(()));
    }

    #[test]
    fn an_error_that_comes_of_a_change_says_so() {
        assert_eq!(check(Err(Code::NotARepo), (false, true), Step::Read), Err(Code::Stale));
        assert_eq!(check(Err(Code::Internal), (false, true), Step::Read), Err(Code::Stale));
        assert_eq!(check(Err(Code::Internal), (false, false), Step::Read), Err(Code::Internal));
        assert_eq!(check(Err(Code::NotFound), (true, true), Step::Read), Err(Code::NotFound));
        assert_eq!(check(Err(Code::NotARepo), (false, true), Step::Write), Err(Code::NotARepo));
        assert_eq!(check(Err(Code::NotARepo), (true, true), Step::Write), Err(Code::Stale));
    }
}
