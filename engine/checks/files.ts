/** Files as wholes: their names, sizes, kinds and encoding. */
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { baseName } from '../source/load-order.js'
import type { FileKind } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import type { CheckContext } from './context.js'

/** Nobody can review a larger file; the largest shipped one has a tenth of this. */
const SIZE_LIMIT = 2_000_000

/** U+FFFD in UTF-8: what decoding makes of bytes that are none. */
const REPLACEMENT = '\u00ef\u00bf\u00bd'

/** Findings of the loader that a later file is needed, and where they name it. */
const NEEDS_LATER: ReadonlySet<string> = new Set(['rule_parent_loaded_later', 'rule_parent_partly_loaded_later', 'decoder_parent_loaded_later'])

export function checkFiles(context: CheckContext): void {
  const { collector, files, ruleset } = context
  /** The first file of each name: it is those after it that are told. */
  const firsts = new Map<string, SourceText>()
  for (const file of ruleset.files) {
    const key = nameOf(file)
    if (file.kind !== 'lists' && !firsts.has(key)) firsts.set(key, file)
  }
  for (const file of files) {
    const whole = { file, span: null }
    if (file.kind !== 'lists' && firsts.get(nameOf(file)) !== file) collector.add('file_duplicate_name', whole, { file: baseName(file.filename) })
    if (file.kind !== 'lists' && file.bytes.length > SIZE_LIMIT) collector.add('file_too_large', whole, { size: file.bytes.length, limit: SIZE_LIMIT })
    const replaced = findReplaced(file)
    if (replaced >= 0) collector.add('file_encoding', { file, span: file.span(replaced, replaced + REPLACEMENT.length), evidence: '\ufffd' }, {})
    const found = looksLike(file)
    if (found !== null && found !== file.kind) collector.add('file_kind_mismatch', whole, { kind: file.kind, found })
  }
  checkLoadOrder(context)
}

/** Where text was lost that means something: what stands in a comment is compared with nothing. -1: nowhere. */
function findReplaced({ bytes, kind }: SourceText): number {
  let found = bytes.indexOf(REPLACEMENT)
  if (kind === 'lists') return found
  const end = /!>|-->/g
  for (let begin = bytes.indexOf('<!'); begin >= 0 && begin < found; begin = bytes.indexOf('<!', end.lastIndex)) {
    end.lastIndex = begin + '<!'.length
    if (!end.test(bytes)) break
    if (found < end.lastIndex) found = bytes.indexOf(REPLACEMENT, end.lastIndex)
  }
  return found
}

function nameOf({ kind, filename }: SourceText): string {
  return `${kind} ${baseName(filename)}`
}

/** Once a pair of files: renaming one repairs all that stand in it. */
function checkLoadOrder({ collector, files, ruleset, scope }: CheckContext): void {
  const pairs = new Map<string, Diagnostic>()
  for (const finding of ruleset.loadFindings) {
    const { code, filename, params } = finding
    if (finding.scope !== scope || !NEEDS_LATER.has(code) || typeof params.file !== 'string' || params.file === '' || params.file === filename) continue
    const key = `${finding.kind} ${filename} ${params.file}`
    if (!pairs.has(key)) pairs.set(key, finding)
  }
  if (pairs.size === 0) return
  // Of several of one name the first.
  const named = new Map([...files].reverse().map((file) => [`${file.kind} ${file.filename}`, file]))
  for (const finding of pairs.values()) {
    const file = named.get(`${finding.kind} ${finding.filename}`)
    if (file === undefined) continue
    collector.add(
      'file_name_load_order',
      { file, span: null },
      { file: finding.filename, other: finding.params.file },
      { related: finding.span === null ? [] : [{ filename: finding.filename, span: finding.span }] },
    )
  }
}

/** What the first element says, or null when it says nothing. */
function looksLike({ bytes, kind }: SourceText): FileKind | null {
  const first = /<(group|rule|decoder)\s[^<>]*>/i.exec(withoutComments(bytes))
  if (first === null) return kind !== 'lists' && !bytes.includes('<') && /^[^\s:<]+:[^\n<]*$/m.test(bytes) ? 'lists' : null
  // A list may hold anything; only an element at its very beginning is telling.
  if (kind === 'lists' && withoutComments(bytes).trimStart().indexOf('<') !== 0) return null
  return first[1].toLowerCase() === 'decoder' ? 'decoders' : 'rules'
}

/** The beginning of the file is enough. */
const LOOK_AT = 20_000

function withoutComments(bytes: string): string {
  return bytes.slice(0, LOOK_AT).replace(/<!(?:(?!!>|-->)[\s\S])*(?:!>|-->)/g, '')
}
