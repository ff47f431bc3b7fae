//! A Chromium without a window, driven over pipes by the DevTools protocol.
//!
//! Messages are JSON texts that end in a zero byte, to the browser on its descriptor 3 and from
//! it on 4. A shell moves standard input and output there.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// The browser to be used; `None`, said loudly, if there is none.
pub fn browser() -> Option<PathBuf> {
    let given = std::env::var_os("DERNY_CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = || {
        std::env::split_paths(&path)
            .flat_map(|folder| NAMES.map(|name| folder.join(name)))
            .find(|file| file.is_file())
    };
    let found = given.or_else(on_path);
    if found.is_none() {
        let is_required = std::env::var_os("DERNY_REQUIRE_CHROMIUM").is_some_and(|it| it == "1");
        assert!(!is_required, "DERNY_REQUIRE_CHROMIUM=1, and no Chromium");
        // Past the capture of test output, so that it is seen.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no Chromium");
    }
    found
}

pub struct Chromium {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    last: u64,
    session: Option<String>,
    /// What came between answers.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Chromium {
    pub fn start(browser: &Path) -> Self {
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let mut folder = std::ffi::OsString::from("--user-data-dir=");
        folder.push(profile.path());
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#)
            .arg("sh")
            .arg(browser)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
            .args([
                "--no-first-run",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ])
            .args(["--remote-debugging-pipe"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut chromium = Chromium {
            child,
            to,
            from,
            last: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        };
        let target = chromium.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = chromium.call("Target.attachToTarget", attach);
        chromium.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            chromium.call(&format!("{domain}.enable"), json!({}));
        }
        chromium
    }

    /// Calls a method, and waits for its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let to = self.to.as_mut().expect("it is open");
        to.write_all(&bytes).expect("the browser listens");
        loop {
            let mut bytes = Vec::new();
            self.from
                .read_until(0, &mut bytes)
                .expect("the browser speaks");
            assert_eq!(bytes.pop(), Some(0), "the browser has ended");
            let mut answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == self.last {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].take()
    }

    /// Opens a page, and waits until it is ready.
    pub fn open(&mut self, page: &Path, fragment: &str) {
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.events.clear();
        let url = format!("file://{}{fragment}", page.display());
        self.call("Page.navigate", json!({"url": url}));
        self.wait_for("document.documentElement?.dataset.ready === 'true'");
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, condition: &str) {
        let begin = Instant::now();
        while self.evaluate(condition) != true {
            let seen = self.complaints();
            assert!(
                begin.elapsed() < Duration::from_secs(30),
                "{condition}: {seen:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Presses a key, as a user does.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Home" => 36,
            "End" => 35,
            "Enter" => 13,
            "Escape" => 27,
            other => other.to_ascii_uppercase().as_bytes()[0],
        };
        let mut down = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        if key.len() == 1 {
            down["text"] = json!(key);
        }
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Presses and moves the mouse: `mousePressed`, `mouseMoved`, `mouseReleased`.
    pub fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let event = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1
        });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// The size of the window, and whether it is dark.
    pub fn resize(&mut self, width: u32, is_dark: bool) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Messages on the console, and requests for anything but the page itself.
    pub fn complaints(&self) -> Vec<&Value> {
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded") => true,
            Some("Network.requestWillBeSent") => event["params"]["type"] != "Document",
            _ => false,
        };
        self.events.iter().filter(is_complaint).collect()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It ends when its pipe is closed; if it does not, it is made to.
        self.to = None;
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(5) {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
