; The lists of words are written by tests/suite/editors.rs from the tables of the language.

(identifier) @variable
(member name: (identifier) @property)
(call name: (identifier) @function)
(field name: (identifier) @property)

((identifier) @keyword
  (#any-of? @keyword
    "add" "after" "against" "alias" "alike" "all" "allow" "anchors" "answer" "applies" "as" "ask"
    "at" "at_least" "at_most" "audit" "backtrack" "because" "benchmark" "better" "by" "called"
    "case" "change" "check" "checklist" "class" "column" "conflict" "constraint" "constraints"
    "context" "cover" "def" "dialogue" "dialogues" "draw" "draws" "drop" "end" "endless" "every"
    "evolve" "exactly" "excludes" "expands" "expect" "facts" "fail" "feed" "feedback" "fits"
    "float" "floor" "flow" "flows" "follows" "for" "from" "given" "group" "groups" "history" "ifs"
    "import" "impose" "instructions" "int" "is" "judge" "keep" "least" "let" "limit" "list"
    "lower" "mask" "metric" "minds" "missed" "modify" "most" "new" "observe" "of" "omitted" "on"
    "one" "one_of" "order" "over" "overflow" "pairs" "param" "part" "pass" "patience" "per"
    "percent" "periods" "priority" "probability" "prompt" "question" "quota" "read" "recalls"
    "record" "redraw" "refines" "relation" "release" "repeat" "reply" "report" "require" "retry"
    "return" "round" "rounds" "rubric" "sample" "say" "says" "scale" "scene" "scope" "seed" "sees"
    "show" "simulate" "split" "start" "stay" "step" "style" "styles" "summarizes" "switch"
    "system" "tag" "tags" "template" "templates" "test" "text" "time" "times" "to" "tolerates"
    "topic" "topics" "turn" "turns" "unrelated" "unsaid" "until" "up" "use" "variant" "void"
    "weigh" "weight" "when" "window" "with" "withdraw" "within" "witness" "words"
  ))

((identifier) @keyword.operator
  (#any-of? @keyword.operator
    "and" "each" "else" "every" "if" "in" "no" "not" "or" "some" "then" "where"
  ))

((identifier) @type
  (#any-of? @type
    "char" "code_block" "date" "emoji" "grapheme" "heading" "highlight" "item" "letter" "line"
    "number" "paragraph" "placeholder" "quote" "section" "sentence" "table" "table_row" "token"
    "word"
  ))

((call name: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "abs" "after" "as_clock" "asserts" "asserts_of" "asserts_row" "before" "between" "ceil"
    "chance_of_all" "claimed_rows" "claims" "closes_with_pair" "closes_with_pair_as_released"
    "code_point" "contains" "content" "count" "csv_rows" "deepest_bracket_as_released"
    "deepest_quote_as_released" "distinct" "distinct_exactly" "divide" "ends_with"
    "ends_with_as_released" "exchanges" "f1_score" "f1_score_as_released" "fields" "first"
    "fits_schema" "flat" "floor" "frequencies" "greatest" "group_by" "has_no_lower" "has_no_upper"
    "initials" "is_blank" "is_bullets" "is_csv" "is_csv_as_released" "is_html"
    "is_html_as_released" "is_json" "is_json_as_released" "is_lower" "is_lower_as_released"
    "is_markdown" "is_markdown_as_released" "is_numbered" "is_palindrome" "is_prime" "is_table"
    "is_title" "is_upper" "is_upper_as_released" "is_xml" "join" "json" "language"
    "language_as_released" "last" "least" "lemmas_as_released" "len" "lines" "lower" "matches"
    "max" "mean" "min" "missed_fields_as_released" "nesting" "nth" "numbered" "opens_with_pair"
    "opens_with_pair_as_released" "overlap" "pattern_of" "pinyin" "readings" "replace" "reversed"
    "rhyme_share" "rhyme_share_as_released" "rhyme_share_english" "rouge_l" "rouge_l_as_released"
    "round" "round_to" "running" "runs" "share_upper" "share_upper_as_released" "shared"
    "shared_exactly" "similarity" "simplified" "sorted" "sorted_by" "split" "starts_with"
    "starts_with_as_released" "sum" "syllables_by_spelling" "to_number" "to_text" "tones" "trim"
    "unaccented" "unique" "upper" "value_or" "windows" "wrapped_in" "wrapped_in_as_released"
  ))

((identifier) @constant.builtin (#any-of? @constant.builtin "it" "true" "false"))

(string) @string
(block_string) @string
(escape) @string.escape
(interpolation) @embedded
(regex) @string.regexp
(integer) @number
(float) @number
(percent) @number
(operator) @operator
(doc_comment) @comment.documentation
(comment) @comment
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," ":"] @punctuation.delimiter
