//! The processes of a run, and the tokens for it.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Failure;
use crate::internal::ask;
use crate::processes::{Process, free_port, resident_kib};
use crate::tools::{POOL, Tool};
use crate::{SERVE, WORK};

const GATEWAYS: usize = 2;
const WORKERS: usize = 4;
const RUN: &str = "soak";

/// All processes, and where their files are.
pub(crate) struct Site {
    folder: TempDir,
    pub(crate) redis_port: u16,
    /// The ports of the gateways: for clients, and for services.
    pub(crate) ports: Vec<(u16, u16)>,
    processes: Mutex<Processes>,
    problems: Mutex<Vec<String>>,
    most: Mutex<Memory>,
    /// For workers and for the upstream servers.
    pub(crate) tokens: Vec<String>,
    operator: String,
}

/// The processes; `None` while one is being started.
pub(crate) struct Processes {
    pub(crate) redis: Option<Process>,
    pub(crate) gateways: Vec<Option<Process>>,
    pub(crate) workers: Vec<Option<Process>>,
}

/// The resident memory of processes in KiB, by kind.
pub(crate) type Memory = BTreeMap<&'static str, Vec<u64>>;

impl Site {
    pub(crate) fn start() -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("upstreams"))?;
        std::fs::write(folder.path().join("ledger"), "")?;
        let ports =
            (0..GATEWAYS).map(|_| Ok((free_port()?, free_port()?))).collect::<Result<_, Failure>>()?;
        let processes = Processes { redis: None, gateways: Vec::new(), workers: Vec::new() };
        let mut site = Self {
            folder,
            redis_port: free_port()?,
            ports,
            processes: Mutex::new(processes),
            problems: Mutex::default(),
            most: Mutex::default(),
            tokens: Vec::new(),
            operator: String::new(),
        };
        site.write_config()?;
        let engine =
            site.service_key(&["engine", "--org", "acme", "--right", "register", "--right", "sessions"])?;
        site.operator = site.service_key(&["operator", "--all-orgs", "--right", "read"])?;
        let redis = site.start_redis()?;
        site.processes().redis = Some(redis);
        for number in 0..GATEWAYS {
            let gateway = site.start_gateway(number)?;
            site.processes().gateways.push(Some(gateway));
        }
        for _ in 0..WORKERS {
            let worker = site.start_worker()?;
            site.processes().workers.push(Some(worker));
        }
        let of_run = site.register(&engine)?;
        let of_servers = site.command(&["sessions", "mint", "--url", &site.url(), "--server", "desk"])?;
        site.tokens = vec![of_run, of_servers];
        Ok(site)
    }

    /// The URL that tokens name.
    fn url(&self) -> String {
        self.url_of(0)
    }

    pub(crate) fn url_of(&self, gateway: usize) -> String {
        format!("http://127.0.0.1:{}/mcp/gateway", self.ports[gateway].0)
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.folder.path().join("ledger")
    }

    fn redis_url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.redis_port)
    }

    pub(crate) fn processes(&self) -> MutexGuard<'_, Processes> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records something that must not happen.
    pub(crate) fn report(&self, problem: String) {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write_config(&self) -> Result<(), Failure> {
        let program = std::env::current_exe()?;
        let desk =
            json!({"command": program, "args": [SERVE, self.ledger(), self.folder.path().join("upstreams")]});
        let config = json!({"mcpServers": {"desk": desk}});
        Ok(std::fs::write(self.folder.path().join("mcp.json"), config.to_string())?)
    }

    fn service_key(&self, words: &[&str]) -> Result<String, Failure> {
        self.command(&[&["keys", "service"], words].concat())
    }

    /// What `cargo mcp gateway` prints, with the folder of keys.
    fn command(&self, words: &[&str]) -> Result<String, Failure> {
        let output =
            gateway_program()?.args(words).args(["--state", "state"]).current_dir(&self.folder).output()?;
        if !output.status.success() {
            return Err(format!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Opens the run, registers its tools, and returns a token for them.
    fn register(&self, key: &str) -> Result<String, Failure> {
        let post = |path: &str, body: &Value| ask(self.ports[0].1, key, ("POST", path), &body.to_string());
        post("runs", &json!({"run": RUN, "ttlSeconds": 7_200}))?;
        let tools = Tool::ALL.into_iter().map(|(tool, _)| tool).filter(|tool| *tool != Tool::Desk);
        let mut nodes = Vec::new();
        for tool in tools {
            let node = json!({
                "run": RUN, "node": tool.name(), "kind": "component", "pool": POOL, "tool": tool.definition()
            });
            post("tools", &node)?;
            nodes.push(tool.name());
        }
        let session = post("sessions", &json!({"run": RUN, "node": "agent", "nodes": nodes}))?;
        Ok(session["token"].as_str().ok_or("there is no token")?.to_owned())
    }

    /// What is known of a call, by its id.
    pub(crate) fn record(&self, call: &str) -> Result<Value, Failure> {
        ask(self.ports[0].1, &self.operator, ("GET", &format!("calls/{call}")), "")
    }

    pub(crate) fn start_redis(&self) -> Result<Process, Failure> {
        let mut command = Command::new("redis-server");
        command.args(["--port", &self.redis_port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.args(["--appendonly", "yes", "--appendfsync", "everysec"]).current_dir(&self.folder);
        let process = Process::start(&mut command)?;
        let ends = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", self.redis_port)).is_err() {
            if Instant::now() > ends {
                return Err("redis-server does not listen".into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(process)
    }

    pub(crate) fn start_gateway(&self, number: usize) -> Result<Process, Failure> {
        let (port, internal) = self.ports[number];
        let mut command = gateway_program()?;
        command.args([
            "--http",
            &format!("127.0.0.1:{port}"),
            "--internal",
            &format!("127.0.0.1:{internal}"),
        ]);
        command.args(["--config", "mcp.json", "--state", "state", "--url", &self.url()]);
        command.args(["--store", &self.redis_url()]).current_dir(&self.folder);
        Process::start_until(&mut command, "services at ")
    }

    pub(crate) fn start_worker(&self) -> Result<Process, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        Process::start(command.arg(WORK).arg(self.redis_url()).arg(self.ledger()))
    }

    /// Starts a gateway as a supervisor does: again, if it ends because Redis cannot be reached.
    pub(crate) fn keep_gateway(&self, number: usize) -> Result<(), Failure> {
        let ends = Instant::now() + Duration::from_mins(1);
        loop {
            match self.start_gateway(number) {
                Ok(gateway) => {
                    self.processes().gateways[number] = Some(gateway);
                    return Ok(());
                }
                Err(error) if Instant::now() > ends => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(200)),
            }
        }
    }

    /// Starts processes again that have ended by themselves, which none should do.
    pub(crate) fn restart_ended(&self) {
        let ended = |place: &mut Option<Process>| {
            let has_ended = place.as_mut().is_some_and(Process::has_ended);
            if has_ended {
                *place = None;
            }
            has_ended
        };
        let mut processes = self.processes();
        let gateways: Vec<bool> = processes.gateways.iter_mut().map(ended).collect();
        let workers: Vec<bool> = processes.workers.iter_mut().map(ended).collect();
        drop(processes);
        for (kind, all) in [("gateway", &gateways), ("worker", &workers)] {
            for number in (0..all.len()).filter(|number| all[*number]) {
                self.report(format!("a {kind} has ended by itself"));
                let started = match kind {
                    "gateway" => self.keep_gateway(number),
                    _ => self.start_worker().map(|worker| self.processes().workers[number] = Some(worker)),
                };
                if let Err(error) = started {
                    self.report(error.to_string());
                }
            }
        }
    }

    /// The process ids of the upstream servers.
    pub(crate) fn upstreams(&self) -> Vec<u32> {
        let folder = std::fs::read_dir(self.folder.path().join("upstreams"));
        let names = folder.into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter_map(|name| name.to_str()?.parse().ok()).collect()
    }

    /// Forgets an upstream server that was killed.
    pub(crate) fn forget_upstream(&self, id: u32) {
        _ = std::fs::remove_file(self.folder.path().join("upstreams").join(id.to_string()));
    }

    pub(crate) fn memory(&self) -> Memory {
        let ids = |processes: &[Option<Process>]| -> Vec<u32> {
            processes.iter().flatten().map(Process::id).collect()
        };
        let (gateways, workers, redis) = {
            let processes = self.processes();
            let redis = processes.redis.iter().map(Process::id).collect::<Vec<_>>();
            (ids(&processes.gateways), ids(&processes.workers), redis)
        };
        let all =
            [("gateways", gateways), ("workers", workers), ("redis", redis), ("upstreams", self.upstreams())];
        all.into_iter()
            .map(|(kind, ids)| (kind, ids.into_iter().filter_map(resident_kib).collect()))
            .collect()
    }

    /// Remembers the memory of each kind where it is the largest so far.
    pub(crate) fn observe(&self) {
        let now = self.memory();
        let mut most = self.most.lock().unwrap_or_else(PoisonError::into_inner);
        for (kind, all) in now {
            let known = most.entry(kind).or_default();
            known.extend(all);
            *known = known.iter().max().copied().into_iter().collect();
        }
    }

    pub(crate) fn most_memory(&self) -> Memory {
        self.most.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends all processes: gateways first, gracefully, since they end their servers.
    pub(crate) fn stop(self) {
        let mut processes = self.processes();
        for gateway in processes.gateways.iter_mut().flatten() {
            gateway.terminate();
        }
        processes.gateways.clear();
        processes.workers.clear();
        processes.redis = None;
    }
}

/// `cargo mcp gateway`, which was built before this program was started.
fn gateway_program() -> Result<Command, Failure> {
    let program = std::env::current_exe()?.with_file_name("cargo-mcp");
    if !program.is_file() {
        return Err(format!(
            "{} does not exist: build toolwright-cli with the same profile",
            program.display()
        )
        .into());
    }
    let mut command = Command::new(program);
    command.args(["mcp", "gateway"]);
    Ok(command)
}
