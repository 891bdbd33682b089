//! A resolver that a reader can check by eye: one name after the other, with the standard library. It knows of no races and no rules;
//! the door is compared with it here and in `fuzz/`.

use std::path::Path;

/// The simplest resolver there is: works on strings, one link at a time, on a tree that nobody changes.
pub fn naive(root: &Path, path: &str) -> String {
    let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut at: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(step) = ahead.pop() {
        let here = root.join(at.join("/"));
        match step.as_str() {
            "" | "." => {}
            ".." => {
                if at.pop().is_none() {
                    return "outside".into();
                }
            }
            name => match std::fs::symlink_metadata(here.join(name)) {
                Err(_) => {
                    let rest: Vec<&String> =
                        ahead.iter().rev().filter(|step| *step != "." && !step.is_empty()).collect();
                    if rest.iter().any(|step| *step == "..") {
                        return "not found".into();
                    }
                    at.push(name.into());
                    at.extend(rest.into_iter().cloned());
                    return format!("{} missing", at.join("/"));
                }
                Ok(data) if data.is_symlink() => {
                    links += 1;
                    if links > 40 {
                        return "outside".into();
                    }
                    let target = std::fs::read_link(here.join(name)).unwrap();
                    let mut target = target.to_str().unwrap().to_owned();
                    if target.starts_with('/') {
                        // The root itself is inside, too; `//` and `/./` are nothing on the way to it.
                        let (steps, own) = (steps(&target), steps(&root.display().to_string()));
                        let Some(rest) = steps.strip_prefix(own.as_slice()) else {
                            return "outside".into();
                        };
                        target = rest.join("/");
                        at.clear();
                    }
                    ahead.extend(target.split('/').rev().map(str::to_owned));
                }
                Ok(data) if data.is_dir() => at.push(name.into()),
                Ok(_) => {
                    if ahead.iter().any(|step| step != "." && !step.is_empty()) {
                        return "wrong type".into();
                    }
                    at.push(name.into());
                    return format!("{} file", at.join("/"));
                }
            },
        }
    }
    if at.is_empty() { ". dir".into() } else { format!("{} dir", at.join("/")) }
}

fn steps(path: &str) -> Vec<String> {
    path.split('/').filter(|step| !step.is_empty() && *step != ".").map(str::to_owned).collect()
}
