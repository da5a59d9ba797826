/** `reeve lsp` in a real editor: Neovim with the package in editors/neovim. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ava from "ava";
import { run } from "../support/child.js";
import { REEVE } from "../support/commands.js";
import { folder } from "../support/folder.js";
import { needs, program } from "../support/needs.js";

const test = needs(ava, program("nvim", "Neovim"));

/**
 * Opens a file without a server and with one, types a mistake, asks for a completion and for documentation, opens another file
 * of the configuration, and writes down what it gets.
 */
const script = (command: readonly string[]) => `
local found = {}
vim.notify = function(message) table.insert(found, 'notice ' .. message) end
vim.opt.runtimepath:prepend(vim.env.REEVE_NEOVIM)
vim.cmd('runtime plugin/reeve.lua')
local reeve = require('reeve')
reeve.setup({ cmd = { '/no/such/reeve', 'lsp' } })
vim.cmd('edit main.reeve')
vim.cmd('edit main.reeve')
reeve.setup({ cmd = { ${command.map((word) => JSON.stringify(word)).join(", ")} } })
vim.cmd('edit! main.reeve')
table.insert(found, 'filetype ' .. vim.bo.filetype)
local function clients() return vim.tbl_keys(vim.lsp.buf_get_clients(0)) end
local function diagnostics() return #vim.diagnostic.get(0) end
vim.wait(60000, function() return #clients() == 1 end, 20)
local client = clients()[1]
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
vim.cmd('write')
vim.cmd('edit teams/a.reeve')
vim.wait(60000, function() return #clients() == 1 end, 20)
table.insert(found, clients()[1] == client and 'same client' or 'another client')
vim.fn.writefile(found, 'found')
vim.cmd('qa!')
`;

test("Neovim shows diagnostics, documentation and completions of a configuration", async (t) => {
  t.timeout(180_000);
  const command = [process.execPath, REEVE, "lsp"];
  const cwd = folder(t, {
    "main.reeve":
      'hook "deploy" {\n  timeout = 10m\n  \n  run = ["true"]\n}\nhook_server "main" { listen = "127.0.0.1:0" }\nimport "teams/*.reeve"\n',
    "teams/a.reeve": "",
    "init.lua": script(command),
  });
  await run("nvim", ["--headless", "--clean", "-c", "luafile init.lua"], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      XDG_STATE_HOME: cwd,
      REEVE_NEOVIM: join(process.cwd(), "editors/neovim"),
    },
  });
  const [notice = "", filetype, wrong = "", hover = "", ...rest] = readFileSync(
    join(cwd, "found"),
    "utf8",
  )
    .trim()
    .split("\n");
  t.regex(notice, /^notice reeve: there is no program `\/no\/such\/reeve`/);
  t.is(filetype, "filetype reeve");
  t.regex(wrong, /^2:3 .*timeot.*timeout/);
  t.regex(hover, /^\*\*timeout\*\*: a duration/);
  t.deepEqual(rest, ["completion concurrency", "same client"]);
});
