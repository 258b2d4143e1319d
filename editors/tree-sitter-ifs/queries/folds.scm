[
  (block)
  (list)
  (block_string)
] @fold
