autocmd BufRead,BufNewFile *.reeve setfiletype reeve
