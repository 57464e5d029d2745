/** Checks names, sizes, kinds and encoding of files. */
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { baseName } from '../source/load-order.js'
import type { FileKind } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import type { CheckContext } from './context.js'

/** Larger files are hard to review. The largest shipped file has a tenth of this size. */
const SIZE_LIMIT = 2_000_000

/** U+FFFD in UTF-8. Decoding replaces invalid bytes by it. */
const REPLACEMENT = '\u00ef\u00bf\u00bd'

/** Diagnostics of the loader about a file that loads later, with the parameter that names it. */
const NEEDS_LATER: ReadonlySet<string> = new Set(['rule_parent_loaded_later', 'rule_parent_partly_loaded_later', 'decoder_parent_loaded_later'])

export function checkFiles(context: CheckContext): void {
  const { collector, files, ruleset } = context
  /** The first file of each name; later ones get the diagnostic. */
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

/** Offset of a replaced character outside of comments, -1 = none. Text in comments has no effect. */
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

/** Reports one diagnostic per pair of files: renaming one of them fixes all references. */
function checkLoadOrder({ collector, files, ruleset, scope }: CheckContext): void {
  const pairs = new Map<string, Diagnostic>()
  for (const diagnostic of ruleset.loadDiagnostics) {
    const { code, filename, params } = diagnostic
    if (diagnostic.scope !== scope || !NEEDS_LATER.has(code) || typeof params.file !== 'string' || params.file === '' || params.file === filename) continue
    const key = `${diagnostic.kind} ${filename} ${params.file}`
    if (!pairs.has(key)) pairs.set(key, diagnostic)
  }
  if (pairs.size === 0) return
  // The first of several files with one name.
  const named = new Map([...files].reverse().map((file) => [`${file.kind} ${file.filename}`, file]))
  for (const diagnostic of pairs.values()) {
    const file = named.get(`${diagnostic.kind} ${diagnostic.filename}`)
    if (file === undefined) continue
    collector.add(
      'file_name_load_order',
      { file, span: null },
      { file: diagnostic.filename, other: diagnostic.params.file },
      { related: diagnostic.span === null ? [] : [{ filename: diagnostic.filename, span: diagnostic.span }] },
    )
  }
}

/** The kind of file that the first element indicates, or null. */
function looksLike({ bytes, kind }: SourceText): FileKind | null {
  const first = /<(group|rule|decoder)\s[^<>]*>/i.exec(withoutComments(bytes))
  if (first === null) return kind !== 'lists' && !bytes.includes('<') && /^[^\s:<]+:[^\n<]*$/m.test(bytes) ? 'lists' : null
  // A list may contain any text. Only an element at its start indicates another kind.
  if (kind === 'lists' && withoutComments(bytes).trimStart().indexOf('<') !== 0) return null
  return first[1].toLowerCase() === 'decoder' ? 'decoders' : 'rules'
}

/** Examined length, because the first element is enough. */
const LOOK_AT = 20_000

function withoutComments(bytes: string): string {
  return bytes.slice(0, LOOK_AT).replace(/<!(?:(?!!>|-->)[\s\S])*(?:!>|-->)/g, '')
}
