import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { SourceFile } from '#engine'
import { baseFiles, composeRuleset } from '../../../workers/content/compose.js'
import { hashContent, readDiskContent, readRulesetFolder } from '../../../workers/content/content.js'
import { rulesFile } from '../support/rulesets.js'

const folder = mkdtempSync(join(tmpdir(), 'content-'))
after(() => rmSync(folder, { recursive: true }))

const names = (files: readonly SourceFile[]): string[] => files.map(({ scope, filename }) => `${scope} ${filename}`)

describe('composeRuleset', () => {
  const defaults = [rulesFile('a', '0010-a.xml', 'default'), rulesFile('b', 'local_rules.xml', 'default')]

  it('replaces a local_*.xml by the file of a narrower scope', () => {
    const custom = [rulesFile('c', 'local_rules.xml', 'custom')]
    assert.deepEqual(names(composeRuleset(defaults, custom, [])), ['default 0010-a.xml', 'custom local_rules.xml'])
    assert.deepEqual(names(composeRuleset(defaults, custom, [rulesFile('d', 'local_rules.xml')])), ['default 0010-a.xml', 'adhoc local_rules.xml'])
  })

  it('keeps all other files, and local files of another kind', () => {
    const inline = [rulesFile('c', '0010-a.xml'), rulesFile('d', 'local_rules.xml', 'adhoc', 'decoders')]
    assert.equal(composeRuleset(defaults, [], inline).length, 4)
  })

  it('leaves local files out of the base', () => {
    assert.deepEqual(names(baseFiles(defaults)), ['default 0010-a.xml'])
  })
})

describe('hashContent', () => {
  it('does not depend on the order of files', () => {
    const [a, b] = [rulesFile('a', 'a.xml'), rulesFile('b', 'b.xml')]
    assert.equal(hashContent([[a, b]]), hashContent([[b, a]]))
  })

  it('distinguishes files with one base name by their order, in which they load', () => {
    const [a, b] = [rulesFile('a', 'x/a.xml'), rulesFile('b', 'y/a.xml')]
    assert.notEqual(hashContent([[a, b]]), hashContent([[b, a]]))
  })

  it('does not depend on the order of lists, whose folders are part of their names', () => {
    const [a, b] = [rulesFile('a:', 'etc/lists/x/a', 'adhoc', 'lists'), rulesFile('b:', 'etc/lists/y/a', 'adhoc', 'lists')]
    assert.equal(hashContent([[a, b]]), hashContent([[b, a]]))
  })

  it('distinguishes names from content', () => {
    assert.notEqual(hashContent([[rulesFile('bc', 'a.xml')]]), hashContent([[rulesFile('c', 'a.xmlb')]]))
  })
})

describe('ruleset folders', () => {
  it('have lists under the names that rules use', () => {
    for (const part of ['decoders', 'rules', 'lists/amazon']) mkdirSync(join(folder, part), { recursive: true })
    writeFileSync(join(folder, 'rules', 'a.xml'), '<group/>')
    writeFileSync(join(folder, 'rules', 'notes.txt'), 'no')
    writeFileSync(join(folder, 'lists', 'amazon', 'names'), 'a:b\n')
    writeFileSync(join(folder, 'lists', 'amazon', 'names.cdb'), 'binary')
    assert.deepEqual(
      readRulesetFolder(folder, 'custom').map(({ filename }) => filename),
      ['a.xml', 'etc/lists/amazon/names'],
    )
  })

  it('that do not exist are empty as custom content, and an error as default content', () => {
    const missing = join(folder, 'missing')
    assert.deepEqual(readDiskContent(null, missing).custom, [])
    assert.throws(() => readDiskContent(missing, null), /missing/)
  })

  it('are read through links to folders, which some mounts create', () => {
    symlinkSync(join(folder, 'lists', 'amazon'), join(folder, 'lists', 'linked'))
    try {
      assert.deepEqual(names(readRulesetFolder(folder, 'custom')), ['custom a.xml', 'custom etc/lists/amazon/names', 'custom etc/lists/linked/names'])
    } finally {
      rmSync(join(folder, 'lists', 'linked'))
    }
  })

  it('are read without hidden files', () => {
    mkdirSync(join(folder, 'lists', '.git'))
    writeFileSync(join(folder, 'lists', '.git', 'HEAD'), 'ref: x\n')
    writeFileSync(join(folder, 'lists', '.swap'), 'a:b\n')
    assert.deepEqual(names(readRulesetFolder(folder, 'custom')), ['custom a.xml', 'custom etc/lists/amazon/names'])
  })

  it('that cannot be read are an error, and not empty', () => {
    const custom = join(folder, 'custom')
    mkdirSync(join(custom, 'decoders'), { recursive: true })
    // Like a folder without permissions, which would not stop an administrator's tests.
    symlinkSync('rules', join(custom, 'rules'))
    assert.throws(() => readDiskContent(null, custom), { code: 'ELOOP' })
  })

  it('with the same content have the same id', () => {
    assert.equal(readDiskContent(folder, null).id, readDiskContent(folder, null).id)
    assert.notEqual(readDiskContent(folder, null).id, readDiskContent(null, folder).id)
  })
})
