"""A whole session with `fs-tools mcp` through the Python SDK: list, call all six tools, answer a question, read a
resource, cancel a search.

Usage: python docs/clients/python_session.py PATH_TO_FS_TOOLS [legacy|auto]
Needs `pip install "mcp>=2.3,<3"`. Prints one line a step and `session ok`.
"""

import asyncio
import os
import sys
import tempfile

from mcp import Client, StdioServerParameters, types
from mcp.client.stdio import stdio_client

asked = []


async def answer(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
    asked.append(params.message)
    return types.ElicitResult(action="accept", content={"confirm": len(asked) > 1})


async def main(binary: str, mode: str) -> None:
    with tempfile.TemporaryDirectory() as workspace:
        for n in range(200):
            with open(os.path.join(workspace, f"big{n}.txt"), "w") as out:
                out.write(("x" * 2000 + "\n") * 150)
        server = StdioServerParameters(command=binary, args=["--workspace", workspace, "mcp"])
        async with Client(stdio_client(server), mode=mode, elicitation_callback=answer) as client:
            print("protocol", client.protocol_version)
            tools = await client.list_tools()
            print("tools", ", ".join(tool.name for tool in tools.tools))
            assert len(tools.tools) == 6

            async def call(name: str, **arguments: object) -> str:
                result = await client.call_tool(name, arguments)
                text = result.content[0].text
                print(name, "->", text.splitlines()[0][:90])
                assert not result.is_error, text
                return text

            await call("write_file", path="src/a.json", content='{"needle": 1}\n')
            await call("read_file", path="src/a.json")
            await call("edit_file", path="src/a.json", old_text="1", new_text="2")
            await call("append_file", path="src/b.txt", content="needle\n")
            await call("list_dir", path="src")
            found = await call("search_files", pattern="needle", path="src")
            assert "src/a.json:1:" in found and "src/b.txt:1: needle" in found

            refused = await client.call_tool("read_file", {"path": "../outside"})
            assert refused.is_error and "next step: " in refused.content[0].text
            print("refusal ->", refused.content[0].text.splitlines()[0])

            hook = {"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n"}
            declined = await client.call_tool("write_file", hook)
            assert declined.is_error and "(declined)" in declined.content[0].text, declined
            allowed = await client.call_tool("write_file", hook)
            assert not allowed.is_error and len(asked) == 2, allowed
            print("asked ->", asked[1])

            with open(os.path.join(workspace, "note.txt"), "w") as out:
                out.write("as a resource\n")
            resource = await client.read_resource("file://" + os.path.realpath(workspace) + "/note.txt")
            assert resource.contents[0].text == "as a resource\n", resource
            print("resource ->", resource.contents[0].mime_type)

            slow = asyncio.create_task(client.call_tool("search_files", {"pattern": "(x+x+)+y$"}))
            await asyncio.sleep(0.02)
            slow.cancel()
            try:
                await slow
                print("the search ended before it could be cancelled")
            except asyncio.CancelledError:
                print("cancelled one search")
            await call("list_dir", path="src")
    print("session ok")


asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "auto"))
