// A grammar for editors: words, texts and brackets. Which words are keywords is in queries/highlights.scm,
// which a test compares with the tables of the language; what a statement may contain, `ifs lsp` knows.

/// <reference types="tree-sitter-cli/dsl" />

module.exports = grammar({
  name: "ifs",

  extras: ($) => [/[\s\uFEFF]/, $.comment],

  word: ($) => $.identifier,

  rules: {
    source_file: ($) => repeat($._element),

    _element: ($) =>
      choice(
        $.doc_comment,
        $.block,
        $.list,
        $.arguments,
        $.call,
        $.field,
        $.member,
        $.string,
        $.block_string,
        $.regex,
        $.percent,
        $.float,
        $.integer,
        $.identifier,
        $.operator,
        ",",
        ":",
      ),

    block: ($) => seq("{", repeat($._element), "}"),
    list: ($) => seq("[", repeat($._element), "]"),
    arguments: ($) => seq("(", repeat($._element), ")"),

    // `(` right after a name: a call, or the parameters of a declaration.
    call: ($) => seq(field("name", $.identifier), field("arguments", alias($._immediate_arguments, $.arguments))),
    _immediate_arguments: ($) => seq(token.immediate("("), repeat($._element), ")"),

    field: ($) => prec(1, seq(field("name", $.identifier), token.immediate(":"))),
    // `topic.name`, and the names of a module: `std.evolif.*`.
    member: ($) =>
      seq(token.immediate("."), choice(field("name", alias($._immediate_name, $.identifier)), token.immediate("*"))),
    _immediate_name: (_) => token.immediate(/[A-Za-z_][A-Za-z0-9_]*/),

    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
    integer: (_) => /[0-9][0-9_]*/,
    float: (_) => token(prec(1, /[0-9]+\.[0-9]+/)),
    percent: (_) => token(prec(2, /[0-9]+(\.[0-9]+)?%/)),
    operator: (_) =>
      token(choice("==", "!=", "<=", ">=", "<", ">", "=", "..=", "..", "+", "-", "*", "/", "%", "??", "?", ".")),
    // A division has a blank after its sign.
    regex: (_) => token(prec(1, /\/[^\/*\s\\]([^\/\\\n]|\\[^\n])*\/[A-Za-z]*|\/\\[^\n]([^\/\\\n]|\\[^\n])*\/[A-Za-z]*/)),

    string: ($) =>
      seq('"', repeat(choice($.escape, $.interpolation, alias($._text, $.content), token.immediate("{"))), token.immediate('"')),
    _text: (_) => token.immediate(prec(1, /[^"\\{\n]+/)),
    block_string: ($) =>
      seq(
        '"""',
        repeat(choice($.escape, $.interpolation, alias($._block_text, $.content), token.immediate("{"), token.immediate(/"|""/))),
        token.immediate(prec(2, '"""')),
      ),
    _block_text: (_) => token.immediate(prec(1, /[^"\\{]+/)),
    escape: (_) => token.immediate(/\\(u\{[0-9A-Fa-f]*\}|[^\n])/),
    interpolation: (_) =>
      choice(
        token.immediate(prec(3, /\{\{([^}]|\}[^}])*\}\}/)),
        token.immediate(prec(3, /\{%([^%]|%[^}])*%\}/)),
        token.immediate(prec(3, /\{#([^#]|#[^}])*#\}/)),
      ),

    doc_comment: (_) => token(prec(1, /\/\/\/([^\/\n][^\n]*)?/)),
    comment: (_) => token(choice(/\/\/[^\/\n][^\n]*/, /\/\/\/\/[^\n]*/, "//")),
  },
});
