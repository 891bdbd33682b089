//! Plans of operations on a tree, over tokens: after each the door and a resolver without cleverness agree where every path leads,
//! by both of the door's ways.

#[path = "../../tests/it/naive.rs"]
mod naive;

use std::{os::unix::fs::symlink, path::Path, sync::Arc};

use arbitrary::Arbitrary;
use naive::naive;
use outrigger::{
    config::{Config, Place, WorkspaceEntry},
    policy::Law,
    workspace::{Backend, DoorError, Workspace},
};

#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Token {
    A,
    B,
    C,
    Here,
    Up,
    Nothing,
    Root,
    Outside,
}

#[derive(Arbitrary, Debug)]
pub enum Act {
    Folder(Vec<Token>),
    File(Vec<Token>),
    Link(Vec<Token>, Vec<Token>),
    Rename(Vec<Token>, Vec<Token>),
    Remove(Vec<Token>),
    Look(Vec<Token>),
}

fn written(tokens: &[Token], root: &Path) -> String {
    let name = |token: &Token| match token {
        Token::A => "a".to_owned(),
        Token::B => "b".to_owned(),
        Token::C => "c".to_owned(),
        Token::Here => ".".to_owned(),
        Token::Up => "..".to_owned(),
        Token::Nothing => String::new(),
        Token::Root => root.display().to_string(),
        Token::Outside => "/etc".to_owned(),
    };
    tokens.iter().take(6).map(name).collect::<Vec<_>>().join("/")
}

/// Where an operation of the plan acts: plain names only, so that it stays in the tree whatever was linked.
fn place(tokens: &[Token], root: &Path) -> Option<std::path::PathBuf> {
    let names: Option<Vec<&str>> = tokens
        .iter()
        .take(4)
        .map(|token| match token {
            Token::A => Some("a"),
            Token::B => Some("b"),
            Token::C => Some("c"),
            _ => None,
        })
        .collect();
    let names = names.filter(|names| !names.is_empty())?;
    let parent = names[..names.len() - 1].join("/");
    let plain = if parent.is_empty() { ". dir".to_owned() } else { format!("{parent} dir") };
    (naive(root, &parent) == plain).then(|| root.join(names.join("/")))
}

fn told(workspace: &Workspace, path: &str) -> String {
    match workspace.resolve(path) {
        Ok(found) => match found.kind() {
            Some(kind) => format!("{} {}", found.resolved(), kind.as_str()),
            None => format!("{} missing", found.resolved()),
        },
        Err(DoorError::Outside { .. }) => "outside".into(),
        Err(DoorError::NotFound { .. }) => "not found".into(),
        Err(DoorError::WrongType { .. }) => "wrong type".into(),
        Err(error) => panic!("{path}: {error}"),
    }
}

/// What the bytes of a run are read as.
pub type Input = Vec<Act>;

/// One run.
pub fn run(acts: Input) {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path().canonicalize().expect("its name").join("root");
    std::fs::create_dir(&root).expect("a root");
    let entry = WorkspaceEntry {
        id: "ws".into(),
        path: root.clone(),
        read_only: false,
        closed_by: None,
        place: Place::default(),
    };
    let law = Law::new(&Config::default()).expect("the law");
    let open =
        |backend| Workspace::open_with(&entry, Arc::new(law.paths().clone()), backend).expect("a door");
    let doors = [Backend::Fastest, Backend::Walk].map(open);
    for act in acts.iter().take(15) {
        let _ = match act {
            Act::Folder(at) => place(at, &root).map(std::fs::create_dir),
            Act::File(at) => place(at, &root).map(|at| std::fs::write(at, "x")),
            Act::Link(to, at) => place(at, &root).map(|at| symlink(written(to, &root), at)),
            Act::Rename(from, to) => {
                place(from, &root).zip(place(to, &root)).map(|(from, to)| std::fs::rename(from, to))
            }
            Act::Remove(at) => place(at, &root).map(std::fs::remove_file),
            Act::Look(_) => None,
        };
        let Act::Look(path) = act else { continue };
        let path = written(path, &root);
        let path = path.trim_start_matches('/');
        if path.is_empty() || path.contains("root") || path.contains("etc") {
            continue;
        }
        let expected = naive(&root, path);
        for door in &doors {
            assert_eq!(told(door, path), expected, "{path}");
        }
    }
}
