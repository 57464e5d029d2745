/** Edits of content that make searches long: what a comparison and an audit of it have to end with, whatever their size is. */
import type { SourceFile } from '#engine'

export interface HostileEdit {
  readonly before: readonly SourceFile[]
  readonly after: readonly SourceFile[]
}

const FIRST = 100_100
const LIST = 'etc/lists/hostile'
/** Characters of one option that Wazuh reads. */
const OPTION_CHARACTERS = 2_000

/** By kind: content of a size, and what is edited in it. Parents are rules on all events of syslog, and each other. */
export const HOSTILE_EDITS: Readonly<Record<string, (size: number) => HostileEdit>> = {
  'nested repetitions': (size) => {
    const nested = (end: string): string => `${'('.repeat(size)}a${'+)'.repeat(size)}+${end}`
    return edit((end) => rule(0, `<regex type="pcre2">${nested(end)}</regex>`), '$', 'b$')
  },
  'bounded repetitions': (size) => edit((most) => rule(0, `<regex type="pcre2">(?:(?:a{1,${size}}){1,${size}}){1,${most}}b</regex>`), String(size), String(size + 1)),
  'overlapping alternatives': (size) => edit((end) => rule(0, `<regex type="pcre2">^(?:${alternatives(size, (at) => `a{${1 + (at % 9)}}b*`)})*${end}$</regex>`), 'c', 'd'),
  'many alternatives': (size) => edit((last) => rule(0, `<match>${alternatives(size, (at) => `word${at}`)}|${last}</match>`), 'first', 'second'),
  'back references': (size) => edit((end) => rule(0, `<regex type="pcre2">(.*)(.*)${'\\1\\2'.repeat(size)}${end}</regex>`), 'x', 'y'),
  'a chain of parents': (size) =>
    edit((word) => chain(size, (at) => rule(at, at === 0 ? `<match>${word}</match>` : `<if_sid>${FIRST + at - 1}</if_sid><match>w${at}</match>`)), 'one', 'two'),
  'composites that count composites': (size) =>
    edit(
      (count) =>
        chain(size, (at) =>
          at === 0 ? rule(0, '<match>counted</match>') : rule(at, `<if_matched_sid>${FIRST + at - 1}</if_matched_sid>`, ` frequency="${count}" timeframe="600"`),
        ),
      '4',
      '5',
    ),
  'parents in a circle': (size) =>
    edit((word) => chain(size, (at) => rule(at, `<if_sid>${FIRST + ((at + 1) % size)}</if_sid><match>${word}</match>`)) + rule(size, `<match>${word}</match>`), 'one', 'two'),
  'many siblings': (size) => edit((word) => chain(size, (at) => rule(at, `<match>${at === 0 ? word : `w${at}`}</match>`)), 'one|w1', 'one'),
  'many keys': (size) => {
    const list = (first: string): SourceFile => ({ kind: 'lists', scope: 'custom', filename: LIST, content: `${first}:\n${chain(size, (at) => `key${at}:v\n`)}` })
    const rules = file(rule(0, `<list field="srcuser" lookup="match_key">${LIST}</list>`))
    return { before: [rules, list('one')], after: [rules, list('two')] }
  },
}

function edit(made: (part: string) => string, before: string, after: string): HostileEdit {
  return { before: [file(made(before))], after: [file(made(after))] }
}

function file(rules: string): SourceFile {
  return { kind: 'rules', scope: 'custom', filename: 'hostile.xml', content: `<group name="hostile,">${rules}</group>` }
}

function rule(at: number, options: string, attributes = ''): string {
  const parent = /<if_/.test(options) ? '' : '<if_sid>1</if_sid>'
  return `<rule id="${FIRST + at}" level="${1 + (at % 12)}"${attributes}>${parent}${options}<description>x</description></rule>\n`
}

function chain(size: number, made: (at: number) => string): string {
  return Array.from({ length: size }, (_, at) => made(at)).join('')
}

function alternatives(size: number, made: (at: number) => string): string {
  let text = made(0)
  for (let at = 1; at < size && text.length < OPTION_CHARACTERS - 40; at++) text += `|${made(at)}`
  return text
}
