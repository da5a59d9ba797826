(block kind: (kind) label: (string (text) @name)) @definition.class
(let name: (name) @name) @definition.constant
(mixin label: (string (text) @name)) @definition.macro
