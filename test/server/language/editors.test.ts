/**
 * Editors with the settings of `server/language/EDITORS.md`, as far as they are installed: each opens a file of rules without a window, and shows what the server says about
 * it. An editor that is not there is skipped, and its name is in the message.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Workplace } from '../cli/call.js'

const MAIN = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const PAGE = readFileSync(new URL('../../../../server/language/EDITORS.md', import.meta.url), 'utf8')
const FAULT = '<group name="own,">\n  <rule id="100001" level="5">\n    <if_sid>199999</if_sid>\n    <description>Child of nobody.</description>\n  </rule>\n</group>\n'
const MESSAGE = 'Rule 100001 has the parent rule 199999, which does not exist.'
/** Seconds until an editor that shows nothing ends. */
const PATIENCE = 60

/** The settings of an editor: the blocks of a language below its heading. */
function settings(heading: string, language: string): string[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, text]) => (of === language ? [text] : []))
}

/** What a program says to `--version`; null: it is not there. */
function versionOf(program: string): string | null {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout : null
}

/** Vim has ALE as a package of Debian. */
function hasAle(): boolean {
  return (
    versionOf('vim') !== null &&
    spawnSync('vim', ['-N', '-u', 'NONE', '-es', '-c', 'try | packadd ale | catch | cquit | endtry | qall!'], { stdio: 'ignore', timeout: 10_000 }).status === 0
  )
}

function hasEglot(): boolean {
  return versionOf('emacs') !== null && spawnSync('emacs', ['--batch', '--eval', "(require 'eglot)"], { stdio: 'ignore', timeout: 30_000 }).status === 0
}

/** Neovim 0.7 has neither of these; the settings need what later ones have. */
const STAND_INS = `
vim.g.do_filetype_lua = 1
vim.fs = vim.fs or {
  dirname = function(path) return vim.fn.fnamemodify(path, ':h') end,
  find = function(names, options)
    local folder = options.path
    while folder ~= '/' do
      for _, name in ipairs(names) do
        if vim.fn.getftype(folder .. '/' .. name) ~= '' then return { folder .. '/' .. name } end
      end
      folder = vim.fn.fnamemodify(folder, ':h')
    end
    return {}
  end,
}
vim.lsp.start = vim.lsp.start or function(config)
  local client = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(0, client)
end
`

describe('editors with the settings of the page', { timeout: 3 * PATIENCE * 1000 }, () => {
  const workplace = new Workplace()
  const file = workplace.write('content/rules/own_rules.xml', FAULT)
  const folder = join(workplace.folder, 'content')
  // A project has decoders as well.
  mkdirSync(join(folder, 'decoders'))
  const bin = join(workplace.folder, 'bin')
  const env = { ...process.env, HOME: workplace.folder, XDG_CONFIG_HOME: join(workplace.folder, 'none'), PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, LANG: 'C.UTF-8' }
  before(() => {
    chmodSync(workplace.write('bin/detection-content', `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)} "$@"\n`), 0o755)
  })
  after(() => workplace.remove())
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { env, cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE * 1000 })

  it('Neovim shows diagnostics', { skip: versionOf('nvim') === null && 'Neovim is not installed' }, () => {
    const [, start, id] = settings('Neovim', 'lua')
    const init = workplace.write('init.lua', `${STAND_INS}${start}${id}`)
    const out = join(workplace.folder, 'neovim.txt')
    const drive = workplace.write(
      'drive.lua',
      `vim.cmd('edit ' .. vim.fn.fnameescape(${JSON.stringify(file)}))
vim.wait(${PATIENCE * 1000}, function() return #vim.diagnostic.get(0) > 0 end, 20)
local found = { vim.bo.filetype, vim.bo.syntax }
for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(found, (one.message:gsub('\\n.*', ''))) end
vim.fn.writefile(found, ${JSON.stringify(out)})
vim.cmd('qall!')`,
    )
    run('nvim', ['--headless', '-i', 'NONE', '-u', init, '-c', `luafile ${drive}`])
    assert.deepEqual(readFileSync(out, 'utf8').trim().split('\n'), ['wazuh-rules', 'xml', MESSAGE])
  })

  it('Emacs shows diagnostics', { skip: !hasEglot() && 'Emacs with eglot is not installed' }, () => {
    const [init] = settings('Emacs', 'elisp')
    const drive = `(find-file ${JSON.stringify(file)})
(run-hooks 'post-command-hook)
(let ((end (+ (float-time) ${PATIENCE})))
  (while (and (< (float-time) end) (null (flymake-diagnostics)))
    (accept-process-output nil 0.05)
    (ignore-errors (flymake-start))))
(princ (format "%s\\n%s\\n" major-mode (expand-file-name (project-root (project-current)))))
(dolist (one (flymake-diagnostics)) (princ (flymake-diagnostic-text one)))
`
    const found = run('emacs', ['--batch', '--eval', "(require 'eglot)", '-l', workplace.write('init.el', init), '-l', workplace.write('drive.el', drive)])
    const [mode, root, shown] = found.split('\n').slice(-4)
    assert.deepEqual([mode, root], ['wazuh-rules-mode', `${folder}/`])
    assert.ok(shown.endsWith(MESSAGE), shown)
  })

  it('Vim with ALE shows diagnostics', { skip: !hasAle() && 'Vim with ALE is not installed' }, () => {
    const [init] = settings('Vim', 'vim')
    const out = join(workplace.folder, 'vim.txt')
    rmSync(out, { force: true })
    const drive = `edit ${file}
let s:end = localtime() + ${PATIENCE}
while localtime() < s:end && empty(getloclist(0))
  sleep 50m
endwhile
call writefile([&filetype, &syntax] + map(getloclist(0), 'v:val.text'), ${JSON.stringify(out)})
qall!
`
    run('vim', ['-N', '-i', 'NONE', '-u', workplace.write('init.vim', `packadd ale\n${init}`), '-es', '-S', workplace.write('drive.vim', drive)])
    const [id, syntax, shown] = readFileSync(out, 'utf8').trim().split('\n')
    assert.deepEqual([id, syntax], ['wazuh-rules', 'xml'])
    assert.match(shown, /rule_parent_missing: Rule 100001 has the parent rule 199999/)
  })
})
