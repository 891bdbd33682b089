//! The real binary over real frames, as a browser drives it.

use std::{
    io::{Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// Long enough for a loaded machine, short enough to notice a hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// A workspace, a configuration and a state folder of a test's own.
pub struct World {
    pub folder: tempfile::TempDir,
}

impl World {
    /// A world whose configuration has the workspace `app` and these lines.
    pub fn new(lines: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder };
        std::fs::create_dir_all(world.workspace()).unwrap();
        let config = format!(
            "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n{lines}\n",
            world.workspace().to_str().unwrap()
        );
        world.configure(&config);
        world
    }

    /// Replaces the configuration.
    pub fn configure(&self, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(self.config(), text).unwrap();
        std::fs::set_permissions(self.config(), std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Writes a file of the workspace.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.workspace().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Reads a file of the workspace.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.workspace().join(path)).unwrap()
    }

    /// The binary with this world's environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outrigger"));
        command.env("OUTRIGGER_CONFIG", self.config()).env("OUTRIGGER_STATE_DIR", self.state());
        // Not the user's own: its start-up files may take seconds, and keep locks in the home folder that a kill drill leaves there.
        command.env("SHELL", "/bin/sh");
        command
    }

    /// A port, as our extension in Chromium opens it.
    pub fn connect(&self) -> Port {
        let own = outrigger::native::caller::own_extensions();
        Port::spawn(self.command().arg(&own[0]))
    }
}

/// An open port to a running host.
pub struct Port {
    pub child: Child,
    input: Option<ChildStdin>,
    bodies: Receiver<Vec<u8>>,
    groups: std::collections::HashMap<String, String>,
    pub next_id: i64,
    /// Notifications and answers to other requests that came meanwhile.
    pub others: Vec<Value>,
}

impl Port {
    pub fn spawn(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let (sender, bodies) = channel();
        thread::spawn(move || {
            loop {
                let mut header = [0; 4];
                if output.read_exact(&mut header).is_err() {
                    return;
                }
                let mut body = vec![0; u32::from_ne_bytes(header) as usize];
                assert!(body.len() <= 1_000_000, "a frame of {} bytes", body.len());
                if output.read_exact(&mut body).is_err() || sender.send(body).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            bodies,
            groups: std::collections::HashMap::new(),
            next_id: 0,
            others: Vec::new(),
        }
    }

    /// Sends raw bytes.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends a body in a frame.
    pub fn send_body(&mut self, body: &[u8]) {
        self.send_raw(&u32::try_from(body.len()).unwrap().to_ne_bytes());
        self.send_raw(body);
    }

    /// Sends a message in a frame.
    pub fn send(&mut self, message: &Value) {
        self.send_body(message.to_string().as_bytes());
    }

    /// The same, where the host may be gone already.
    pub fn try_send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().unwrap();
        let _ = input
            .write_all(&u32::try_from(body.len()).unwrap().to_ne_bytes())
            .and_then(|()| input.write_all(body.as_bytes()));
    }

    /// The next message, joined when it came in chunks; `None` when the host closed its side.
    pub fn receive(&mut self) -> Option<Value> {
        loop {
            let body = match self.bodies.recv_timeout(PATIENCE) {
                Ok(body) => body,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("the host did not answer within {PATIENCE:?}"),
            };
            let value: Value = serde_json::from_slice(&body).unwrap();
            let Some(chunk) = value.get("chunk") else { return Some(value) };
            let id = chunk["id"].as_str().unwrap().to_owned();
            let text = self.groups.entry(id.clone()).or_default();
            text.push_str(chunk["data"].as_str().unwrap());
            if let Some(sum) = chunk["sha256"].as_str() {
                let text = self.groups.remove(&id).unwrap();
                assert_eq!(outrigger::ids::sha256_hex(text.as_bytes()), sum);
                return Some(serde_json::from_str(&text).unwrap());
            }
        }
    }

    /// The answer to the request with this id; what comes before is kept in `others`.
    pub fn answer_to(&mut self, id: &Value) -> Value {
        if let Some(index) = self.others.iter().position(|message| message.get("id") == Some(id)) {
            return self.others.remove(index);
        }
        loop {
            let message = self.receive().expect("the host closed the port instead of answering");
            if message.get("id") == Some(id) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// The answer to the request with this id if it has come already.
    pub fn early_answer(&mut self, id: &Value) -> Option<&Value> {
        while let Ok(body) = self.bodies.try_recv() {
            self.others.push(serde_json::from_slice(&body).unwrap());
        }
        self.others.iter().find(|message| message.get("id") == Some(id))
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer_to(&id)
    }

    /// Sends a request; the answer is taken later with [`Port::answer_to`].
    pub fn begin(&mut self, method: &str, mut params: Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        let meta = params.as_object_mut().unwrap().entry("_meta").or_insert(json!({}));
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "0"});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Says hello and returns the result.
    pub fn hello(&mut self) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello",
            "params": {"client": {"name": "test", "version": "0"}, "protocol": {"min": 1, "max": 1}}}));
        self.answer_to(&json!("hello"))["result"].clone()
    }

    /// Calls a tool and returns the JSON-RPC result, whatever it is.
    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.call_with(name, arguments, json!({}))
    }

    /// The same with `_meta`.
    pub fn call_with(&mut self, name: &str, arguments: Value, meta: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments, "_meta": meta}))["result"]
            .clone()
    }

    /// Calls a tool and allows every plan it asks about; returns the final result.
    pub fn call_allowed(&mut self, name: &str, arguments: Value, meta: Value) -> Value {
        let first = self.call_with(name, arguments.clone(), meta.clone());
        self.answer_plan(name, arguments, meta, &first, json!({"decision": "allow"}))
    }

    /// Answers the plan in `asked` and returns what comes of it.
    pub fn answer_plan(
        &mut self,
        name: &str,
        arguments: Value,
        meta: Value,
        asked: &Value,
        content: Value,
    ) -> Value {
        assert_eq!(asked["resultType"], "input_required", "{asked:#}");
        self.request(
            "tools/call",
            json!({"name": name, "arguments": arguments, "_meta": meta, "requestState": asked["requestState"],
                "inputResponses": {"approval": {"action": "accept", "content": content}}}),
        )["result"]
            .clone()
    }

    /// Closes our side, and goes on reading.
    pub fn end_input(&mut self) {
        drop(self.input.take());
    }

    /// Closes our side and returns how long the host took to end.
    pub fn close(mut self) -> Duration {
        drop(self.input.take());
        let began = Instant::now();
        self.child.wait().unwrap();
        began.elapsed()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
