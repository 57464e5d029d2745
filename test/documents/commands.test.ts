/** The commands of the documents, as a new user would copy them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { startServiceProcess } from '../support/service-process.js'
import { CHECKOUT, commandsOf, missingTools, readPage } from './pages.js'

const missing = missingTools()
const skip = missing.length > 0 && `no ${missing.join(', ')} here`
const SERVICE = 'server/README.md'
const FIRST = commandsOf(SERVICE, 'First calls')
const PROJECT = commandsOf(SERVICE, 'A project, from the first rule to the published version')
const LISTS = commandsOf(SERVICE, 'Lists')
const GIT = commandsOf(SERVICE, 'Content in a Git repository')
const LOGTEST = commandsOf('README.md', 'One logtest')
/** Separates the output of two sections. */
const MARK = '=== here ==='

/** Runs shell commands and returns their output. */
async function shell(commands: string, cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands], { cwd, env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, LANG: 'en_US.UTF-8' } })
  return stdout
}

/** Runs commands against a service that starts with an empty data folder. */
async function withService(commands: string, look: (stdout: string, folder: string) => void): Promise<void> {
  assert.ok(commands.includes('http://127.0.0.1:8080'))
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  try {
    const service = await startServiceProcess({ NATIVE_SERVICE_DATA_DIR: join(folder, 'data') })
    try {
      look(await shell(commands.replace('http://127.0.0.1:8080', service.origin), folder), folder)
    } finally {
      await service.stop('SIGTERM')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Parses JSON objects that were printed one after another. */
function objects<T>(stdout: string): T[] {
  return stdout.split(/(?<=\})\n?(?=\{)/).map((text) => JSON.parse(text) as T)
}

/** Asserts that everything in `shown` is in `answer`. */
function assertContains(answer: unknown, shown: unknown, path: string): void {
  if (shown === null || typeof shown !== 'object' || Array.isArray(shown)) return assert.deepEqual(answer, shown, path)
  for (const [name, value] of Object.entries(shown)) assertContains((answer as Record<string, unknown>)[name], value, `${path}.${name}`)
}

const [callsOfLogtest, callOfCommandLine] = LOGTEST.split(/^(?=echo )/m)

test('the logtest of the README returns the answer that the README shows', { skip }, async () => {
  const shown: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readPage('README.md'))?.[1] ?? '')
  await withService(callsOfLogtest, (stdout) => assertContains(JSON.parse(stdout), shown, 'answer'))
})

test('the command lines of the documents run', { skip }, async () => {
  const first = await shell(callOfCommandLine, CHECKOUT)
  assert.match(first, /Rule +5710/)
  const second = await shell(commandsOf('server/cli/README.md', 'The command line'), CHECKOUT)
  assert.equal(second.match(/^ +Rule +\d+/gm)?.length, 2)
})

test('the first calls lead from an empty instance to a rule with its trace', { skip }, async () => {
  await withService(FIRST, (stdout) => {
    const answers = objects<{ ok?: boolean; done?: boolean; matched?: number; rule?: { id: string } | null; trace?: unknown[]; diagnostics?: unknown[] }>(stdout)
    const [validated, ran, first, last] = answers
    assert.equal(answers.length, 4, stdout)
    assert.deepEqual([validated.ok, validated.diagnostics], [true, []])
    assert.equal(ran.rule?.id, '100100')
    assert.ok((ran.trace?.length ?? 0) > 0)
    assert.equal(first.ok, true)
    assert.deepEqual([last.done, last.matched], [true, 1])
  })
})

test('the project calls lead from the first rule to a published version and a printable report', { skip }, async () => {
  await withService(`${FIRST}\n${PROJECT}`, (stdout, folder) => {
    assert.match(stdout, /<testsuites [^>]*tests="1" failures="0" errors="0"/)
    assert.match(stdout, /"published":true/)
    assert.match(readFileSync(join(folder, 'report.html'), 'utf8'), /^<!doctype html>/i)
  })
})

test('a rule finds a list by its name, in one call and in a project', { skip }, async () => {
  await withService([FIRST, PROJECT, `echo ${MARK}`, LISTS].join('\n'), (stdout) => {
    const [ran, created] = objects<{ ok?: boolean; rule?: { id: string }; diagnostics?: unknown[]; lists?: { name: string }[] }>(
      stdout.slice(stdout.indexOf(MARK) + MARK.length + 1),
    )
    assert.deepEqual([ran.ok, ran.diagnostics, ran.rule?.id], [true, [], '100101'])
    assert.deepEqual(
      created.lists?.map(({ name }) => name),
      ['etc/lists/watched'],
    )
  })
})

test('a project is bound to a branch of a repository, without its credentials in any answer', { skip }, async () => {
  await withService([FIRST, PROJECT, `echo ${MARK}`, GIT].join('\n'), (stdout) => {
    const answer = stdout.slice(stdout.indexOf(MARK) + MARK.length + 1)
    const { id, repository, publish_strategy, lists_path } = JSON.parse(answer) as Record<string, string>
    assert.ok(id !== undefined, answer)
    assert.deepEqual([repository, publish_strategy, lists_path], ['example-soc/detections', 'review', 'lists'])
    assert.ok(!stdout.includes('a-token-of-the-forge'))
  })
})
