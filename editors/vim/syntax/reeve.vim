" Syntax of Reeve configurations.
if exists('b:current_syntax')
  finish
endif
syntax sync fromstart

syntax match reeveName /\<[A-Za-z_]\w*\>/
syntax match reeveProperty /\<[A-Za-z_]\w*\>\ze\s*=[=~]\@!/
syntax match reeveBlock /^\s*\zs[A-Za-z_]\w*\%(\.[A-Za-z_]\w*\)\?\ze\%(\s\+"\|\s*{\)/
syntax match reeveFunction /\<[A-Za-z_]\w*\%(\.[A-Za-z_]\w*\)*\ze(/
syntax match reeveKeyword /\.\@<!\<\%(for\|in\|if\|else\|as\|let\)\>/
syntax match reeveKeyword /^\s*\zs\%(import\|mixin\|use\|for\|if\|else\|test\|plugin\|daemon\|let\)\>\ze\s*[^= \t]/
syntax match reeveKeyword /^\s*\zsparam\>\ze\s\+[A-Za-z_]\w*\s*\%([:=#;}]\|$\)/
syntax match reeveConstant /\.\@<!\<\%(true\|false\|null\)\>/
syntax match reeveNumber /\w\@<!\%(0[xX]\w*\|\d\%(\w\|\.\d\@=\)*\%(\%(\d[eE]\)\@<=[-+]\d\+\)\?\%(%[0-9A-Za-z_("]\@!\)\?\)/
syntax match reeveComment /#.*$/ contains=@Spell
syntax match reeveDocumentation /##.*$/ contains=@Spell

syntax match reeveEscape /\\\%(u{\x*}\|.\)/ contained
syntax region reeveInterpolation matchgroup=reeveDelimiter start=/\${/ end=/}/ contained contains=@reeveExpression
syntax region reeveBraces start=/{/ end=/}/ contained transparent contains=@reeveExpression
syntax region reeveString start=/"/ end=/"\|$/ contains=reeveEscape,reeveInterpolation
syntax match reeveString /\w\@<!r"[^"]*"/
syntax match reeveRegex /\w\@<!re"[^"]*"\w*/
syntax region reeveString start=/"""/ end=/"""/ contains=reeveEscape,reeveInterpolation keepend extend
syntax region reeveString start=/\w\@<!r"""/ end=/"""/
syntax cluster reeveExpression contains=reeveName,reeveFunction,reeveKeyword,reeveConstant,reeveNumber,reeveString,reeveRegex,reeveBraces

highlight default link reeveComment Comment
highlight default link reeveDocumentation SpecialComment
highlight default link reeveString String
highlight default link reeveRegex String
highlight default link reeveEscape SpecialChar
highlight default link reeveDelimiter Delimiter
highlight default link reeveNumber Number
highlight default link reeveConstant Boolean
highlight default link reeveKeyword Keyword
highlight default link reeveBlock Type
highlight default link reeveProperty Identifier
highlight default link reeveFunction Function

let b:current_syntax = 'reeve'
