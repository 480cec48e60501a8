-- What a user does with tables and a program, headless: every line of `out` is a JSON list.
local folder, out = vim.env.RINGPROOF_FOLDER, io.open(vim.env.RINGPROOF_OUT, "w")

local function say(...)
  out:write(vim.json.encode({ ... }) .. "\n")
  out:flush()
end

local function wait(what, done)
  local this, ends = coroutine.running(), vim.uv.now() + 20000
  while not done() do
    if vim.uv.now() > ends then
      say("silent", what)
      vim.cmd("cquit!")
    end
    vim.defer_fn(function() assert(coroutine.resume(this)) end, 20)
    coroutine.yield()
  end
end

local function open(name)
  vim.cmd.edit(vim.fn.fnameescape(folder .. "/" .. name))
  return vim.api.nvim_get_current_buf()
end

local function findings(buffer)
  return vim.tbl_map(function(found)
    local there = vim.api.nvim_buf_get_text(buffer, found.lnum, found.col, found.end_lnum, found.end_col, {})
    return { found.code, found.lnum, there[1] }
  end, vim.diagnostic.get(buffer))
end

local function hovered(buffer, line)
  local asked = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = 0 } }
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/hover", asked, 10000) or {}
  local answer = select(2, next(answers))
  return answer and answer.result and answer.result.contents.value or ""
end

local function session()
  local buffer = open("a b é.toml")
  wait("the finding", function() return #vim.diagnostic.get(buffer) > 0 end)
  say("filetype", vim.bo.filetype, findings(buffer))
  if vim.env.RINGPROOF_STAY then
    return
  end
  local row = vim.diagnostic.get(buffer)[1].lnum
  say("row", hovered(buffer, row))
  local before = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.lsp.buf.code_action({ apply = true })
  wait("the repair", function() return vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] ~= before end)
  vim.api.nvim_buf_set_text(buffer, 0, 0, 0, 0, { "# 𝔫\u{2028}é\u{85}", "" })
  wait("the proof", function() return vim.startswith(hovered(buffer, 0), "proved") end)
  say("mended", findings(buffer))
  vim.api.nvim_buf_set_lines(buffer, row + 2, row + 2, false, { '  let = { "ü𝔫" = "N", h = "Q" }' })
  wait("the slips", function() return #vim.diagnostic.get(buffer) > 0 end)
  say("slips", findings(buffer))
  vim.api.nvim_win_set_cursor(0, { row + 3, 0 })
  vim.api.nvim_input("o  wh<C-x><C-o>")
  wait("the offers", function() return #vim.fn.complete_info({ "items" }).items > 0 end)
  say("offers", vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ "items" }).items))
  vim.api.nvim_input("<Esc>")
  wait("the end of typing", function() return vim.api.nvim_get_mode().mode == "n" end)

  local program = open("program.xml")
  wait("the race", function() return #vim.diagnostic.get(program) > 0 end)
  say("filetype", vim.bo.filetype, findings(program))
  say("log", vim.fn.filereadable(vim.lsp.log.get_filename()) == 1 and vim.fn.readfile(vim.lsp.log.get_filename()) or {})
  say("messages", vim.fn.execute("messages"))
  say("end")
  vim.cmd("qall!")
end

coroutine.wrap(function()
  local well, why = xpcall(session, debug.traceback)
  if not well then
    say("failed", why)
    vim.cmd("cquit!")
  end
end)()
