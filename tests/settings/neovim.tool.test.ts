/** Settings reach a server that runs in a real editor: Neovim, set up as the README says. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ava from "ava";
import { folder } from "../../cli/testing/reeve.js";
import { running } from "../../cli/testing/running.js";
import { child } from "../support/child.js";
import { REEVE } from "../support/commands.js";
import { eventually, within } from "../support/eventually.js";
import { needs, program } from "../support/needs.js";
import { programPath, programs } from "../support/programs.js";

const test = needs(ava, program("nvim", "Neovim"), programs);

const SERVER = "vscode-json-languageserver/bin/vscode-json-languageserver";

/** Records what the editor shows at each change, until it is stopped. */
const script = (cwd: string, command: readonly string[]) => `
local client
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'json',
  callback = function()
    client = client or vim.lsp.start_client({
      name = 'json',
      cmd = { ${command.map((word) => JSON.stringify(word)).join(", ")} },
      root_dir = vim.fn.getcwd(),
    })
    vim.lsp.buf_attach_client(0, client)
  end,
})
vim.api.nvim_create_autocmd('DiagnosticChanged', {
  callback = function()
    local shown = {}
    for _, each in ipairs(vim.diagnostic.get(0)) do
      table.insert(shown, (each.lnum + 1) .. ':' .. (each.col + 1) .. ' ' .. each.message)
    end
    vim.fn.writefile({ table.concat(shown, '; ') }, '${join(cwd, "shown")}')
  end,
})
vim.cmd('edit a.json')
vim.cmd('set filetype=json')
vim.wait(100000, function() return vim.fn.filereadable('${join(cwd, "leave")}') == 1 end, 20)
vim.cmd('qa!')
`;

test("Neovim shows what a server says with the settings that were just saved", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, {
    "main.reeve": `settings "json" {
  schema = "./json.schema.json"
  watch = ["./json.json5"]
  debounce = 5ms
}
`,
    "json.schema.json": '{"properties": {"schemas": {"type": "array", "default": []}}}',
    "json.json5": "{}",
    "a.json": '{"level": "high"}\n',
  });
  const daemon = await running(t, cwd);
  const proxy = [process.execPath, REEVE, "settings", "proxy", "--control", daemon.socket];
  const command = [
    ...proxy,
    "--name",
    "json",
    "--",
    process.execPath,
    await programPath(SERVER),
    "--stdio",
  ];
  writeFileSync(join(cwd, "init.lua"), script(cwd, command));
  const nvim = child(t, "nvim", ["--headless", "--clean", "-c", "luafile init.lua"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, XDG_STATE_HOME: cwd },
    stdio: "ignore",
  });
  // It ends its server, which leads a group of its own.
  t.teardown(async () => {
    writeFileSync(join(cwd, "leave"), "");
    await within("the end of Neovim", nvim.ended, 15_000).catch(() => undefined);
  });
  const shown = (text: RegExp): Promise<string> =>
    eventually(`${text}`, () => {
      const seen = readFileSync(join(cwd, "shown"), "utf8");
      return text.test(seen) ? seen : undefined;
    });
  const wants = (type: string) =>
    `{ schemas: [{ fileMatch: ['*.json'], uri: 'x://y', schema: { properties: { level: { type: '${type}' } } } }] }`;
  writeFileSync(join(cwd, "json.json5"), wants("number"));
  t.regex(await shown(/number/), /^1:11 Incorrect type/);
  writeFileSync(join(cwd, "json.json5"), wants("string"));
  t.is(await shown(/^\n$/), "\n");
});
