-- A session in Neovim: diagnose, complete, hover, go to a definition, fix, rename, format. Run by neovim.sh.

local function session()
  local client

  local function open(file)
    vim.cmd("edit " .. vim.fn.getcwd() .. "/" .. file)
    local buffer = vim.api.nvim_get_current_buf()
    client = client or vim.lsp.start_client({
      name = "ifs",
      cmd = { vim.env.IFS_PROGRAM, "lsp" },
      root_dir = vim.fn.getcwd(),
    })
    assert(client, "the server does not start")
    vim.lsp.buf_attach_client(buffer, client)
    return buffer
  end

  local function lines(buffer)
    return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  end

  -- The row and the column of the first occurrence of a text.
  local function find(buffer, text)
    for row, line in ipairs(lines(buffer)) do
      local column = line:find(text, 1, true)
      if column then
        return row - 1, column - 1
      end
    end
    error("no `" .. text .. "`")
  end

  local function replace(buffer, old, new)
    local row, column = find(buffer, old)
    vim.api.nvim_buf_set_text(buffer, row, column, row, column + #old, { new })
  end

  local function ask(buffer, method, text, offset, more)
    local row, column = find(buffer, text)
    local params = vim.tbl_extend("force", {
      textDocument = vim.lsp.util.make_text_document_params(buffer),
      position = { line = row, character = column + offset },
    }, more or {})
    local answers = vim.lsp.buf_request_sync(buffer, "textDocument/" .. method, params, 10000)
    local answer = answers and answers[client] or error(method .. ": no answer")
    assert(answer.error == nil, vim.inspect(answer.error))
    return answer.result
  end

  local function diagnosed(buffer, count)
    local met = vim.wait(20000, function()
      return #vim.diagnostic.get(buffer) == count
    end, 10)
    assert(met, count .. " diagnostics expected: " .. vim.inspect(vim.diagnostic.get(buffer)))
    return vim.diagnostic.get(buffer)
  end

  local buffer = open("intake/desk.ifs")
  local original = table.concat(lines(buffer), "\n")

  -- Diagnose.
  replace(buffer, "count(word) in 1..=n", "cuont(word) in 1..=n")
  local found = diagnosed(buffer, 1)[1]
  assert(found.message:find("there is no function `cuont`", 1, true), found.message)
  assert(found.code == "ifs::unknown-function" or found.user_data, vim.inspect(found))

  -- Fix.
  local actions = ask(buffer, "codeAction", "cuont", 0, {
    range = {
      start = { line = found.lnum, character = found.col },
      ["end"] = { line = found.end_lnum, character = found.end_col },
    },
    context = { diagnostics = {} },
  })
  assert(actions[1].title == "Replace `cuont` by `count`", vim.inspect(actions))
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  diagnosed(buffer, 0)
  assert(table.concat(lines(buffer), "\n") == original, "the fix left something behind")

  -- Complete.
  local labels = {}
  for _, item in ipairs(ask(buffer, "completion", "check    count(word) in 1..=n", 9)) do
    labels[item.label] = true
  end
  assert(labels.count and labels.n and labels.interview and labels.paragraph, vim.inspect(labels))

  -- Hover.
  local hover = ask(buffer, "hover", "withdraw \"", 2).contents.value
  assert(hover:find("Gives the texts with which the user withdraws it", 1, true), hover)
  hover = ask(buffer, "hover", "starts_with(", 2).contents.value
  assert(hover:find("starts_with(sought)", 1, true), hover)

  -- Go to a definition, in the library.
  local target = ask(buffer, "definition", "turn <= interview", 10)
  assert(lines(buffer)[target.range.start.line + 1] == "let interview = 10")

  -- Rename, also in strings.
  local edit = ask(buffer, "rename", "constraint at_most(n", 19, { newName = "words" })
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  local text = table.concat(lines(buffer), "\n")
  assert(text:find("keep each reply to {{ words }} words at most", 1, true), text)
  assert(text:find("not {{ old.words }}", 1, true) and text:find("test (words: 3)", 1, true))
  diagnosed(buffer, 0)

  -- Format: the renamed statements are as wide as before.
  replace(buffer, "let interview = 10", "let   interview=10")
  local formatting = vim.lsp.util.make_formatting_params({ tabSize = 2, insertSpaces = true })
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/formatting", formatting, 10000)
  vim.lsp.util.apply_text_edits(answers[client].result, buffer, "utf-16")
  assert(find(buffer, "let interview = 10"))
  assert(table.concat(lines(buffer), "\n") == text, "formatting changed something else")

  -- A second scenario on the same server, with its definition in the library.
  buffer = open("evolif/evolif.ifs")
  diagnosed(buffer, 0)
  replace(buffer, "use std.evolif.*", "use std.evolif.length")
  target = ask(buffer, "definition", "std.evolif.length", 13)
  assert(target.uri:find("evolif.ifs$") and target.range.start.line > 0, vim.inspect(target))

  vim.lsp.stop_client(client)
  vim.wait(500)
end

local ok, message = xpcall(session, debug.traceback)
if ok then
  print("ok: Neovim diagnosed, fixed, completed, hovered, renamed and formatted\n")
  vim.cmd("qa!")
else
  io.stderr:write(message .. "\n")
  vim.cmd("cquit 1")
end
