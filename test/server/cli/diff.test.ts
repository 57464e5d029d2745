/** `diff`, `bisect` and `shrink`: folders, files and Git revisions; answers, exit codes and reports. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { BehaviourRecord } from '#engine'
import { call, gitEnvironment, OPENED, Workplace } from './call.js'

const workplace = new Workplace()
after(() => workplace.remove())
const base = workplace.ruleset()
const own = (level: number, more = '', match = '^closed late'): string =>
  `<group name="own,"><rule id="100100" level="${level}"><if_sid>900</if_sid><match>${match}</match><description>Closed late.</description></rule>${more}</group>\n`
const CLOSED = 'Jan  5 10:11:12 web1 door: closed late by ana'
const old = workplace.write('old/rules/own.xml', own(5))
const now = workplace.write('new/rules/own.xml', own(6))
const [oldFolder, newFolder] = [join(workplace.folder, 'old'), join(workplace.folder, 'new')]

async function records(...argv: readonly string[]): Promise<{ code: number; items: BehaviourRecord[] }> {
  const { code, stdout, stderr } = await call(['diff', '--jsonl', '--ruleset', base, ...argv], { env })
  assert.equal(stderr, '')
  return { code, items: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as BehaviourRecord])) }
}

const repository = join(workplace.folder, 'repository')
const env = gitEnvironment(repository)
const git = (...args: readonly string[]): string => execFileSync('git', args, { env, cwd: repository, encoding: 'utf8' }).trim()
workplace.write('repository/content/rules/own.xml', own(5))
execFileSync('git', ['init', '--quiet', repository], { env })
/** Commits a content, or its absence. */
const commit = (subject: string, content: string): string => {
  workplace.write('repository/content/rules/own.xml', content)
  git('add', '-A')
  git('commit', '--quiet', '--allow-empty', '-m', subject)
  return git('rev-parse', 'HEAD')
}
const first = commit('Begin', own(5))
commit('Say it in other words', own(5).replace('Closed late.', 'Closed too late.'))
const unloadable = commit('Break it', own(5).replace('id="100100"', 'id="x"'))
const culprit = commit('Look for another word', own(5, '', '^closed early'))
commit('Raise the level', own(9, '', '^closed early'))

describe('diff', () => {
  test('names the rule that differs, with an event and both answers', async () => {
    const { code, items } = await records(oldFolder, newFolder)
    assert.equal(code, 1)
    const [{ item, result, proven, witness, old: before, new: after }] = items
    assert.deepEqual({ item, result, proven }, { item: { rule_id: '100100' }, result: 'differs', proven: true })
    assert.deepEqual([before?.rule_id, before?.level, before?.decoder, after?.level], ['100100', 5, 'door', 6])
    assert.equal(witness?.events.length, 1)
    assert.match(witness?.events[0].event ?? '', /closed late/)
  })

  test('compares single files as well, and says nothing of equal ones', async () => {
    assert.deepEqual(await records(old, now), await records(oldFolder, newFolder))
    assert.deepEqual(await records(old, old), { code: 0, items: [] })
  })

  test('proves a refactoring', async () => {
    const file = workplace.write('refactored.xml', own(5, '', '^closed late|^closed late at night'))
    const { code, items } = await records(old, file)
    assert.deepEqual([code, items.map(({ result, proven, reason }) => [result, proven, reason])], [0, [['equal', true, 'same_texts']]])
  })

  test('reads revisions of a repository', async () => {
    const { code, items } = await records(`${first}:content`, 'HEAD:content')
    assert.equal(code, 1)
    assert.equal(items[0].result, 'differs')
    assert.deepEqual(await records(`${first}:content`, 'HEAD~3:content/rules/own.xml'), await records(old, 'HEAD~3:content'))
    assert.equal((await records('HEAD~3:content', first.concat(':content'))).code, 0)
  })

  test('refuses content with which Wazuh would not start, and a path that a revision lacks', async () => {
    for (const name of [`${unloadable}:content`, 'HEAD:nowhere', 'HEAD:../x', '--upload-pack=x:content', 'nowhere']) {
      const { code, stdout } = await call(['diff', '--ruleset', base, old, name], { env })
      assert.deepEqual([code, stdout], [2, ''], name)
    }
  })

  test('needs no base for whole rulesets', async () => {
    const { code, stdout } = await call(['diff', '--jsonl', base, base], { env })
    assert.deepEqual([code, stdout], [0, ''])
  })

  test('reports for people in both languages, and as a page', async () => {
    const [page, lines] = [join(workplace.folder, 'out/diff.html'), join(workplace.folder, 'out/diff.jsonl')]
    const argv = ['diff', '--ruleset', base, '--output', `html=${page}`, '--output', `jsonl=${lines}`, oldFolder, newFolder]
    const english = await call([...argv, '--locale', 'en-US'])
    assert.match(english.stdout, /^Rule 100100 \(level\)\n {2}another level: Rule 100100: rule 100100, level 5 → rule 100100, level 6\n {4}.*closed late/)
    assert.match(english.stdout, /1 with a difference, 0 proven to be without one, 1 in which none was found/)
    assert.match((await call([...argv, '--locale', 'pt-BR'])).stdout, /outro nível: Regra 100100: regra 100100, nível 5 → regra 100100, nível 6/)
    assert.match(readFileSync(page, 'utf8'), /<h2>Regra 100100 \(level\)<\/h2>/)
    assert.equal((JSON.parse(readFileSync(lines, 'utf8').split('\n', 1)[0]) as BehaviourRecord).result, 'differs')
  })

  test('names what does not differ when asked', async () => {
    const more = '<rule id="100101" level="5"><if_sid>900</if_sid><match>^other</match><description>Other.</description></rule>'
    const [one, other] = [workplace.write('one.xml', own(5, more)), workplace.write('other.xml', own(5, more.replace('Other.', 'Another.')))]
    const { code, stdout } = await call(['diff', '--verbose', '--ruleset', base, one, other, '--locale', 'en-US'])
    assert.equal(code, 0)
    assert.match(stdout, /Rule 100101 \(description\)\n {2}proven to be without a difference: 100101/)
  })
})

describe('bisect', () => {
  test('finds the revision since which an event has another rule, and skips those that do not load', async () => {
    const { code, stdout } = await call(['bisect', '--jsonl', '--ruleset', base, '--expect', '100100', '--path', 'content', CLOSED], { env })
    const { holds, answer, since, before, skipped, changes } = JSON.parse(stdout) as Record<string, unknown> & {
      since: { id: string }
      before: { subject: string }
      changes: BehaviourRecord[]
    }
    assert.deepEqual([code, holds, since.id, before.subject, skipped], [1, false, culprit, 'Say it in other words', [unloadable]])
    assert.equal((answer as { rule_id: string | null }).rule_id, '903')
    assert.equal(changes.find(({ item }) => 'rule_id' in item && item.rule_id === '100100')?.result, 'differs')
  })

  test('tells people, in both languages', async () => {
    const argv = ['bisect', '--ruleset', base, '--expect', '100100', '--path', 'content', '--to', first, CLOSED]
    const { code, stdout } = await call([...argv, '--locale', 'en-US'], { env })
    assert.deepEqual([code, stdout], [0, 'The newest revision gives rule 100100.\nIt has been so in all 1 revisions.\n'])
    assert.match(
      (await call([...argv.slice(0, -3), CLOSED, '--locale', 'pt-BR'], { env })).stdout,
      /não dá a regra 100100, e sim: regra 903.*\nÉ assim desde:\n {2}[0-9a-f]{12} .*Look for another word\nAs revisões no meio não carregam/,
    )
  })

  test('is limited to the named revisions', async () => {
    const { code, stdout } = await call(['bisect', '--jsonl', '--ruleset', base, '--expect', '100100', '--path', 'content', '--from', culprit, CLOSED], { env })
    assert.deepEqual([code, (JSON.parse(stdout) as { since: unknown }).since], [1, null])
  })
})

describe('shrink', () => {
  test('keeps path and fields, and replaces the rest', async () => {
    const { code, stdout, stderr } = await call(['shrink', '--ruleset', base, '--locale', 'en-US', OPENED])
    assert.equal(code, 0)
    const event = stdout.trimEnd()
    assert.ok(event.length < OPENED.length)
    const { stdout: report } = await call(['logtest', '--jsonl', '--ruleset', base], { stdin: JSON.stringify({ event }) })
    const { rule, extracted_fields } = JSON.parse(report) as { rule: { id: string }; extracted_fields: Record<string, string> }
    assert.deepEqual([rule.id, Object.keys(extracted_fields)], ['901', ['srcip', 'srcuser'].toSorted()])
    assert.match(`${extracted_fields.srcip} ${extracted_fields.srcuser}`, /^\d+(?:\.\d+){3} \S+$/)
    assert.match(stderr, /^rule 901, level 7\. \d+ of \d+ characters\./)
    for (const secret of OPENED.match(/\d+\.\d+\.\d+\.\d+|by \w+/g) ?? []) assert.ok(!event.includes(secret), `${secret} in ${event}`)
  })

  test('leaves out events of a sequence that are not needed', async () => {
    const lines = [CLOSED, OPENED, CLOSED, OPENED, OPENED].join('\n')
    const { stdout } = await call(['shrink', '--jsonl', '--ruleset', base], { stdin: lines })
    const { events, answer, complete } = JSON.parse(stdout) as { events: { event: string }[]; answer: { rule_id: string }; complete: boolean }
    assert.deepEqual([events.length, answer.rule_id, complete], [3, '902', true])
  })

  test('reads what diff writes', async () => {
    const { items } = await records(oldFolder, newFolder)
    const { code, stdout } = await call(['shrink', '--jsonl', '--ruleset', base, '--custom', old], { stdin: JSON.stringify(items[0].witness) })
    assert.deepEqual([code, (JSON.parse(stdout) as { answer: { rule_id: string } }).answer.rule_id], [0, '100100'])
  })
})

test('no command writes into the repository', () => {
  assert.equal(git('status', '--porcelain'), '')
  rmSync(repository, { recursive: true })
})
