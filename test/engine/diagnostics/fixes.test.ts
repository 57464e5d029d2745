/** Every correction on the cases of the diagnostics: it removes its diagnostic, and brings no error. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DiagnosticCode } from '../../../engine/diagnostics/codes.js'
import { countOf, type Diagnostic } from '../../../engine/diagnostics/diagnostic.js'
import { applyReplacements, laterFileName } from '../../../engine/diagnostics/fixes.js'
import { fixesOf } from '../../../engine/repairs/fixes.js'
import { fromByteString, toByteString } from '../../../engine/source/byte-string.js'
import type { SourceFile } from '../../../engine/source/source-file.js'
import { caseFolders, diagnosticsOf } from '../../support/case-folders.js'

/** No case has it. */
const FREE_ID = 119_999

/** Errors that a correction may bring out, because the reader did not come so far before. */
const BEHIND: ReadonlySet<DiagnosticCode> = new Set(['xml_attribute_syntax', 'xml_unclosed_element'])

const ofFile = (diagnostics: readonly Diagnostic[], { filename, kind }: Pick<SourceFile, 'filename' | 'kind'>): Diagnostic[] =>
  diagnostics.filter((one) => one.filename === filename && one.kind === kind)
const countCode = (diagnostics: readonly Diagnostic[], code: DiagnosticCode): number => countOf(diagnostics.filter((one) => one.code === code))
const countErrors = (diagnostics: readonly Diagnostic[]): number => countOf(diagnostics.filter(({ severity }) => severity === 'error'))

const custom = (filename: string, kind: SourceFile['kind'], content: string): SourceFile => ({ filename, kind, scope: 'custom', content })
const rule = (id: number, parents: string): string => `<group name="a,"><rule id="${id}" level="3">${parents}<match>a</match><description>a</description></rule></group>`
const LATE_PARENTS = [
  custom('a_inner.xml', 'decoders', '<decoder name="inner"><parent>outer</parent><regex>(a)</regex><order>user</order></decoder>'),
  custom('b_outer.xml', 'decoders', '<decoder name="outer"><program_name>^outer</program_name></decoder>'),
  custom('a.xml', 'rules', rule(100800, '')),
  custom('b.xml', 'rules', rule(100801, '<if_sid>100800, 100802</if_sid>')),
  custom('c.xml', 'rules', rule(100802, '')),
]

describe('corrections of diagnostics', () => {
  const corrected = new Map<DiagnosticCode, boolean>()

  it('remove their diagnostic, and bring no error', () => {
    for (const { name, files } of caseFolders('diagnostics')) {
      const found = diagnosticsOf(files)
      for (const diagnostic of found) {
        const file = files.find(({ filename, kind }) => filename === diagnostic.filename && kind === diagnostic.kind)
        if (file === undefined) continue
        const bytes = toByteString(file.content)
        for (const fix of fixesOf(diagnostic, bytes, () => FREE_ID)) {
          const content = fromByteString(applyReplacements(bytes, fix.edits))
          const after = diagnosticsOf(files.map((one) => (one === file ? { ...one, content } : one)))
          const shown = `${name}: ${diagnostic.code}\n${file.content}\n---\n${content}\n${JSON.stringify(fix)}`
          assert.ok(countCode(ofFile(after, file), diagnostic.code) < countCode(ofFile(found, file), diagnostic.code), shown)
          if (!BEHIND.has(diagnostic.code)) assert.ok(countErrors(after) <= countErrors(found), `${shown}\n${after.map(({ code }) => code)}`)
          corrected.set(diagnostic.code, (corrected.get(diagnostic.code) ?? false) || fix.isSure)
        }
      }
    }
    assert.ok(corrected.size > 40, `${corrected.size} codes`)
  })

  it('rename a file so that it loads after the one that it needs', () => {
    const renamed = new Set<DiagnosticCode>()
    for (const { name, files } of [...caseFolders('diagnostics'), { name: 'late parents', files: LATE_PARENTS }]) {
      const found = diagnosticsOf(files)
      for (const diagnostic of found) {
        const filename = laterFileName(diagnostic)
        if (filename === null) continue
        const after = diagnosticsOf(files.map((one) => (one.filename === diagnostic.filename && one.kind === diagnostic.kind ? { ...one, filename } : one)))
        assert.ok(countCode(after, diagnostic.code) < countCode(found, diagnostic.code), `${name}: ${diagnostic.code}, ${filename}`)
        renamed.add(diagnostic.code)
      }
    }
    assert.deepEqual([...renamed].sort(), ['decoder_parent_loaded_later', 'file_name_load_order', 'rule_parent_loaded_later', 'rule_parent_partly_loaded_later'])
    const later = (filename: string, file: string): string | null => laterFileName({ code: 'rule_parent_loaded_later', filename, params: { file } } as unknown as Diagnostic)
    assert.equal(later('0100-a.xml', '0200-b.xml'), '0201-a.xml')
    // 10000 sorts before 9999.
    assert.equal(later('0100-a.xml', '9999-b.xml'), '9999-b_0100-a.xml')
    assert.equal(later('a.xml', 'b.xml'), 'b_a.xml')
    assert.equal(later('a.xml', 'a.xml'), null)
    assert.equal(later('a.xml', ''), null)
  })

  it('are sure for what can mean nothing else', () => {
    for (const code of ['xml_prolog', 'rule_group_merged', 'rule_element_deprecated', 'rule_element_removed', 'rule_category_ignored'] as const)
      assert.equal(corrected.get(code), true, code)
    for (const code of ['rule_parent_missing', 'rule_element_unknown', 'decoder_missing_parent'] as const) assert.notEqual(corrected.get(code), true, code)
  })

  it('keep letters that end in a byte which is a blank in Latin-1', () => {
    const right = '<group name="n,"><rule id="100100" level="5"><if_sid>501</if_sid><match>a</match><group>à,b,voilà</group><description>É.</description></rule></group>'
    const content = right.replace('à,b', 'à, b')
    const [diagnostic] = diagnosticsOf([{ filename: 'rules.xml', kind: 'rules', scope: 'custom', content }])
    const [fix] = fixesOf(diagnostic, toByteString(content), () => null)
    assert.equal(fromByteString(applyReplacements(toByteString(content), fix.edits)), right)
  })

  it('count bytes, so that letters before them are kept', () => {
    const content = '<group name="n,"><!-- usuário 🚪 --><rule id="100100" level=5><if_sid>501</if_sid><match>a</match><description>É.</description></rule></group>'
    const file: SourceFile = { filename: 'rules.xml', kind: 'rules', scope: 'custom', content }
    const [diagnostic] = diagnosticsOf([file])
    const [fix] = fixesOf(diagnostic, toByteString(content), () => null)
    assert.equal(fromByteString(applyReplacements(toByteString(content), fix.edits)), content.replace('level=5', 'level="5"'))
  })
})
