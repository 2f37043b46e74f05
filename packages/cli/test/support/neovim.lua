-- Drives `kit lsp` with Neovim 0.7 or newer, without a screen. Writes what Neovim shows to result.json.

local root = vim.env.KIT_ROOT
local result = {}

local function wait(what, holds)
  if not vim.wait(20000, holds, 20) then
    error("waited too long for " .. what)
  end
end

local function open(path)
  vim.cmd("edit " .. vim.fn.fnameescape(root .. "/" .. path))
end

--- Moves the cursor to the first match of a pattern.
local function go_to(pattern)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search(pattern, "cW") > 0, pattern)
end

local function request(method, more)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, "utf-16"), more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

local function main()
  local client = vim.lsp.start_client({
    name = "kit",
    cmd = { vim.env.KIT_NODE, vim.env.KIT_COMMAND, "lsp" },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = "app" } },
  })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "typescript",
    callback = function(event)
      vim.lsp.buf_attach_client(event.buf, client)
    end,
  })
  vim.cmd("filetype on")
  open("src/notes.types.ts")
  vim.bo.filetype = "typescript"
  wait("the client", function()
    return vim.lsp.get_client_by_id(client) ~= nil and vim.lsp.buf_is_attached(0, client)
  end)

  -- A mistake in text that is not saved.
  vim.cmd("%s/@maxLength/@maxLenght/")
  wait("the mistake", function()
    return #vim.diagnostic.get(0) == 1
  end)
  local mistake = vim.diagnostic.get(0)[1]
  local code = mistake.code or (mistake.user_data and mistake.user_data.lsp and mistake.user_data.lsp.code)
  result.mistake = tostring(code) .. ": " .. vim.split(mistake.message, "\n")[1]

  -- The correction.
  go_to("@maxLenght")
  local position = vim.lsp.util.make_position_params(0, "utf-16").position
  local actions = request("textDocument/codeAction", {
    range = { start = position, ["end"] = position },
    context = { diagnostics = {} },
  })
  result.action = actions[1].title
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  wait("the correction", function()
    return #vim.diagnostic.get(0) == 0
  end)
  result.corrected = vim.fn.getline(vim.fn.search("@maxLength", "cw"))

  -- Rules of a property.
  go_to("title")
  local hover = request("textDocument/hover").contents.value
  result.hover = hover:match("Rules: [^\n]*")

  -- From the contract to the handler.
  open("src/notes.routes.ts")
  vim.bo.filetype = "typescript"
  go_to("/notes/:id")
  local location = request("textDocument/definition")
  local path = vim.uri_to_fname(location.uri)
  result.definition = path:sub(#root + 2) .. ":" .. (location.range.start.line + 1)

  -- The new name of the route.
  local edit = request("textDocument/rename", { newName = "GET /memos/:id" })
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  result.contract = vim.fn.getline(vim.fn.search("memos", "cw"))
  open("src/notes.handlers.ts")
  result.handler = vim.fn.getline(vim.fn.search("memos", "cw"))
end

vim.o.hidden = true
local ok, reason = pcall(main)
if not ok then
  result = { error = tostring(reason) }
end
local file = assert(io.open(root .. "/result.json", "w"))
file:write(vim.fn.json_encode(result))
file:close()
vim.cmd("qall!")
