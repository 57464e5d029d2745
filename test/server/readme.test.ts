/** The calls of the README, as a new user would copy them, against the service as it starts on an empty machine. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { startServiceProcess } from '../support/service-process.js'

const README = readFileSync(new URL('../../../server/README.md', import.meta.url), 'utf8')
const TOOLS = ['bash', 'curl']
const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).error !== undefined)

/** Printed before what the section prints that is looked at. */
const MARK = '=== here ==='

/** The indented lines of a section, without its subsections. */
function commandsOf(section: string): string {
  const from = README.indexOf(`## ${section}\n`)
  assert.ok(from >= 0, section)
  const text = README.slice(from).split(/\n#+ /, 1)[0]
  return text
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4))
    .join('\n')
}

/** Runs commands against a service as it starts on an empty machine; gives what they print. */
async function run(commands: string, folder: string): Promise<string> {
  assert.ok(commands.includes('http://127.0.0.1:8080'))
  const service = await startServiceProcess({ NATIVE_SERVICE_DATA_DIR: join(folder, 'data') })
  try {
    const script = commands.replace('http://127.0.0.1:8080', service.origin)
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` } })
    return stdout
  } finally {
    await service.stop('SIGTERM')
  }
}

test('the five calls lead from an empty instance to a rule with its trace', { skip: missing.length > 0 && `no ${missing.join(', ')} here` }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  try {
    const stdout = await run(commandsOf('Five calls'), folder)
    const answers = stdout
      .split(/(?<=\})\n?(?=\{)/)
      .map((line) => JSON.parse(line) as { ok?: boolean; done?: boolean; matched?: number; rule?: { id: string } | null; trace?: unknown[]; diagnostics?: unknown[] })
    const [validated, ran, first, last] = answers
    assert.equal(answers.length, 4, stdout)
    assert.deepEqual([validated.ok, validated.diagnostics], [true, []])
    assert.equal(ran.rule?.id, '100100')
    assert.ok((ran.trace?.length ?? 0) > 0)
    assert.equal(first.ok, true)
    assert.deepEqual([last.done, last.matched], [true, 1])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a project leads from the first rule to a published version and a report that prints', { skip: missing.length > 0 && `no ${missing.join(', ')} here` }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  try {
    const stdout = await run(`${commandsOf('Five calls')}\n${commandsOf('A project, from the first rule to the published version')}`, folder)
    assert.match(stdout, /<testsuites [^>]*tests="1" failures="0" errors="0"/)
    assert.match(stdout, /"published":true/)
    assert.match(readFileSync(join(folder, 'report.html'), 'utf8'), /^<!doctype html>/i)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a list is found by the rule that names it, in one call and in a project', { skip: missing.length > 0 && `no ${missing.join(', ')} here` }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  try {
    const [before, project] = [commandsOf('Five calls'), commandsOf('A project, from the first rule to the published version')]
    const sections = [before, project, `echo ${MARK}`, commandsOf('Lists')]
    const stdout = await run(sections.join('\n'), folder)
    const [ran, made] = stdout
      .slice(stdout.indexOf(MARK) + MARK.length + 1)
      .split(/(?<=\})\n?(?=\{)/)
      .map((line) => JSON.parse(line) as { ok?: boolean; rule?: { id: string }; diagnostics?: unknown[]; lists?: { name: string }[] })
    assert.deepEqual([ran.ok, ran.diagnostics, ran.rule?.id], [true, [], '100101'])
    assert.deepEqual(
      made.lists?.map(({ name }) => name),
      ['etc/lists/watched'],
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
