[(file) (list_for) (object_for) (for)] @local.scope
(let name: (name) @local.definition)
(for variable: (name) @local.definition)
(list_for variable: (name) @local.definition)
(object_for variable: (name) @local.definition)
(name) @local.reference
