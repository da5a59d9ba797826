[(body) (list) (object) (list_for) (object_for) (group) (arguments)] @indent.begin
["}" "]" ")"] @indent.branch @indent.end
[(block_string) (raw_block_string) (comment) (documentation)] @indent.ignore
