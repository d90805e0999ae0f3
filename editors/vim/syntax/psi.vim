" Syntax of psic's programs. Made by scripts/editors from psic's tables.
if exists('b:current_syntax')
  finish
endif

syntax iskeyword @,48-57,_,.
syntax keyword psiType i1 i8 i16 i32 i64 f32 f64 ptr
syntax keyword psiForm plain ssa conventional allocated
syntax keyword psiLiteral undef true false null inf nan bits
syntax keyword psiKeyword func extern count if old align counts mispredicted line pointer global const size zero target readnone readonly noreturn nounwind
syntax match psiOpcode /\<\%(add\|sub\|mul\|sdiv\|udiv\|srem\|urem\|and\|or\|xor\|shl\|lshr\|ashr\|smin\|smax\|umin\|umax\|sadd_sat\|uadd_sat\|ssub_sat\|usub_sat\|not\|neg\|abs\|ctpop\|ctlz\|cttz\|bswap\|bitreverse\|fshl\|fshr\|sadd_overflow\|uadd_overflow\|ssub_overflow\|usub_overflow\|smul_overflow\|umul_overflow\|fadd\|fsub\|fmul\|fdiv\|frem\|fmin\|fmax\|copysign\|fneg\|fabs\|sqrt\|floor\|ceil\|ftrunc\|rint\|round\|fma\|cmp\|cmpp\|trunc\|zext\|sext\|fptrunc\|fpext\|fptosi\|fptoui\|sitofp\|uitofp\|bitcast\|ptrtoint\|inttoptr\|mov\|freeze\|select\|phi\|psi\|slot\|ptradd\|ptrindex\|load\|store\|memcpy\|memmove\|memset\|va_start\|va_arg\|va_copy\|va_end\)\%(\.[a-z0-9]\+\)*\>/ contains=psiSuffixType,psiCondition,psiFlag
syntax match psiControl /\<\%(call\|br\|switch\|ret\|unreachable\)\%(\.[a-z0-9]\+\)*\>/ contains=psiSuffixType,psiCondition,psiFlag
syntax match psiSuffixType /\.\zs\%(i1\|i8\|i16\|i32\|i64\|f32\|f64\|ptr\)\ze\%(\.\|\>\)/ contained
syntax match psiCondition /\.\zs\%(eq\|ne\|lt\|le\|gt\|ge\|ult\|ule\|ugt\|uge\|oeq\|one\|olt\|ole\|ogt\|oge\|ord\|ueq\|une\|uno\|un\|uc\|on\|oc\|an\|ac\|cn\|cc\)\ze\%(\.\|\>\)/ contained
syntax match psiFlag /\.\zs\%(volatile\|deref\|fast\)\ze\%(\.\|\>\)/ contained
syntax match psiNumber /\<\%(0x\x\+\|\d\+\%(\.\d\+\)\=\%([eE][-+]\=\d\+\)\=\)\>/
syntax match psiRegister /%\%([A-Za-z0-9_.]\+\|"\%([^"\\]\|\\.\)*"\)/
syntax match psiBlock /@\%([A-Za-z0-9_.]\+\|"\%([^"\\]\|\\.\)*"\)/
syntax match psiSymbol /\$\%([A-Za-z0-9_.]\+\|"\%([^"\\]\|\\.\)*"\)/
syntax match psiString /"\%([^"\\]\|\\.\)*"/
syntax match psiComment /#.*/ contains=@Spell

highlight default link psiComment Comment
highlight default link psiRegister Identifier
highlight default link psiBlock Label
highlight default link psiSymbol Function
highlight default link psiString String
highlight default link psiNumber Number
highlight default link psiOpcode Operator
highlight default link psiControl Statement
highlight default link psiType Type
highlight default link psiCondition Special
highlight default link psiFlag StorageClass
highlight default link psiForm StorageClass
highlight default link psiKeyword Keyword
highlight default link psiLiteral Constant
highlight default link psiSuffixType psiType

let b:current_syntax = 'psi'
