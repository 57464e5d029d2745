/** The commands of the documents, as a new user would copy them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { CHECKOUT, commandsOf, missingTools, readPage } from './pages.js'
import { answers, assertContains, shell, withService } from './shell.js'

const missing = missingTools()
const skip = missing.length > 0 && `no ${missing.join(', ')} here`
const SERVICE = 'server/README.md'
const FIRST = commandsOf(SERVICE, 'First calls')
const PROJECT = commandsOf(SERVICE, 'A project, from the first rule to the published version')
const REPLAYS = ['Upload', 'Replays'].map((section) => commandsOf('server/features/replays/README.md', section))
const LISTS = commandsOf(SERVICE, 'Lists')
const LOGTEST = commandsOf('README.md', 'One logtest')
/** Separates the output of two sections. */
const MARK = '=== here ==='

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
  assert.match(await shell(commandsOf('server/cli/README.md', 'Events for rules'), CHECKOUT), /^5710 +5 fires[\s\S]*^5712 +10 fires[\s\S]*2 rules fire/m)
  assert.match(await shell(commandsOf('server/cli/README.md', 'Which rules fire'), CHECKOUT), /^ +5712 +10 only if[\s\S]*^ +5710 +5 fires[\s\S]*only if: 1, fires: 1\./m)
})

test('the first calls lead from an empty instance to a rule with its trace', { skip }, async () => {
  await withService(FIRST, (stdout) => {
    const printed = answers<{ ok?: boolean; done?: boolean; matched?: number; alerts?: number; rule?: { id: string } | null; trace?: unknown[]; diagnostics?: unknown[] }>(stdout)
    const [validated, ran, first, last, selected, end] = printed
    assert.equal(printed.length, 6, stdout)
    assert.deepEqual([validated.ok, validated.diagnostics], [true, []])
    assert.equal(ran.rule?.id, '100100')
    assert.ok((ran.trace?.length ?? 0) > 0)
    assert.equal(first.ok, true)
    assert.deepEqual([last.done, last.matched], [true, 1])
    assert.deepEqual(selected, { line: 2, 'rule.id': '5710', level: 5, srcip: '203.0.113.7' })
    assert.deepEqual([end.done, end.alerts], [true, 1])
  })
})

test('the project calls lead from the first rule to a published version and a printable report', { skip }, async () => {
  await withService(`${FIRST}\n${PROJECT}`, (stdout, folder) => {
    assert.match(stdout, /<testsuites [^>]*tests="1" failures="0" errors="0"/)
    assert.match(stdout, /"published":true/)
    assert.match(readFileSync(join(folder, 'report.html'), 'utf8'), /^<!doctype html>/i)
  })
})

test('a sample of events is uploaded in parts, and run on two contents', { skip }, async () => {
  const event = "printf '%s\\n' 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122' > archives.json"
  await withService([FIRST, PROJECT, event, ...REPLAYS].join('\n'), (stdout, folder) => {
    assert.match(stdout, /"status":"ready"/)
    assert.match(readFileSync(join(folder, 'replay.html'), 'utf8'), /^<!doctype html>[\s\S]*100100/i)
  })
})

test('a rule finds a list by its name, in one call and in a project', { skip }, async () => {
  await withService([FIRST, PROJECT, `echo ${MARK}`, LISTS].join('\n'), (stdout) => {
    const [ran, created] = answers<{ ok?: boolean; rule?: { id: string }; diagnostics?: unknown[]; lists?: { name: string }[] }>(
      stdout.slice(stdout.indexOf(MARK) + MARK.length + 1),
    )
    assert.deepEqual([ran.ok, ran.diagnostics, ran.rule?.id], [true, [], '100101'])
    assert.deepEqual(
      created.lists?.map(({ name }) => name),
      ['etc/lists/watched'],
    )
  })
})
