-- Starts `reeve lsp` for buffers of Reeve configurations. Works from Neovim 0.7 on.
local M = {}

local config = {
  cmd = { 'reeve', 'lsp' },
  -- See docs/editors.md. A declared plugin is code of the workspace.
  init_options = { trustPlugins = false, inlayHints = true },
}

-- Client ids by root directory, for versions without `vim.lsp.start`.
local clients = {}
local has_warned = false

--- `options` is merged over the defaults: `cmd`, `init_options`, `on_attach`, `capabilities` and all else of `vim.lsp.start`.
function M.setup(options)
  config = vim.tbl_deep_extend('force', config, options or {})
end

--- The directory of the nearest `main.reeve` upwards; else the file's own.
function M.root(file)
  local directory = vim.fn.fnamemodify(file, ':p:h')
  local main = vim.fn.findfile('main.reeve', vim.fn.escape(directory, ' ,;\\') .. ';')
  return main == '' and directory or vim.fn.fnamemodify(main, ':p:h')
end

--- Attaches a client to the buffer. Buffers with the same root share one.
function M.start(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == '' or vim.bo[buffer].buftype ~= '' then
    return
  end
  if vim.fn.executable(config.cmd[1]) == 0 then
    if not has_warned then
      has_warned = true
      local message = 'reeve: there is no program `' .. config.cmd[1] .. '`. Install Reeve, or name it: '
      vim.notify(message .. "require('reeve').setup({ cmd = { '/path/to/reeve', 'lsp' } })", vim.log.levels.WARN)
    end
    return
  end
  local root = M.root(file)
  local options = vim.tbl_extend('force', { name = 'reeve', root_dir = root }, config)
  if vim.lsp.start then
    vim.lsp.start(options, { bufnr = buffer })
    return
  end
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(options)
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

return M
