" Syntax of descriptions of targets. Made by scripts/editors from psic's tables.
if exists('b:current_syntax')
  finish
endif

syntax match psitargetKey /^\s*[a-z-]\+/
syntax match psitargetText /\%(^\s*summary\s\+\)\@<=[^#]*/
syntax match psitargetSection /^\s*\[\%(predication\|issue\|latency\|branch\|registers\|immediate\|address\)\]/
syntax match psitargetNumber /\%(^\|[ \t.]\)\@1<=-\=\d\+\%(\.\.\|[ \t#]\|$\)\@=/
syntax match psitargetComment /#.*/ contains=@Spell

highlight default link psitargetKey Identifier
highlight default link psitargetText String
highlight default link psitargetSection Statement
highlight default link psitargetNumber Number
highlight default link psitargetComment Comment

let b:current_syntax = 'psitarget'
