/** `reeve lsp` in a real editor: Neovim, set up as docs/editors.md says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ava from "ava";
import { folder } from "../../cli/testing/reeve.js";
import { needs, program } from "../needs.js";

const test = needs(ava, program("nvim", "Neovim"));

const BIN = fileURLToPath(new URL("../../cli/reeve.js", import.meta.url));

/** Types a mistake, asks for a completion and for documentation, and writes down what it gets. */
const script = (command: readonly string[]) => `
vim.filetype = vim.filetype or {}
vim.cmd('edit main.reeve')
vim.cmd('set filetype=reeve')
local client = vim.lsp.start_client({
  name = 'reeve',
  cmd = { ${command.map((word) => JSON.stringify(word)).join(", ")} },
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, client)
local found = {}
local function diagnostics() return #vim.diagnostic.get(0) end
vim.wait(60000, function() return vim.lsp.buf_get_clients(0)[client] ~= nil end, 20)
vim.api.nvim_buf_set_lines(0, 1, 2, false, { '  timeot = 10m' })
vim.wait(60000, function() return diagnostics() == 1 end, 20)
for _, each in ipairs(vim.diagnostic.get(0)) do
  table.insert(found, (each.lnum + 1) .. ':' .. (each.col + 1) .. ' ' .. each.message:gsub('\\n', ' '))
end
vim.api.nvim_buf_set_lines(0, 1, 2, false, { '  timeout = 10m' })
vim.wait(60000, function() return diagnostics() == 0 end, 20)
local function ask(method, line, character)
  local answers = vim.lsp.buf_request_sync(0, method, {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = line, character = character },
  }, 60000)
  for _, answer in pairs(answers) do return answer.result end
end
table.insert(found, vim.split(ask('textDocument/hover', 1, 4).contents.value, '\\n')[1])
for _, item in ipairs(ask('textDocument/completion', 2, 2)) do
  if item.label == 'concurrency' then table.insert(found, 'completion ' .. item.label) end
end
vim.fn.writefile(found, 'found')
vim.cmd('qa!')
`;

test("Neovim shows diagnostics, documentation and completions of a configuration", async (t) => {
  t.timeout(180_000);
  const command = [process.execPath, BIN, "lsp"];
  const cwd = folder(t, {
    "main.reeve":
      'hook "deploy" {\n  timeout = 10m\n  \n  run = ["true"]\n}\nhook_server "main" { listen = "127.0.0.1:0" }\n',
    "init.lua": script(command),
  });
  const nvim = spawn("nvim", ["--headless", "--clean", "-c", "luafile init.lua"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, XDG_STATE_HOME: cwd },
    stdio: "ignore",
  });
  const closed = once(nvim, "close");
  t.teardown(async () => {
    nvim.kill("SIGKILL");
    await closed;
  });
  await closed;
  const found = readFileSync(join(cwd, "found"), "utf8").trim().split("\n");
  t.is(found.length, 3);
  t.regex(found[0] ?? "", /^2:3 .*timeot.*timeout/);
  t.regex(found[1] ?? "", /^\*\*timeout\*\*: a duration/);
  t.is(found[2], "completion concurrency");
});
