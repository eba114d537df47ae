#!/usr/bin/env bash
# Lists the tools and calls all six through the TypeScript SDK's inspector in CLI mode, one process a call.
#
# Usage: docs/clients/inspector_session.sh PATH_TO_FS_TOOLS
# Needs Node.js 20 and `npm install @modelcontextprotocol/inspector@0.15.0` in the current directory.
set -euo pipefail
binary=$1
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
inspect() { npx mcp-inspector --cli "$binary" --workspace "$workspace" mcp "$@"; }
call() {
  tool=$1
  shift
  args=()
  for pair in "$@"; do args+=(--tool-arg "$pair"); done
  echo "== $tool"
  inspect --method tools/call --tool-name "$tool" "${args[@]}" | tee "$workspace/.last"
  grep -q '"isError": false' "$workspace/.last"
}
inspect --method tools/list | grep '"name"'
call write_file path=src/a.json 'content={"needle": 1}'
call read_file path=src/a.json
call edit_file path=src/a.json old_text=needle new_text=thread
call append_file path=src/b.txt content=thread
call list_dir path=src
call search_files pattern=thread path=src limit=5
echo "inspector ok"
