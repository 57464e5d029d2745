import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CompiledRuleset, compileRuleset, type SourceFile } from '#engine'
import { composeRuleset } from '../../../workers/content/compose.js'
import { diskContent, hashContent, rulesetKey } from '../../../workers/content/content.js'
import type { BaseChecks, RulesetReference } from '../../../workers/shared/protocol.js'
import { BYTES_PER_SOURCE_BYTE, ENTRY_BYTES, type FoundRuleset, RulesetCache } from '../../../workers/thread/ruleset-cache.js'
import { BASE, group, rule, rulesFile } from '../support/rulesets.js'

const MB = 1024 * 1024
const disk = diskContent(
  [...BASE, rulesFile(group(rule(5, '<match>old local</match>')), 'local_rules.xml', 'default')],
  [rulesFile(group(rule(6, '<match>six</match>')), 'm.xml', 'custom')],
)

function reference(files: readonly SourceFile[] | null, options: Partial<RulesetReference> = {}): RulesetReference {
  return {
    key: hashContent([files ?? []]),
    organization: 'o',
    diskId: disk.id,
    includeDefaults: true,
    includeCustom: true,
    source: files === null ? null : { files },
    disk: null,
    ...options,
  }
}

function find(cache: RulesetCache, wanted: RulesetReference): FoundRuleset {
  const found = cache.find(wanted)
  if (typeof found === 'string') assert.fail(`missing ${found}`)
  return found
}

const one = (id: number, filename = 'z.xml'): SourceFile[] => [rulesFile(group(rule(id, `<match>word ${id}</match>`)), filename)]

describe('RulesetCache', () => {
  it('takes over what another thread has found in the same base', () => {
    const content = diskContent(BASE, [rulesFile(group(rule(6, '<match>six</match>')), 'm.xml', 'custom')])
    const warm = (adopted: BaseChecks | null): RulesetCache => {
      const cache = new RulesetCache(MB)
      cache.warm(content)
      if (adopted !== null) cache.adoptChecks(content.id, structuredClone(adopted))
      return cache
    }
    const diagnosticsOf = (cache: RulesetCache) => find(cache, reference([], { diskId: content.id })).entry.report('en-US', true).diagnostics
    const first = warm(null)
    assert.equal(first.checksOf(content.id), null)
    const all = diagnosticsOf(first)
    const checks = first.checksOf(content.id) as BaseChecks
    assert.notEqual(checks.diagnostics.length, 0)
    assert.deepEqual(diagnosticsOf(warm(checks)), all)
    assert.equal(diagnosticsOf(warm({ ...checks, diagnostics: [] })).length, all.length - checks.diagnostics.length)
    assert.deepEqual(diagnosticsOf(warm({ hash: 'of another base', diagnostics: [] })), all)
  })

  it('reports what it lacks: the disk content, then the ruleset', () => {
    const cache = new RulesetCache(MB)
    assert.equal(cache.find(reference([])), 'disk')
    assert.equal(cache.find(reference(null, { disk })), 'ruleset')
    assert.equal(typeof cache.find(reference([], { includeDefaults: false, includeCustom: false, diskId: 'unknown' })), 'object')
  })

  for (const [name, files] of [
    ['files that load last', one(100100)],
    ['files that load before the custom ones', one(100100, 'a.xml')],
    ['files that load before the default ones', one(100100, '0000.xml')],
    ['a replaced local file', one(100100, 'local_rules.xml')],
  ] as const) {
    it(`compiles ${name} with the same result as compiling everything at once`, () => {
      const cache = new RulesetCache(MB)
      const { entry } = find(cache, reference(files, { disk }))
      const whole = compileRuleset(composeRuleset(disk.defaults, disk.custom, files))
      assert.equal(entry.ruleset.hash, whole.hash)
      assert.deepEqual(
        entry.ruleset.rules.inOrder().map(({ id }) => id),
        whole.rules.inOrder().map(({ id }) => id),
      )
    })
  }

  it('omits the folders that are not requested', () => {
    const cache = new RulesetCache(MB)
    const ids = (options: Partial<RulesetReference>): number[] =>
      find(cache, reference([], { disk, ...options }))
        .entry.ruleset.rules.inOrder()
        .map(({ id }) => id)
    assert.deepEqual(ids({ includeCustom: false }), [1, 5])
    assert.deepEqual(ids({ includeDefaults: false, includeCustom: false }), [])
    assert.deepEqual(ids({}), [1, 5, 6])
  })

  it('treats an empty folder as absent', () => {
    const bare = diskContent(disk.defaults, [])
    const cache = new RulesetCache(MB)
    find(cache, reference([], { disk: bare, diskId: bare.id }))
    assert.equal(find(cache, reference([], { disk: bare, diskId: bare.id, includeCustom: false })).cacheHit, true)
    assert.equal(rulesetKey('o', bare, true, true, one(1)), rulesetKey('o', bare, true, false, one(1)))
    assert.notEqual(rulesetKey('o', disk, true, true, one(1)), rulesetKey('o', disk, true, false, one(1)))
    const local = (content: string): SourceFile => ({ filename: 'local_rules.xml', kind: 'rules', scope: 'custom', content })
    const replaced = diskContent(disk.defaults, [local('old')])
    assert.equal(rulesetKey('o', replaced, true, true, [local('new')]), rulesetKey('o', replaced, true, false, [local('new')]))
    assert.notEqual(rulesetKey('o', replaced, true, true, one(1)), rulesetKey('o', replaced, true, false, one(1)))
    const shipped = diskContent([local('shipped')], [local('old')])
    assert.equal(rulesetKey('o', shipped, true, true, one(1)), rulesetKey('o', shipped, false, true, one(1)))
    assert.notEqual(rulesetKey('o', shipped, true, false, one(1)), rulesetKey('o', shipped, false, false, one(1)))
  })

  it('finds by key alone the rulesets that it has compiled', () => {
    const cache = new RulesetCache(2 * MB)
    const files = one(100100)
    assert.equal(find(cache, reference(files, { disk })).cacheHit, false)
    const again = find(cache, { ...reference(files), source: null })
    assert.equal(again.cacheHit, true)
    assert.equal(again.entry.ruleset.rules.find(100100)?.id, 100100)
  })

  it('counts what the size of sources does not show: small files, diagnostics, and places in the rule tree', () => {
    const sizeOf = (files: readonly SourceFile[]): { compiled: number; told: number; words: number } => {
      const cache = new RulesetCache(1024 * MB)
      cache.warm(disk)
      const { entry } = find(cache, reference(files))
      const compiled = cache.bytes
      const words = (['en-US', 'pt-BR'] as const).reduce((sum, locale) => sum + entry.report(locale, true).diagnosticsJson.length, 0)
      entry.report('pt-BR', true)
      return { compiled, told: cache.bytes, words }
    }
    const empty = sizeOf(Array.from({ length: 2000 }, (_, index) => rulesFile('', `z${index}.xml`)))
    assert.ok(empty.words > MB && empty.told > empty.compiled + empty.words)
    const doubling = Array.from({ length: 15 }, (_, index) => rule(100100 + index, index === 0 ? '<match>a</match>' : '<if_group>tests</if_group>'))
    assert.ok(sizeOf([rulesFile(group(...doubling), 'z.xml')]).compiled > 2 ** 13 * 100)
  })

  describe('of lists', () => {
    const using = (id: number, name: string): string => rule(id, `<list field="srcip">etc/lists/${name}</list>`)
    const list = (name: string, content = '192.0.2.1:', scope: SourceFile['scope'] = 'adhoc'): SourceFile => rulesFile(content, `etc/lists/${name}`, scope, 'lists')
    /** Large enough to show whether it is compiled again. */
    const large = rulesFile(`<!--${' '.repeat(MB)}-->${group(rule(7, '<match>seven</match>'))}`, '0002-large.xml', 'default')
    const withLists = diskContent(
      [...BASE, large, list('base', '192.0.2.9:', 'default')],
      [rulesFile(group(using(8, 'base'), using(9, 'wanted')), 'm.xml', 'custom'), list('custom', '192.0.2.9:', 'custom')],
    )
    const compile = (files: readonly SourceFile[]): { bytes: number; ruleset: CompiledRuleset } => {
      const cache = new RulesetCache(1024 * MB)
      cache.warm(withLists)
      const { ruleset } = find(cache, reference(files, { diskId: withLists.id })).entry
      const whole = compileRuleset(composeRuleset(withLists.defaults, withLists.custom, files))
      assert.equal(ruleset.hash, whole.hash)
      assert.deepEqual([...ruleset.lists].sort(), [...whole.lists].sort())
      assert.deepEqual(
        ruleset.rules.inOrder().map(({ id }) => id),
        whole.rules.inOrder().map(({ id }) => id),
      )
      return { bytes: cache.bytes, ruleset }
    }

    it('compiles new and replacing lists on top of the folders', () => {
      for (const name of ['own', 'base', 'custom']) assert.ok(compile([list(name)]).bytes < MB, name)
      const replaced = compile([list('base')]).ruleset.lists.get('etc/lists/base')
      assert.equal(replaced?.entries.has('192.0.2.1'), true)
    })

    it('compiles only the custom content again if it needed a list', () => {
      const { bytes, ruleset } = compile([list('wanted')])
      assert.ok(ruleset.rules.find(9) !== undefined && bytes < MB)
    })

    it('counts their text, and a base that had to be compiled again', () => {
      const text = Array.from({ length: 10_000 }, (_, index) => `${index}:\n`).join('')
      assert.ok(compile([list('own', text)]).bytes > text.length * BYTES_PER_SOURCE_BYTE)
      assert.ok(compile(one(100100, '0000.xml')).bytes > MB * BYTES_PER_SOURCE_BYTE)
    })
  })

  it('evicts others when diagnostics are created, and keeps the one that was used', () => {
    const cache = new RulesetCache(3 * MB)
    cache.warm(disk)
    const other = one(100100)
    find(cache, reference(other))
    const many = Array.from({ length: 2000 }, (_, index) => rulesFile('', `z${index}.xml`))
    const { entry } = find(cache, reference(many))
    cache.takeEvicted()
    entry.report('en-US', false)
    assert.ok(cache.bytes <= 3 * MB)
    assert.deepEqual(cache.takeEvicted(), [reference(other).key])
    assert.equal(cache.find({ ...reference(other), source: null }), 'ruleset')
    assert.equal(find(cache, { ...reference(many), source: null }).cacheHit, true)
  })

  it('evicts the least recently used when the bytes exceed the limit, and never the content of the folders', () => {
    const cache = new RulesetCache(3 * (ENTRY_BYTES + 10_000))
    cache.warm(disk)
    const sets = [1, 2, 3, 4].map((n) => one(100100 + n))
    for (const files of sets.slice(0, 3)) find(cache, reference(files))
    find(cache, { ...reference(sets[0]), source: null })
    find(cache, reference(sets[3]))
    const held = sets.map((files) => typeof cache.find({ ...reference(files), source: null }) !== 'string')
    assert.deepEqual(held, [true, false, true, true])
    assert.ok(cache.bytes <= 3 * (ENTRY_BYTES + 10_000))
    assert.equal(find(cache, reference([])).cacheHit, true)
  })

  it('keeps a ruleset that is larger than the limit until the next one is added', () => {
    const cache = new RulesetCache(ENTRY_BYTES)
    find(cache, reference(one(100100), { disk }))
    assert.equal(find(cache, { ...reference(one(100100)), source: null }).cacheHit, true)
    find(cache, reference(one(100101)))
    assert.equal(cache.find({ ...reference(one(100100)), source: null }), 'ruleset')
    assert.equal(cache.size, 1)
  })

  it('keeps the previous disk content, for running tasks', () => {
    const cache = new RulesetCache(MB)
    const newer = diskContent(BASE, [])
    const newest = diskContent([], [])
    for (const content of [disk, newer]) find(cache, reference([], { disk: content, diskId: content.id }))
    assert.equal(typeof cache.find(reference([])), 'object')
    find(cache, reference([], { disk: newest, diskId: newest.id }))
    assert.equal(cache.find(reference([])), 'disk')
  })

  it('returns diagnostics in the requested language', () => {
    const cache = new RulesetCache(MB)
    const { entry } = find(cache, reference([rulesFile('<group name="x,"><rule id="100100" level="99"><description>x</description></rule></group>')], { disk }))
    const [english, portuguese] = (['en-US', 'pt-BR'] as const).map((locale) => entry.report(locale, false))
    assert.ok(english.diagnostics.length > 0)
    assert.notEqual(english.diagnostics[0].message, portuguese.diagnostics[0].message)
    assert.equal(english.summary.loaded_from_disk, true)
  })
})
