/** Merges of rules and decoders that refer to one another: nothing is loaded before what it refers to. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { composeFiles, type MergeAnswer, mergeFiles, type RepositoryFile } from '#engine'

const rule = (id: number, parent: number | null, level = 3): string =>
  `  <rule id="${id}" level="${level}">\n${parent === null ? '' : `    <if_sid>${parent}</if_sid>\n`}    <description>R${id}</description>\n  </rule>\n`
const group = (name: string, ...rules: readonly string[]): string => `<group name="${name},">\n${rules.join('\n')}</group>\n`
const file = (path: string, content: string): RepositoryFile => ({ path, kind: 'rules', content })
const decoder = (name: string, parent: string | null, regex = 'x'): string =>
  `<decoder name="${name}">\n  ${parent === null ? '<program_name>^app$</program_name>' : `<parent>${parent}</parent>`}\n  <regex>${regex} (\\d+)</regex>\n  <order>id</order>\n</decoder>\n`
const decoders = (path: string, content: string): RepositoryFile => ({ path, kind: 'decoders', content })

function merge(base: readonly RepositoryFile[], edit: (text: string) => string, target = 'local.xml', theirs = base): MergeAnswer {
  const ours = composeFiles(base, null)
  return mergeFiles({
    base,
    ours: base[0]?.kind !== 'decoders' ? { ...ours, rules_xml: edit(ours.rules_xml) } : { ...ours, decoders_xml: edit(ours.decoders_xml) },
    theirs,
    newItems: { rules: target, decoders: target, listsFolder: null },
    lists: null,
    resolutions: [],
  })
}

const contents = ({ files }: MergeAnswer): Record<string, string> => Object.fromEntries(files.map(({ path, content }) => [path, content]))

const A = file('a.xml', group('a', rule(100, null), rule(101, 100)))
const B = file('b.xml', group('b', rule(200, null)))
const W = file('web.xml', group('web', rule(500, null)))

describe('a new rule', () => {
  test('goes behind its parent, if the file for new rules is loaded before', () => {
    const added = (text: string): string => text.replace(/<\/group>\n$/, `\n${rule(501, 500)}\n${rule(502, 501)}</group>\n`)
    const answer = merge([W], added)
    assert.deepEqual(contents(answer), { 'web.xml': group('web', `${rule(500, null)}${rule(501, 500)}${rule(502, 501)}`) })
    assert.deepEqual(answer.changes, [
      { kind: 'rule', name: '501', change: 'added', path: 'web.xml' },
      { kind: 'rule', name: '502', change: 'added', path: 'web.xml' },
    ])
    assert.deepEqual(contents(merge([W], added, 'zz.xml')), { 'web.xml': W.content, 'zz.xml': group('web', rule(501, 500), rule(502, 501)) })
  })

  test('goes behind a parent that only theirs has', () => {
    assert.deepEqual(contents(merge([], () => group('web', rule(501, 500)), 'local.xml', [W])), { 'web.xml': group('web', `${rule(500, null)}${rule(501, 500)}`) })
  })

  test('goes behind the rules of the group to which it refers', () => {
    const child = rule(501, null).replace('<description>', '<if_group>web</if_group>\n    <description>')
    const answer = merge([B, W], (text) => `${text}${group('n', child)}`)
    assert.deepEqual(contents(answer), { 'b.xml': B.content, 'web.xml': `${W.content.trimEnd()}\n\n${group('n', child)}` })
  })

  test('goes before a rule that is now its child', () => {
    const answer = merge([A, B], (text) => text.replace(rule(101, 100), `${rule(150, 100)}\n${rule(101, 150)}`))
    assert.deepEqual(contents(answer), { 'a.xml': group('a', rule(100, null), rule(150, 100), rule(101, 150)), 'b.xml': B.content })
  })

  test('splits the group of a rule that is now its child', () => {
    const edit = (text: string): string => text.replace(`\n${rule(101, 100)}`, `</group>\n\n${group('new', rule(150, 100))}\n<group name="a,">\n${rule(101, 150)}`)
    assert.deepEqual(contents(merge([A, B], edit)), { 'a.xml': edit(A.content).replace(rule(100, null), `${rule(100, null)}\n`), 'b.xml': B.content })
  })

  test('goes to the file for new rules, if that is loaded before its children', () => {
    const answer = merge([A, B], (text) => text.replace(rule(101, 100), `${rule(150, null)}\n${rule(101, 150)}`), '0.xml')
    assert.deepEqual(contents(answer), { '0.xml': group('a', rule(150, null)), 'a.xml': A.content.replace('<if_sid>100', '<if_sid>150'), 'b.xml': B.content })
  })

  test('goes to the file for new rules, if ours itself has it behind its child', () => {
    const answer = merge([A, B], (text) => text.replace(rule(101, 100), `${rule(101, 150)}\n${rule(150, null)}`))
    assert.equal(contents(answer)['local.xml'], group('a', rule(150, null)))
  })

  test('goes behind the last of the rules of a group to which it refers', () => {
    const child = rule(501, null).replace('<description>', '<if_group>web</if_group>\n    <description>')
    const later = file('z.xml', group('web', rule(600, null)))
    assert.deepEqual(contents(merge([W, later], (text) => `${text}${group('web', child)}`)), { 'web.xml': W.content, 'z.xml': group('web', `${rule(600, null)}${child}`) })
  })

  test('stays behind its parent at the end of a file', () => {
    const moved = merge([A, B], () => group('a', rule(100, null)) + group('b', rule(200, null)) + group('w', rule(101, 200)) + group('b', rule(201, 101)), 'b.xml')
    assert.equal(contents(moved)['b.xml'], `${B.content}\n${group('w', rule(101, 200))}\n${group('b', rule(201, 101))}`)
    const regrouped = merge([A], () => group('a', rule(100, null)) + group('w', rule(101, 100)) + group('a', rule(102, 101)), 'a.xml')
    assert.equal(contents(regrouped)['a.xml'], `${group('a', `${rule(100, null)}\n`)}\n${group('w', rule(101, 100))}\n${group('a', rule(102, 101))}`)
  })

  test('goes to the file for new rules, if ours itself has it before its parent', () => {
    assert.deepEqual(contents(merge([W], (text) => group('web', rule(501, 500)) + text)), { 'local.xml': group('web', rule(501, 500)), 'web.xml': W.content })
  })
})

describe('a changed rule', () => {
  test('goes behind its new parent, and its children with it', () => {
    const base = [file('a.xml', group('a', rule(100, null), rule(101, 100), rule(102, 101))), B]
    const ours = group('a', rule(100, null)) + group('b', rule(200, null)) + group('a', rule(101, 200), rule(102, 101))
    const answer = merge(base, () => ours)
    assert.deepEqual(contents(answer), {
      'a.xml': group('a', `${rule(100, null)}\n`),
      'b.xml': `${group('b', rule(200, null))}\n${group('a', rule(101, 200), rule(102, 101))}`,
    })
    assert.deepEqual(
      answer.changes.map(({ name, change, path }) => [name, change, path]),
      [
        ['101', 'changed', 'b.xml'],
        ['102', 'changed', 'b.xml'],
      ],
    )
  })

  test('goes behind its new parent into its new group, with a group that theirs changed', () => {
    const ours = group('a', rule(100, null)) + group('b', rule(200, null), rule(101, 200))
    assert.deepEqual(contents(merge([A, B], () => ours)), { 'a.xml': group('a', `${rule(100, null)}\n`), 'b.xml': group('b', `${rule(200, null)}${rule(101, 200)}`) })
    const theirs = [file('a.xml', A.content.replace('"a,"', '"t,"')), B]
    const both = merge([A, B], () => group('a', rule(100, null)) + group('b', rule(200, null)) + group('a', rule(101, 200)), 'local.xml', theirs)
    assert.equal(contents(both)['b.xml'], `${B.content}\n${group('t', rule(101, 200))}`)
    assert.deepEqual(both.conflicts, [])
  })

  test('leaves its group to a new rule that was placed before it', () => {
    const base = [file('a.xml', group('a', rule(101, null))), B]
    const both = rule(101, null).replace('<description>', '<if_sid>150, 200</if_sid>\n    <description>')
    const answer = merge(base, () => group('a', rule(150, null)) + group('b', rule(200, null)) + group('a', both))
    assert.deepEqual(contents(answer), { 'a.xml': group('a', rule(150, null)), 'b.xml': `${B.content}\n${group('a', both)}` })
  })

  test('with a new id is another rule if its text is not unique, or there is no base', () => {
    const twins = file('a.xml', group('a', rule(1, null), rule(1, null).replace('id="1"', 'id="2"')))
    const edit = (text: string): string => text.replace('id="1"', 'id="8"').replace('id="2"', 'id="9"')
    assert.deepEqual(Object.keys(contents(merge([twins], edit))), ['local.xml'])
    const alone = mergeFiles({
      base: [],
      ours: { rules_xml: B.content.replace('id="200"', 'id="201"'), decoders_xml: '', lists: [] },
      theirs: [B],
      newItems: { rules: 'local.xml', decoders: 'local.xml', listsFolder: null },
      lists: null,
      resolutions: [],
    })
    assert.deepEqual(contents(alone), { 'b.xml': B.content, 'local.xml': B.content.replace('id="200"', 'id="201"') })
  })

  test('keeps its place with a new id, and with new ids of its parents', () => {
    const edit = (text: string): string => text.replaceAll(/(id="|if_sid>)(\d+)/g, (_, tag, id) => `${tag}${id === '200' ? id : `100${id}`}`)
    const answer = merge([A, B], edit)
    assert.deepEqual(contents(answer), { 'a.xml': edit(A.content), 'b.xml': B.content })
    assert.deepEqual(
      answer.changes.map(({ name, change }) => [name, change]),
      [
        ['100', 'removed'],
        ['101', 'removed'],
        ['100100', 'added'],
        ['100101', 'added'],
      ],
    )
  })

  test('with a new id is a conflict if theirs changed it', () => {
    const theirs = [file('a.xml', group('a', rule(100, null), rule(101, 100, 9))), B]
    const answer = merge([A, B], (text) => text.replace('id="101"', 'id="109"'), 'local.xml', theirs)
    assert.deepEqual(
      answer.conflicts.map(({ name, ours }) => [name, ours]),
      [['101', null]],
    )
    assert.match(answer.content.rules_xml, /<rule id="109"/)
  })
})

describe('a decoder', () => {
  const D = decoders('d.xml', `${decoder('app', null)}\n${decoder('app-k', 'app', 'a')}\n${decoder('app-k', 'app', 'b')}`)

  test('goes behind its parent', () => {
    assert.deepEqual(contents(merge([D], (text) => `${text}${decoder('app-l', 'app')}`, 'a.xml')), {
      'd.xml': `${decoder('app', null)}${decoder('app-l', 'app')}\n${decoder('app-k', 'app', 'a')}\n${decoder('app-k', 'app', 'b')}`,
    })
  })

  test('goes before a decoder that is now its child', () => {
    const edit = (text: string): string => text.replace(decoder('app-k', 'app', 'b'), `${decoder('new', null)}\n${decoder('app-k', 'new', 'b')}`)
    assert.deepEqual(contents(merge([D], edit, 'z.xml')), { 'd.xml': edit(D.content) })
  })
})

interface Rule {
  readonly id: number
  readonly parent: number | null
}

const written = ({ id, parent }: Rule): string => group(`g${id % 3}`, rule(id, parent))

/** The rules of a text in its order. */
function rulesOf(text: string): (Rule & { readonly group: string })[] {
  return [...text.matchAll(/<group name="(\w+),">|<rule id="(\d+)" level="3">(?:\s*<if_sid>(\d+))?/g)].reduce<(Rule & { readonly group: string })[]>(
    (found, [, name, id, parent]) => {
      if (name === undefined) found.push({ id: Number(id), parent: parent === undefined ? null : Number(parent), group: found.at(-1)?.group ?? '' })
      else found.push({ id: -1, parent: null, group: name })
      return found
    },
    [],
  )
}

/** Trees of rules in which each parent is before its children. `pick` chooses the parent of each rule. */
const tree = (ids: readonly number[], picks: readonly number[]): Rule[] =>
  ids.map((id, index) => ({ id, parent: index === 0 || picks[index] % 3 === 0 ? null : ids[picks[index] % index] }))

test('what ours has after its parent is after it in the files, with the same rules and groups', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 14 })
  const picks = fc.array(fc.nat(1000), { minLength: 14, maxLength: 14 })
  fc.assert(
    fc.property(ids, ids, picks, picks, picks, fc.constantFrom('0.xml', '5.xml', '55.xml', 'z.xml'), (old, now, oldPicks, newPicks, places, target) => {
      const base = [0, 1, 2].flatMap((number) => {
        // Files in the order of the tree, so that base itself loads.
        const own = tree(old, oldPicks).filter((_, index) => Math.floor((index * 3) / old.length) === number)
        return own.length === 0 ? [] : [file(`${number * 4 + 1}.xml`, own.map(written).join(places[number] % 2 === 0 ? '\n' : ''))]
      })
      const ours = tree(now, newPicks)
      const { content, conflicts } = merge(base, () => ours.map(written).join(''), target)
      assert.deepEqual(conflicts, [])
      const seen = new Set<number>()
      const merged: Record<string, unknown> = {}
      let name = ''
      for (const each of rulesOf(content.rules_xml)) {
        if (each.id === -1) name = each.group
        else {
          assert.ok(each.parent === null || seen.has(each.parent), `${each.id} is loaded before ${each.parent}:\n${content.rules_xml}`)
          assert.ok(!seen.has(each.id), `${each.id} twice`)
          seen.add(each.id)
          merged[each.id] = [each.parent, name]
        }
      }
      assert.deepEqual(merged, Object.fromEntries(ours.map(({ id, parent }) => [id, [parent, `g${id % 3}`]])))
    }),
    { numRuns: 500 },
  )
})
