; A block string names its language: """sh … """.
((block_string (language) @injection.language (text) @injection.content)
  (#set! injection.combined))
((raw_block_string (language) @injection.language (text) @injection.content))
((pattern (regex) @injection.content) (#set! injection.language "regex"))
((comment) @injection.content (#set! injection.language "comment"))
