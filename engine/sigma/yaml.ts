/** Writes YAML: what Sigma rules are made of, and nothing else. Every text is quoted, so that no value can be taken for a number, a word of YAML or a comment. */
export type YamlValue = string | number | boolean | readonly YamlValue[] | { readonly [key: string]: YamlValue }

/** Names that need no quotes as a key, wherever they stand. */
const PLAIN_KEY = /^[a-z][a-z_-]*$/
/** Words that YAML 1.1 reads as something else. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n', 'null'])
/** Characters that stand in single quotes as they are; a line break would be folded, and others are not printable in YAML. */
const PRINTABLE = /^[\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u
const INDENT = 4

/** A document, with a line break at its end. Empty lists and maps are written in one line. */
export function writeYaml(document: { readonly [key: string]: YamlValue }): string {
  const lines: string[] = []
  writeMap(document, 0, lines)
  return `${lines.join('\n')}\n`
}

function writeMap(map: { readonly [key: string]: YamlValue }, depth: number, lines: string[]): void {
  for (const [key, value] of Object.entries(map)) writeEntry(`${' '.repeat(depth)}${PLAIN_KEY.test(key) && !WORDS.has(key) ? key : quoted(key)}:`, value, depth, lines)
}

function writeEntry(start: string, value: YamlValue, depth: number, lines: string[]): void {
  const inner = depth + INDENT
  if (!isNested(value)) lines.push(`${start} ${scalar(value)}`)
  else if (isList(value)) {
    lines.push(value.length === 0 ? `${start} []` : start)
    for (const item of value) writeItem(item, inner, lines)
  } else {
    lines.push(Object.keys(value).length === 0 ? `${start} {}` : start)
    writeMap(value, inner, lines)
  }
}

function writeItem(item: YamlValue, depth: number, lines: string[]): void {
  const dash = `${' '.repeat(depth)}-`
  if (!isNested(item)) return void lines.push(`${dash} ${scalar(item)}`)
  if (Object.keys(item).length === 0) return void lines.push(`${dash} ${isList(item) ? '[]' : '{}'}`)
  const own: string[] = []
  if (isList(item)) for (const each of item) writeItem(each, depth + 2, own)
  else writeMap(item, depth + 2, own)
  // The first line stands behind the dash.
  own.forEach((line, index) => lines.push(index === 0 ? `${dash} ${line.trimStart()}` : line))
}

function isNested(value: YamlValue): value is Exclude<YamlValue, string | number | boolean> {
  return typeof value === 'object'
}

function isList(value: Exclude<YamlValue, string | number | boolean>): value is readonly YamlValue[] {
  return Array.isArray(value)
}

function scalar(value: string | number | boolean): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}

/** Single quotes, as Sigma asks for; double quotes with escapes where a character cannot stand in them. */
function quoted(text: string): string {
  if (PRINTABLE.test(text)) return `'${text.replaceAll("'", "''")}'`
  const escaped = [...text].map((char) => {
    const code = char.codePointAt(0) ?? 0
    if (char === '"' || char === '\\') return `\\${char}`
    if (PRINTABLE.test(char)) return char
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
  return `"${escaped.join('')}"`
}
