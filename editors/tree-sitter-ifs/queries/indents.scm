[(block) (list) (arguments)] @indent.begin
["}" "]" ")"] @indent.end @indent.branch
