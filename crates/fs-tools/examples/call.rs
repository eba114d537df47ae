//! Makes one tool call in a directory: `cargo run -p fs-tools --example call -- DIR TOOL JSON`.

use fs_tools::{Call, Config, Options, ToolSet, Workspace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [dir, tool, arguments] = words.as_slice() else {
        return Err("usage: call DIR TOOL JSON".into());
    };
    let workspace = Workspace::open(Options::new(dir, Config::default()))?;
    let tools = ToolSet::classic(workspace);
    let reply = tools.call(tool, &serde_json::from_str(arguments)?, &Call::plain());
    std::io::Write::write_all(&mut std::io::stdout(), reply.for_model.as_bytes())?;
    Ok(())
}
