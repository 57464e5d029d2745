/** Content that was written to be slow, at any size, and its expected diagnostics. The thread that counts steps loads it (`support/steps.ts`). */
import assert from 'node:assert/strict'
import type { SourceFile } from '../../engine/index.js'
import { compileLayer, compileRuleset, composeFiles, countOf, describeDiagnostics, mergeFiles, unwrap } from '../../engine/index.js'
import { KIND_LIMIT } from '../../engine/diagnostics/collector.js'
import { FAULTS_LIMIT } from '../../engine/xml/recover.js'
import { FOUNDATION } from '../support/rulesets.js'
import type { Subjects } from '../support/steps.js'

const base = compileRuleset(FOUNDATION)
const compile = (...files: SourceFile[]) => describeDiagnostics(compileRuleset([...FOUNDATION, ...files]), { locale: 'en-US', includeBaseline: false, loadedFromDisk: false })
const file = (content: string, filename = 'zz.xml'): SourceFile => ({ kind: 'rules', scope: 'adhoc', filename, content })
const group = (rules: string): string => `<group name="g,">${rules}</group>`
const numbered = (count: number, rule: (index: number) => string): string => Array.from({ length: count }, (_, index) => rule(index)).join('')
const TEXT = '<match>m</match><description>d</description></rule>'
const plain = (index: number): string => `<rule id="${300_000 + index}" level="3">${TEXT}`

/** Elements in one line; the last one that is kept is reported with its place, and counts the others. */
function elementsInOneLine(name: string, count: number): void {
  const last = compile(file(`${name}${`<${name}/>`.repeat(count)}`)).diagnostics.at(-1)
  const kept = Math.min(count, KIND_LIMIT)
  assert.deepEqual([last?.line, last?.column, last?.more], [1, 3 + (kept - 1) * 5, count - kept])
}

const errorsIn = (content: string): number => countOf(compileLayer(base, [file(content)]).diagnostics.filter(({ severity }) => severity === 'error'))

/** Each rule is below the previous one. */
const below = (index: number, first = '100'): string => `<if_sid>${index === 0 ? first : 299_999 + index}</if_sid>`
const chain = (count: number, rule: (index: number) => string): string => group(numbered(count, rule))

/** Too long for suggestions, which have their own limit and test. */
const LOST = 'lost'.repeat(17)

/** Rules of groups that only dropped rules have, each another group, and as many rules that search for them. */
function lostGroups(count: number, lost: string): number {
  const seekers = numbered(count, (index) => `<rule id="${300_000 + count + index}" level="3"><if_group>${LOST}${index},</if_group>${TEXT}`)
  return errorsIn(group(lost + seekers))
}
const lostRules = (count: number): string => numbered(count, (index) => `<rule id="${300_000 + index}" level="3"><if_sid>9</if_sid><group>${LOST}${index},</group>${TEXT}`)

/** Repeats a text before a tag that does not end. */
function repeated(piece: string, count: number): void {
  const found = errorsIn(`${piece.repeat(count)}<rule`)
  assert.ok(found > 0 && found <= 2 * FAULTS_LIMIT, piece)
}

/** Merges files with an edited content. */
function mergeRules(contents: readonly string[], edit: (text: string) => string, theirs = contents): ReturnType<typeof mergeFiles> {
  const filesOf = (texts: readonly string[]) => texts.map((content, index) => ({ path: `rules/${index}.xml`, kind: 'rules' as const, content }))
  const ours = composeFiles(filesOf(contents), null)
  const newItems = { rules: 'rules/new.xml', decoders: 'decoders/new.xml', listsFolder: null }
  return mergeFiles({ base: filesOf(contents), ours: { ...ours, rules_xml: edit(ours.rules_xml) }, theirs: filesOf(theirs), newItems, lists: null, resolutions: [] })
}

const WRAPPER_HEADS = ['{"full_log":"', '{"manager":', '"', "'", 'full_log: ', '{\\"a\\":', '2026 Jan 05 10:11:12 ', '2026 Jan 05 10:11:12 (a) any->C:\\x', '** Alert 1.1:\n', '']
const WRAPPER_PIECES = ['x', ' ', '"', '\\', '(', '->', '{"a":', '.a ', "'", '"\'', '""', 'User: \n']

const PIECES = ['<rule ', '<rule>', '<group name="x"', '<![CDATA[x]]>', '<![CDATA[', '<!DOCTYPE x>', '</rule>', '<group name="x,"></rule>']

export const SUBJECTS: Subjects = {
  'elements in one line': (count) => elementsInOneLine('zz', count),
  'elements in one line of other characters than bytes': (count) => elementsInOneLine('zé', count),
  'comments without an end': (count) =>
    assert.ok(compile(file(`${group('<rule id="300000" level="3"><description>d</description></rule>')}${'<!x!>'.repeat(count)}`)).diagnostics.length > 0),
  'unclosed comments that are no XML': (count) => assert.ok(errorsIn('<!'.repeat(count)) > 0),
  'files of one name': (count) => {
    const files = Array.from({ length: count }, () => file('', 'same.xml'))
    assert.equal(compile(...files).diagnostics.filter(({ code }) => code === 'file_duplicate_name').length, count - 1)
  },
  'unknown options of one rule': (count) => assert.equal(errorsIn(group(`<rule id="300000" level="3">${'<x>1</x>'.repeat(count)}${TEXT}`)), count),
  'lines of a list in another format': (count) => {
    const list: SourceFile = { kind: 'lists', scope: 'adhoc', filename: 'etc/lists/other', content: 'a\n'.repeat(count) }
    assert.equal(countOf(compileLayer(base, [list]).diagnostics.filter(({ code }) => code === 'list_line_invalid')), count)
  },
  rules: (count) => assert.equal(compile(file(group(numbered(count, plain)))).summary.total_rules, count + base.counts.rules),
  'rules that count one rule': (count) => {
    const counting = numbered(count, plain).replaceAll('level="3">', 'level="3" frequency="4" timeframe="9"><if_matched_sid>299999</if_matched_sid>')
    assert.equal(compile(file(group(`<rule id="299999" level="3">${TEXT}${counting}`))).summary.total_rules, count + 1 + base.counts.rules)
  },
  'techniques of one rule': (count) => {
    const technique = (index: number): string => `<mitre><id>T${index}</id></mitre>`
    const one = compileLayer(base, [file(group(`<rule id="300000" level="3"><match>m</match><description>d</description>${numbered(count, technique)}${technique(7)}</rule>`))])
    assert.deepEqual(one.rules.find(300000)?.mitreIds.slice(-2), [`T${count - 2}`, `T${count - 1}`])
  },
  'rules below a level': (count) => {
    const levelled = compileLayer(base, [file(group(numbered(count, (index) => plain(index).replace('<match>m</match>', '<if_level>99</if_level>'))))])
    assert.equal(levelled.rules.placements(299_999 + count).length, base.rules.withRank(9900, 0).length)
  },
  'rules without a parent': (count) => {
    const rules = numbered(count, (index) => `<rule id="${300_000 + index}" level="3"><if_sid>9</if_sid><description>lost</description></rule>\n`)
    assert.equal(countOf(compileLayer(base, [file(group(rules))]).diagnostics.filter(({ code }) => code === 'rule_parent_missing')), count)
  },
  'broken rules, each below the one before': (count) =>
    assert.equal(errorsIn(chain(count, (index) => `<rule id="${300_000 + index}" level="3">${below(index)}<bogus />${TEXT}`)), 2 * count - 1),
  'dropped rules, each below the one before': (count) =>
    assert.equal(errorsIn(chain(count, (index) => `<rule id="${300_000 + index}" level="3">${below(index, '9')}${TEXT}`)), count),
  'rules that are not well-formed, each below the one before': (count) =>
    assert.equal(errorsIn(chain(count, (index) => `<rule id="${300_000 + index}" level=3>${below(index)}${TEXT}`)), 2 * FAULTS_LIMIT - 1),
  'groups of lost rules': (count) => assert.equal(lostGroups(count, lostRules(count)), 2 * count),
  'misspelt groups of rules': (count) =>
    assert.equal(lostGroups(count, lostRules(count).replaceAll('<if_sid>9<', '<if_sid>100<').replaceAll('<group>', '<gruop>').replaceAll('</group>', '</gruop>')), 2 * count),
  'options of one rule that are not closed': (count) => assert.ok(errorsIn(group(`<rule id="300000" level="3">${'<match>'.repeat(count)}</rule>`)) > 0),
  'options of one rule that are closed by another name': (count) => assert.ok(errorsIn(group(`<rule id="300000" level="3">${'<match>a</mach>'.repeat(count)}</rule>`)) > 0),
  'rules in a comment without an end': (count) => assert.equal(errorsIn(`<!-- ${'<rule id="1" '.repeat(count)}`), 1),
  'a merge of rules that all changed, with comments': (count) => {
    const text = group(numbered(count, (index) => `<!-- ${index} -->\n${plain(index)}\n`))
    assert.equal(mergeRules([text], (ours) => ours.replaceAll('"3"', '"4"').replaceAll('<!-- ', '<!-- new ')).changes.length, count)
  },
  'a merge of rules of one id': (count) => {
    const text = group(numbered(count, (index) => plain(0).replace('"3"', `"${index % 16}"`)))
    assert.equal(mergeRules([text], (ours) => ours.replace(plain(0), '').replace('"5"', '"99"')).changes.length, 1)
  },
  'a merge of different rules of one id, in another order on each side': (count) => {
    const rules = Array.from({ length: count }, (_, index) => plain(0).replace('>m<', `>${index}<`))
    const theirs = [...rules.slice(count / 2), ...rules.slice(0, count / 2)]
    assert.equal(mergeRules([group(rules.join(''))], () => group(rules.toReversed().join('')), [group(theirs.join(''))]).conflicts.length, 1)
  },
  'a merge of equal rules of one id, of which each side removes some': (count) => {
    const text = group(plain(0).repeat(count))
    const { conflicts, changes } = mergeRules([text], (ours) => ours.replace(plain(0), ''), [group(plain(0).repeat(count - 5))])
    assert.deepEqual([conflicts.length, changes.length], [1, 0])
  },
  'a merge of new rules, each the parent of an old one': (count) => {
    const edited = numbered(count, (index) => plain(count + index) + plain(index).replace('<match>', `<if_sid>${300_000 + count + index}</if_sid><match>`))
    assert.equal(mergeRules([group(numbered(count, plain))], () => group(edited)).changes.length, 2 * count)
  },
  'a merge of a rule with elements in one another': (count) => {
    const text = group(plain(0).replace('<match>', `${'<a>'.repeat(count)}${'</a>'.repeat(count)}<match>`))
    assert.equal(mergeRules([text], (ours) => ours.replace('"3"', '"4"')).changedPaths.length, 1)
  },
  'a merge of long comments that both sides change': (count) => {
    const text = `<!-- ${'x\n '.repeat(count)}-->\n${group(`${numbered(count, (index) => `<!-- ${index} -->\n`)}${plain(0)}`)}`
    assert.equal(mergeRules([text], (ours) => ours.replaceAll('<!-- ', '<!-- new '), [text.replaceAll('x\n', 'y\n')]).conflicts.length, 0)
  },
  'a merge of rules that moved to groups of their own': (count) => {
    const moved = numbered(count, (index) => `<group name="g${index},">${plain(index)}</group>`)
    assert.equal(mergeRules([group(numbered(count, plain))], () => moved).changes.length, count)
  },
  'a merge of variables': (count) => {
    const text = numbered(count, (index) => `<var name="v${index}">${index}</var>\n`) + group(numbered(count, (index) => plain(index).replace('>m<', `>$v${index}<`)))
    assert.equal(
      mergeRules([text, group(plain(count))], (ours) => ours.replace('>m<', `>$v0${numbered(count, (index) => `|$v${index}`)}<`).replaceAll('"3"', '"4"')).changedPaths.length,
      2,
    )
  },
  'a merge of files that cannot be read': (count) => {
    const texts = Array.from({ length: count }, (_, index) => `<group name="g${index},">\n${plain(index)}\n<!!>\n`)
    assert.equal(mergeRules(texts, (ours) => ours.replace('name="g0,"', 'name="h,"')).changedPaths.length, 1)
  },
  'a merge of files that cannot be read and are all changed': (count) => {
    const texts = Array.from({ length: 2 * count }, (_, index) => (index % 2 === 0 ? group(`\n${plain(index)}\n\n`) : `<group name="g,">\n${plain(index)}\n<!!>\n`))
    const { changedPaths, conflicts } = mergeRules(texts, (ours) => ours.replaceAll('<!!>', '<!?>'))
    assert.ok(changedPaths.length > 0 && changedPaths.length + conflicts.length <= count)
  },
  'a merge of a content of short lines that cannot be read': (count) =>
    assert.equal(mergeRules([`${'\n'.repeat(count)}<rule>`, `a\n${'\n'.repeat(count)}b`], (ours) => `\n${ours.replace('a', 'x')}`).changedPaths.length, 0),
  'variables of another file': (count) => {
    const defined = numbered(count, (index) => `<var name="OTHER${index}">${index}</var>\n`)
    const named = numbered(count, (index) => plain(index).replace('>m<', `>$OTHER${index}<`))
    const { diagnostics } = compile(file(defined + group(`<rule id="299999" level="3">${TEXT}`), 'a.xml'), file(group(named)))
    // More are not reported of one file.
    assert.equal(diagnostics.filter(({ code }) => code === 'xml_variable_not_replaced').length, Math.min(count, 100))
    assert.equal(diagnostics.filter(({ code }) => code === 'xml_variable_unused').length, 0)
  },
  'decoders for logs that an earlier one takes': (count) => {
    const date = '^\\d\\d\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d '
    const decoder = (index: number): string => `<decoder name="dated${index}"><prematch>${date}${index === 0 ? '' : `tide${index}x`}</prematch></decoder>\n`
    const { diagnostics } = compile({ kind: 'decoders', scope: 'adhoc', filename: 'zz.xml', content: numbered(count, decoder) })
    assert.equal(countOf(diagnostics.filter(({ code }) => code === 'decoder_date_taken')), count - 1)
  },
  ...Object.fromEntries(PIECES.map((piece) => [`${piece} again and again`, (count: number) => repeated(piece, count)])),
  'events like records about logs': (count) => {
    for (const head of WRAPPER_HEADS) for (const piece of WRAPPER_PIECES) unwrap(head + piece.repeat(4 * count))
    assert.ok(unwrap(`"full_log": "${'x'.repeat(count)}"`) !== null)
  },
}
