" Made by scripts/editors from psic's tables.
autocmd BufNewFile,BufRead *.psi setfiletype psi
" Others have files of this name.
autocmd BufNewFile,BufRead *.target if search('^machine\s', 'nw') | set filetype=psitarget | endif
