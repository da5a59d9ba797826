-- Files of Reeve, and the language server for their buffers.
if vim.g.loaded_reeve then
  return
end
vim.g.loaded_reeve = true

local group = vim.api.nvim_create_augroup('reeve', {})
vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = '*.reeve',
  command = 'setfiletype reeve',
})
vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'reeve',
  callback = function(event)
    require('reeve').start(event.buf)
  end,
})
