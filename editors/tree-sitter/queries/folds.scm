[(body) (list) (object) (list_for) (object_for) (block_string) (raw_block_string)] @fold
