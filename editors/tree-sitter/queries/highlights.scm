; Captures are the names that Neovim, Helix and Zed share.
(comment) @comment
(documentation) @comment.documentation
(string) @string
(block_string) @string
(raw_string) @string
(raw_block_string) @string
(language) @label
(escape) @string.escape
(interpolation ["${" "}"] @punctuation.special)
(pattern) @string.regexp
(number) @number
(boolean) @boolean
(null) @constant.builtin

["let" "import" "as" "mixin" "use" "param"] @keyword
["for" "in"] @keyword
["if" "else"] @keyword
["=" "==" "!=" "=~" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "!" "&&" "||" "??" "?" ":" "=>"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ";"] @punctuation.delimiter

(kind) @type
(type) @type.builtin
(attribute name: (name) @property)
(entry key: (name) @property)
(member name: (name) @property)
(argument name: (name) @variable.parameter)
(let name: (name) @variable)
(param name: (name) @variable.parameter)
(import alias: (name) @module)
(call function: (name) @function)
(disabled) @comment
