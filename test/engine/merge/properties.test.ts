/** Properties of merges of generated repositories. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compileRuleset, composeFiles, describeSemantics, type MergeAnswer, mergeFiles, type RepositoryFile, type SourceFile } from '#engine'

interface Rule {
  readonly id: number
  readonly level: number
  readonly match: string
}

type Side = ReadonlyMap<number, 'changed' | 'removed'>

/** Rules by the number of their file. */
type Repository = readonly (readonly Rule[])[]

const LINE_ENDS = ['\n', '\r\n']
const COMMENTS = ['', '<!-- note -->', '<! odd !>', '<!-- <rule id="1"> -->']

function fileOf(rules: readonly Rule[], number: number): RepositoryFile {
  const written = rules.map(
    ({ id, level, match }) => `  ${COMMENTS[id % 4]}\n  <rule id="${id}" level="${level}">\n    <match>${match}</match>\n    <description>Número ${id}</description>\n  </rule>\n`,
  )
  const text = `${number % 3 === 0 ? '\ufeff' : ''}<!-- file ${number} -->\n<group name="g${number % 2},">\n${written.join(number % 2 === 0 ? '\n' : '')}</group>${number % 4 === 1 ? '' : '\n'}`
  return { path: `rules/${String(9 - number)}.xml`, kind: 'rules', content: text.replaceAll('\n', LINE_ENDS[number % 2]) }
}

const repository = fc
  .uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 24 })
  .chain((ids) =>
    fc.tuple(
      fc.constant(ids),
      fc.array(fc.nat(3), { minLength: ids.length, maxLength: ids.length }),
      fc.array(fc.constantFrom('a', 'x|y', '^b ', '$c', 'ç'), { minLength: ids.length, maxLength: ids.length }),
    ),
  )
  .map(([ids, places, matches]): Repository => [0, 1, 2, 3].map((file) => ids.flatMap((id, index) => (places[index] === file ? [{ id, level: 3, match: matches[index] }] : []))))

const side = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom('changed' as const, 'removed' as const)), { maxLength: 6 }).map((changes): Side => new Map(changes))

function withChanges(files: Repository, changes: Side, level: number): Repository {
  return files.map((rules) => rules.flatMap((rule) => (changes.get(rule.id) === 'removed' ? [] : [changes.get(rule.id) === 'changed' ? { ...rule, level } : rule])))
}

function written(files: Repository): RepositoryFile[] {
  return files.flatMap((rules, number) => (rules.length === 0 ? [] : [fileOf(rules, number)]))
}

function merge(base: readonly RepositoryFile[], rulesXml: string, theirs: readonly RepositoryFile[]): MergeAnswer {
  return mergeFiles({
    base,
    ours: { rules_xml: rulesXml, decoders_xml: '', lists: [] },
    theirs,
    newItems: { rules: 'rules/new.xml', decoders: 'new.xml', listsFolder: null },
    lists: null,
    resolutions: [],
  })
}

/** Levels by rule id. */
function levelsOf(files: readonly RepositoryFile[]): Record<string, string> {
  const levels: Record<string, string> = {}
  for (const { content } of files) for (const [, id, level] of content.replaceAll(/<!.*?(?:!>|-->)/g, '').matchAll(/<rule id="(\d+)" level="(\d+)">/g)) levels[id] = level
  return levels
}

/** Meaning of each rule, whatever its place. */
function meaningOf(files: readonly RepositoryFile[]): unknown {
  const sources = files.map(({ path, content, kind }): SourceFile => ({ filename: path, kind, content, scope: 'adhoc' }))
  const { rules } = describeSemantics(compileRuleset(sources))
  return Object.fromEntries(rules.map(({ name, options }) => [name, options]))
}

describe('a merge of any repository', () => {
  test('returns theirs if ours changed nothing', () => {
    fc.assert(
      fc.property(repository, side, (files, changes) => {
        const base = written(files)
        const theirs = written(withChanges(files, changes, 7))
        const answer = merge(base, composeFiles(base, null).rules_xml, theirs)
        assert.deepEqual([answer.changedPaths, answer.conflicts], [[], []])
        assert.deepEqual(new Set(answer.files), new Set(theirs))
      }),
    )
  })

  test('has the rules of ours, with their meaning, if theirs changed nothing', () => {
    fc.assert(
      fc.property(repository, side, fc.boolean(), (files, changes, isFlat) => {
        const base = written(files)
        const edited = written(withChanges(files, changes, 9))
        const composed = composeFiles(edited, null).rules_xml
        // As a program writes it: without comments and indentation.
        const ours = isFlat ? composed.replaceAll(/<!.*?(?:!>|-->)/g, '').replaceAll(/>\s+</g, '><') : composed
        const answer = merge(base, ours, base)
        assert.deepEqual(levelsOf(answer.files), levelsOf(edited))
        assert.deepEqual(meaningOf(answer.files), meaningOf(edited))
        assert.deepEqual(answer.content, composeFiles(answer.files, null))
        const kept = base.filter(({ path }) => !answer.changedPaths.includes(path))
        assert.deepEqual(
          kept,
          answer.files.filter(({ path }) => !answer.changedPaths.includes(path)).sort((a, b) => (a.path < b.path ? 1 : -1)),
        )
      }),
    )
  })

  test('has the changes of both sides, or names the rule', () => {
    fc.assert(
      fc.property(repository, side, side, (files, ourChanges, theirChanges) => {
        const base = written(files)
        const ours = withChanges(files, ourChanges, 9)
        const theirs = withChanges(files, theirChanges, 7)
        const answer = merge(base, composeFiles(written(ours), null).rules_xml, written(theirs))
        const all = files.flat()
        const disputed = all.filter(({ id }) => ourChanges.has(id) && theirChanges.has(id) && !(ourChanges.get(id) === 'removed' && theirChanges.get(id) === 'removed'))
        assert.deepEqual(
          answer.conflicts.map(({ name }) => Number(name)).sort((a, b) => a - b),
          disputed.map(({ id }) => id).sort((a, b) => a - b),
        )
        const expected = all.flatMap(({ id, level }) => {
          const change = theirChanges.get(id) ?? ourChanges.get(id)
          return change === 'removed' ? [] : [[String(id), String(change === undefined ? level : theirChanges.has(id) ? 7 : 9)]]
        })
        assert.deepEqual(levelsOf(answer.files), Object.fromEntries(expected))
        assert.deepEqual(merge(base, composeFiles(written(ours), null).rules_xml, written(theirs)), answer)
      }),
    )
  })

  test('answers any text, and keeps theirs if ours is not readable', () => {
    const noise = fc
      .array(
        fc.constantFrom('<', '>', '</', '<!--', '-->', '<group name="g">', '</group>', '<rule id="1" level="2">', '</rule>', '<var name="v">', '</var>', '\n', '\\', 'é', '"'),
        { maxLength: 30 },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(noise, noise, noise, (base, ours, theirs) => {
        const file = (content: string): RepositoryFile => ({ path: 'rules/a.xml', kind: 'rules', content })
        const { files, changedPaths } = merge([file(base)], ours, [file(theirs)])
        if (changedPaths.length === 0) assert.deepEqual(files, [file(theirs)])
        assert.deepEqual(merge([file(base)], composeFiles([file(base)], null).rules_xml, [file(theirs)]).files, [file(theirs)])
      }),
      { numRuns: 500 },
    )
  })
})
