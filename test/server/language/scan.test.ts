/** The reader of texts that are being typed finds what the engine's reader finds. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileRuleset, fromByteString, type SourceFile, toByteString } from '../../../engine/index.js'
import { parseElements } from '../../../engine/xml/parse.js'
import type { XmlElement } from '../../../engine/xml/node.js'
import { allElements, elementAt, scanText, textOf } from '../../../server/language/text/scan.js'
import { Positions } from '../../../server/language/text/positions.js'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '../../../workers/content/content.js'
import { caseFolders } from '../../support/case-folders.js'

const REFERENCE: readonly SourceFile[] = readRulesetFolder(REFERENCE_RULESET_DIR, 'default').filter(({ kind }) => kind !== 'lists')

/** What both readers say about each element. */
function shapesOfEngine(elements: readonly XmlElement[], content: string): string[] {
  const positions = new Positions(content)
  return elements.flatMap((element) => [
    JSON.stringify([
      fromByteString(element.name),
      positions.offsetOfByte(element.start),
      positions.offsetOfByte(element.end),
      element.attributes.map(({ name, value }) => [fromByteString(name), fromByteString(value)]),
      element.children.length === 0 ? fromByteString(element.content) : '',
    ]),
    ...shapesOfEngine(element.children, content),
  ])
}

function shapesOfScan(content: string): string[] {
  const scanned = scanText(content)
  return [...allElements(scanned.roots)].map((element) =>
    JSON.stringify([
      element.name,
      element.start,
      element.end,
      element.attributes.map(({ name, value }) => [name, value]),
      element.children.length === 0 && !element.isSelfClosed ? textOf(scanned, element) : '',
    ]),
  )
}

describe('the reader of documents', () => {
  it('finds the elements of every reference file, and of the cases that the engine reads', () => {
    let compared = 0
    for (const { content, filename } of [...REFERENCE, ...caseFolders('diagnostics').flatMap(({ files }) => files)]) {
      const parsed = parseElements(toByteString(content))
      const scanned = scanText(content)
      if (!parsed.ok || !scanned.isWellFormed) continue
      compared++
      assert.deepEqual(shapesOfScan(content), shapesOfEngine(parsed.document.elements, content), filename)
    }
    assert.ok(compared > 350, `${compared} files`)
  })

  it('calls no text well-formed that the engine does not read', () => {
    for (const { files, name } of caseFolders('diagnostics')) {
      for (const { content, kind } of files) {
        if (kind === 'lists' || !scanText(content).isWellFormed) continue
        const codes = compileRuleset([{ kind, filename: 'x.xml', scope: 'custom', content }]).diagnostics.map(({ code }) => code)
        assert.ok(!codes.includes('xml_unclosed_element') && !codes.includes('xml_unexpected_close'), name)
      }
    }
  })

  it('ends an unclosed element where the next one begins', () => {
    const { roots } = scanText('<group name="a,">\n<rule id="1" level="2"><match>a\n<if_sid>5<description>b</description>\n<rule id="2"></rule>\n</group>\n<decoder name="d"><pre')
    assert.deepEqual(
      [...allElements(roots)].map(({ name, parent }) => `${parent?.name ?? ''}/${name}`),
      ['/group', 'group/rule', 'rule/match', 'rule/if_sid', 'rule/description', 'group/rule', '/decoder', 'decoder/pre'],
    )
  })

  it('finds the innermost element at an offset', () => {
    const text = '<decoder name="a"><parent>b</parent></decoder>'
    const { roots } = scanText(text)
    assert.equal(elementAt(roots, text.indexOf('b<') + 1)?.name, 'parent')
    assert.equal(elementAt(roots, 0), null)
    assert.equal(elementAt(roots, text.length), null)
  })
})
