/** Places of diagnostics in the files that are edited, in units of the page's editor, and their corrections. */
import { type CompiledRuleset, type Diagnostic, type Fix, fixesOf, type SourceFile, toByteString } from '#engine'
import type { FixRecord, Mark } from './protocol.js'

/** Diagnostics whose corrections are computed. A person corrects the first ones first. */
const FIXED_LIMIT = 200
/** Wazuh leaves these ids to its users. */
const FIRST_OWN_ID = 100_000
const LAST_OWN_ID = 120_000

/** @param files the edited files @param ruleset the files on their base */
export function marksOf(diagnostics: readonly Diagnostic[], files: readonly SourceFile[], ruleset: CompiledRuleset): (Mark | null)[] {
  const texts = new Map(files.map((file, index) => [keyOf(file), new EditedText(file.content, index)]))
  const freeRuleId = (): number | null => {
    for (let id = FIRST_OWN_ID; id <= LAST_OWN_ID; id++) if (ruleset.rules.find(id) === undefined && !ruleset.lost.some((lost) => lost.id === id)) return id
    return null
  }
  let fixed = 0
  return diagnostics.map((diagnostic) => {
    const text = diagnostic.scope === 'default' ? undefined : texts.get(keyOf(diagnostic))
    if (text === undefined) return null
    const { index: file } = text
    if (diagnostic.span === null) return { file, from: 0, to: 0, fixes: [] }
    const fixes = fixed++ < FIXED_LIMIT ? fixesOf(diagnostic, text.bytes, freeRuleId) : []
    return { file, from: text.offsetOf(diagnostic.span.start), to: text.offsetOf(diagnostic.span.end), fixes: fixes.map((fix) => recordOf(fix, text)) }
  })
}

function keyOf({ kind, filename }: Pick<SourceFile, 'kind' | 'filename'>): string {
  return `${kind} ${filename}`
}

function recordOf({ isSure, edits }: Fix, text: EditedText): FixRecord {
  return { isSure, edits: edits.map(({ start, end, text: insert }) => ({ from: text.offsetOf(start), to: text.offsetOf(end), insert })) }
}

/** Converts byte offsets of the engine to UTF-16 units. */
class EditedText {
  readonly bytes: string
  readonly #isAscii: boolean
  /** The last answer: diagnostics come in document order. */
  #byte = 0
  #unit = 0

  constructor(
    content: string,
    readonly index: number,
  ) {
    this.bytes = toByteString(content)
    this.#isAscii = this.bytes.length === content.length
  }

  offsetOf(byte: number): number {
    if (this.#isAscii) return Math.min(byte, this.bytes.length)
    if (byte < this.#byte) {
      this.#byte = 0
      this.#unit = 0
    }
    const end = Math.min(byte, this.bytes.length)
    for (; this.#byte < end; this.#byte++) this.#unit += unitsAt(this.bytes.charCodeAt(this.#byte))
    return this.#unit
  }
}

/** Units that begin with a byte of UTF-8: a character of four bytes is two units. */
function unitsAt(byte: number): number {
  if (byte >= 0x80 && byte < 0xc0) return 0
  return byte >= 0xf0 ? 2 : 1
}
