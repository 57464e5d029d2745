/** Merges with files that cannot be split into items. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { composeFiles, type MergeAnswer, mergeFiles, type MergeRequest, type RepositoryFile } from '#engine'

const rule = (id: number, match: string): string => `  <rule id="${id}" level="3">\n    <match>${match}</match>\n  </rule>\n`
const file = (path: string, content: string): RepositoryFile => ({ path, kind: 'rules', content })

const A = file('a.xml', `<group name="a,">\n${rule(1, 'one')}</group>\n`)
const BROKEN = file('b.xml', `<!-- Nobody closed the group -->\n<group name="b,">\n${rule(2, 'two')}`)
const C = file('c.xml', `<group name="c,">\r\n${rule(3, 'three').replaceAll('\n', '\r\n')}</group>\r\n`)
const D = file('d.xml', `<group name="d,">\n${rule(4, 'four')}</group>\n`)
const BASE = [A, BROKEN, C, D]

interface Edit {
  readonly base?: readonly RepositoryFile[]
  readonly theirs?: readonly RepositoryFile[]
  readonly resolutions?: MergeRequest['resolutions']
  readonly target?: string
}

function merge(files: readonly RepositoryFile[], edit: (text: string) => string, { base = files, theirs = files, resolutions = [], target = 'local.xml' }: Edit = {}): MergeAnswer {
  const ours = composeFiles(files, null)
  return mergeFiles({
    base,
    ours: { ...ours, rules_xml: edit(ours.rules_xml) },
    theirs,
    newItems: { rules: target, decoders: 'decoders.xml', listsFolder: null },
    lists: null,
    resolutions,
  })
}

const contents = ({ files }: MergeAnswer): Record<string, string> => Object.fromEntries(files.map(({ path, content }) => [path, content]))
const edited = (one: RepositoryFile, from: string, to: string): RepositoryFile => ({ ...one, content: one.content.replace(from, to) })

describe('a file that cannot be read', () => {
  test('stays as it is, while rules of others change', () => {
    assert.deepEqual(merge(BASE, (text) => text).changedPaths, [])
    const answer = merge(BASE, (text) => text.replace('three', '3').replace('one', '1'))
    assert.deepEqual(answer.files, [edited(A, 'one', '1'), BROKEN, edited(C, 'three', '3'), D])
    assert.deepEqual(answer.conflicts, [])
  })

  test('does not concern a file of one line after it, that is where it was', () => {
    const line = file('aa.xml', '<group name="aa,"><rule id="5" level="3"/></group>\n')
    const files = [A, line, BROKEN, C]
    const answer = merge(files, (text) => text.replace('two', '2'))
    assert.deepEqual([answer.files, answer.conflicts], [[A, line, edited(BROKEN, 'two', '2'), C], []])
    assert.deepEqual(merge(files, (text) => text.replace('one', '1')).conflicts, [])
  })

  test('is replaced as a whole if only ours changed it', () => {
    const answer = merge(BASE, (text) => text.replace('two', '2').replace('four', '4'))
    assert.deepEqual(answer.files, [A, edited(BROKEN, 'two', '2'), C, edited(D, 'four', '4')])
    assert.deepEqual(answer.changes[0], { kind: 'file', name: 'b.xml', change: 'changed', path: 'b.xml' })
  })

  test('is a conflict if both changed it', () => {
    const theirs = [A, edited(BROKEN, 'two', 'zwei'), C, D]
    const edit = (text: string): string => text.replace('two', '2')
    const answer = merge(BASE, edit, { theirs })
    assert.deepEqual(
      [answer.changedPaths, answer.conflicts],
      [[], [{ kind: 'file', name: 'b.xml', path: 'b.xml', base: BROKEN.content, ours: edited(BROKEN, 'two', '2').content, theirs: theirs[1].content }]],
    )
    const decided = (take: 'ours' | 'theirs'): MergeAnswer => merge(BASE, edit, { theirs, resolutions: [{ kind: 'file', name: 'b.xml', take }] })
    assert.deepEqual([decided('theirs').files, decided('theirs').conflicts], [theirs, []])
    assert.deepEqual([decided('ours').files, decided('ours').conflicts], [[A, edited(BROKEN, 'two', '2'), C, D], []])
  })

  test('is repaired by ours', () => {
    const answer = merge(BASE, (text) => text.replace('<group name="c,">', '</group>\n<group name="c,">'))
    assert.deepEqual(answer.files, [A, file('b.xml', `${BROKEN.content}</group>\n`), C, D])
  })

  test('does not get new rules', () => {
    const added = `<group name="new,">\n${rule(9, 'nine')}</group>\n`
    const answer = merge(BASE, (text) => text + added, { target: 'b.xml' })
    assert.deepEqual(contents(answer), { ...contents(merge(BASE, (text) => text)), 'b-2.xml': added })
  })

  test('of theirs has a conflict for each of its rules that ours changed', () => {
    const theirs = [file('a.xml', A.content.replace('</rule>', '')), C]
    const edit = (text: string): string => text.replace('one', '1').replace('three', '3')
    const answer = merge([A, C], edit, { theirs })
    assert.deepEqual(answer.files, [theirs[0], edited(C, 'three', '3')])
    const [{ kind, name, path, base, theirs: text }, ...others] = answer.conflicts
    assert.deepEqual([kind, name, path, others.length], ['rule', '1', 'a.xml', 0])
    assert.match(base ?? '', /<match>one/)
    assert.match(text ?? '', /^<rule id="1" level="3">/)
    assert.deepEqual(merge([A, C], edit, { theirs, resolutions: [{ kind: 'rule', name: '1', take: 'theirs' }] }).conflicts, [])
    assert.deepEqual(merge([A, C], (text) => text.replace('three', '3'), { theirs }).conflicts, [])
  })
})

describe('a content that cannot be read', () => {
  test('changes the file that has the fault, and the rules of others', () => {
    const answer = merge([A, C, D], (text) => text.replace('<match>one</match>', '<match>one').replace('four', '4'))
    assert.deepEqual(answer.files, [edited(A, '<match>one</match>', '<match>one'), C, edited(D, 'four', '4')])
  })

  test('has a fault at its end in the last file', () => {
    const answer = merge([A, C], (text) => `${text}<group name="d,">\n`)
    assert.deepEqual(answer.files, [A, { ...C, content: `${C.content}<group name="d,">\r\n` }])
  })

  test('that stands for several files is a conflict, and decided for ours goes into the first', () => {
    const edit = (text: string): string => text.replace('one', '1').replace('</rule>\n</group>', '</rule>').replace('three', '3')
    const answer = merge([A, C], edit)
    assert.deepEqual([answer.changedPaths, answer.conflicts.map(({ kind, name }) => [kind, name])], [[], [['file', 'a.xml']]])
    const decided = merge([A, C], edit, { resolutions: [{ kind: 'file', name: 'a.xml', take: 'ours' }] })
    assert.deepEqual(
      [contents(decided), decided.changedPaths, decided.conflicts],
      [{ 'a.xml': edit(composeFiles([A, C], null).rules_xml).replaceAll('\r', '') }, ['a.xml', 'c.xml'], []],
    )
  })

  test('without a base is a conflict if theirs has files', () => {
    const edit = (): string => '<group name="d,">\n'
    assert.deepEqual(
      merge([A], edit, { base: [] }).conflicts.map(({ kind, name, path, ours }) => [kind, name, path, ours]),
      [['file', 'local.xml', null, '<group name="d,">\n']],
    )
    const other = { path: 'local.xml', kind: 'decoders', content: '<decoder name="d"/>' } as const
    const decided = merge([other, A], edit, { base: [], resolutions: [{ kind: 'file', name: 'local-2.xml', take: 'ours' }] })
    assert.deepEqual(contents(decided), { 'a.xml': A.content, 'local.xml': other.content, 'local-2.xml': '<group name="d,">\n' })
    assert.deepEqual(contents(merge([], edit)), { 'local.xml': '<group name="d,">\n' })
  })
})
