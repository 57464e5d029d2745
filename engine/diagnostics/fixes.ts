/**
 * Corrections of diagnostics, computed when somebody asks for them: nothing here runs while a ruleset is compiled. The table below is their only declaration;
 * editors offer them, and `validate --fix` applies them. Invariants, both tested on the cases of all codes:
 *  1. with a correction the diagnostic is gone, and no other error of its file is new
 *  2. a correction is *sure* if the text can mean nothing else, and without it Wazuh refuses or ignores what was written; all others are proposals
 */
import { compareBytes, fromByteString, toByteString } from '../source/byte-string.js'
import { baseName } from '../source/load-order.js'
import { BLANK, trimBytes } from '../source/white-space.js'
import type { DiagnosticCode } from './codes.js'
import type { Diagnostic } from './diagnostic.js'

/** A replaced range of a file. */
export interface Replacement {
  /** Byte offsets in the file. */
  readonly start: number
  readonly end: number
  /** Unicode. */
  readonly text: string
}

/** A correction: all replacements together, in ascending order and apart from each other. */
export interface Fix {
  readonly isSure: boolean
  readonly edits: readonly Replacement[]
}

/** The text and diagnostic that a correction reads. */
interface FaultyText {
  /** The file, as a byte string. */
  readonly bytes: string
  readonly start: number
  readonly end: number
  /** The bytes between both. */
  readonly written: string
  readonly diagnostic: Diagnostic
  readonly freeRuleId: () => number | null
}

type Fixer = (text: FaultyText) => readonly (Fix | null)[]

/** Corrections of one diagnostic that the table below declares, the best one first. @param bytes its file, as a byte string @param freeRuleId an id that no rule has */
export function tableFixesOf(diagnostic: Diagnostic, bytes: string, freeRuleId: () => number | null): Fix[] {
  const { span, code } = diagnostic
  if (span === null || span.end > bytes.length) return []
  const { start, end } = span
  const text: FaultyText = { bytes, start, end, written: bytes.slice(start, end), diagnostic, freeRuleId }
  const fixer = FIXERS[code]
  const found = [...(fixer === undefined ? [] : fixer(text)), diagnostic.suggestion === null ? null : replaceBySuggestion(text, diagnostic.suggestion)]
  return found.filter((fix) => fix !== null)
}

/** Applies replacements, the last one first. @returns a byte string */
export function applyReplacements(bytes: string, edits: readonly Replacement[]): string {
  let text = bytes
  for (const { start, end, text: replacement } of [...edits].sort((a, b) => b.start - a.start)) text = text.slice(0, start) + toByteString(replacement) + text.slice(end)
  return text
}

/** The parameter that names the file which has to load before that of the diagnostic. */
const LOADS_FIRST: Partial<Record<DiagnosticCode, string>> = {
  decoder_parent_loaded_later: 'file',
  file_name_load_order: 'other',
  rule_parent_loaded_later: 'file',
  rule_parent_partly_loaded_later: 'file',
}

/** A name with which the file of a diagnostic loads after the one that it needs: `0201-doors.xml` after `0200-base.xml`, `base_doors.xml` after `base.xml`. Null: another name is no correction. */
export function laterFileName({ code, filename, params }: Diagnostic): string | null {
  const param = LOADS_FIRST[code]
  if (param === undefined) return null
  const first = baseName(String(params[param] ?? ''))
  const own = baseName(filename)
  if (first === '' || first === own) return null
  const number = /^\d+(?=\D)/.exec(first)?.[0]
  const numbered = number === undefined ? null : own.replace(/^\d+(?=\D)/, String(Number(number) + 1).padStart(number.length, '0'))
  const found = [numbered, `${first.replace(/\.xml$/i, '')}_${own}`].find((name) => name !== null && name !== own && isAfter(name, first))
  return found ?? null
}

function isAfter(name: string, other: string): boolean {
  return compareBytes(toByteString(name), toByteString(other)) > 0
}

function sure(...edits: readonly Replacement[]): Fix {
  return { isSure: true, edits }
}

function proposal(...edits: readonly Replacement[]): Fix {
  return { isSure: false, edits }
}

/** Bytes of a name of tags, attributes, fields and decoders. */
const WORD = /[\w.$:/-]/

/** Puts the near name in place of the written one, wherever in the span that is. */
function replaceBySuggestion({ bytes, start, end, written, diagnostic: { params } }: FaultyText, suggestion: string): Fix | null {
  const wrong = toByteString(String(params.value ?? params.parent ?? params.name ?? ''))
  // Some suggestions show how to write something, such as `<rule level="…">`.
  if (wrong === '' || !/^[\w.$:/ -]+$/.test(suggestion)) return null
  if (written === wrong) return proposal({ start, end, text: suggestion })
  const renamed = renameTag(bytes, start, end, wrong, suggestion)
  if (renamed !== null) return proposal(...renamed)
  if (written.startsWith(`${wrong}=`)) return proposal({ start, end: start + wrong.length, text: suggestion })
  const inside = placeOfWord(written, wrong)
  if (inside !== null) return proposal({ start: start + inside, end: start + inside + wrong.length, text: suggestion })
  // A diagnostic of some characters of a number, whose suggestion is the number.
  if (/^\d+$/.test(suggestion) && !written.includes('<')) {
    let from = start
    let to = end
    while (from > 0 && WORD.test(bytes[from - 1])) from--
    while (to < bytes.length && WORD.test(bytes[to])) to++
    return proposal({ start: from, end: to, text: suggestion })
  }
  return null
}

/** The only place of a word in a text; null: it is absent, or there are several. */
function placeOfWord(text: string, word: string): number | null {
  // The name of a tag is no value.
  const from = /^<[^\s/>]+/.exec(text)?.[0].length ?? 0
  let found: number | null = null
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (WORD.test(text[at - 1] ?? ' ') && WORD.test(word[0])) continue
    if (WORD.test(text[at + word.length] ?? ' ') && WORD.test(word.at(-1) as string)) continue
    if (found !== null) return null
    found = at
  }
  return found
}

/** Replacements of the name in the opening and the closing tag of the element in a span; null: it has another name. */
function renameTag(bytes: string, start: number, end: number, from: string, to: string): Replacement[] | null {
  if (!bytes.startsWith(`<${from}`, start) || WORD.test(bytes[start + 1 + from.length] ?? '')) return null
  const opening = { start: start + 1, end: start + 1 + from.length, text: to }
  const closing = `</${from}>`
  if (!bytes.slice(start, end).endsWith(closing)) return [opening]
  return [opening, { start: end - closing.length + 2, end: end - 1, text: to }]
}

/** Removes an element or attribute with the blanks before it, and its line if nothing else is on it. */
function removal({ bytes, start, end }: FaultyText): Replacement {
  let from = start
  while (from > 0 && (bytes[from - 1] === ' ' || bytes[from - 1] === '\t')) from--
  let to = end
  while (to < bytes.length && (bytes[to] === ' ' || bytes[to] === '\t')) to++
  const beginsLine = from === 0 || bytes[from - 1] === '\n'
  const endsLine = to >= bytes.length || bytes[to] === '\n' || bytes.startsWith('\r\n', to)
  if (beginsLine && endsLine) return { start: from, end: Math.min(bytes.length, bytes.indexOf('\n', to) < 0 ? bytes.length : bytes.indexOf('\n', to) + 1), text: '' }
  return bytes[start] === '<' ? { start, end, text: '' } : { start: from, end, text: '' }
}

const removeSure: Fixer = (text) => [sure(removal(text))]
const removeProposal: Fixer = (text) => [proposal(removal(text))]

/** The content of the element in the span, if it has no child. */
function contentOf({ start, written }: FaultyText): { start: number; end: number; text: string } | null {
  const match = /^(<[^<>]*>)([^<]*)<\/[^<>]*>$/s.exec(written)
  if (match === null) return null
  const from = start + match[1].length
  return { start: from, end: from + match[2].length, text: match[2] }
}

/** Replaces the content of the element by what a function makes of it. */
function rewriteContent(text: FaultyText, rewrite: (content: string) => string): Replacement | null {
  const content = contentOf(text)
  if (content === null) return null
  const rewritten = rewrite(content.text)
  return rewritten === content.text ? null : { start: content.start, end: content.end, text: fromByteString(rewritten) }
}

/** The value of the attribute in the span. */
function attributeValueOf({ start, written }: FaultyText): { start: number; end: number; text: string } | null {
  const match = /^([^\s=]+=\s*["'])([^"']*)["']$/.exec(written)
  return match === null ? null : { start: start + match[1].length, end: start + match[1].length + match[2].length, text: match[2] }
}

/** Words that people write for yes and no. */
const MEANT_SWITCH: Readonly<Record<string, 'yes' | 'no'>> = {
  true: 'yes',
  '1': 'yes',
  on: 'yes',
  y: 'yes',
  Yes: 'yes',
  YES: 'yes',
  True: 'yes',
  false: 'no',
  '0': 'no',
  off: 'no',
  n: 'no',
  No: 'no',
  NO: 'no',
  False: 'no',
}

const switchValue =
  (yes: string, no: string): Fixer =>
  (text) => {
    const value = attributeValueOf(text)
    const meant = value === null ? undefined : value.text === 'yes' || value.text === 'no' ? value.text : MEANT_SWITCH[value.text]
    return value === null || meant === undefined ? [] : [sure({ start: value.start, end: value.end, text: meant === 'yes' ? yes : no })]
  }

/** Removes commas without a word, also at the end. */
const removeEmptyWords: Fixer = (text) => {
  const keepWords = (content: string): string => {
    const words = content.split(',')
    return words.some((word) => trimBytes(word) === '') ? trimBytes(words.filter((word) => trimBytes(word) !== '').join(',')) : content
  }
  const edit = rewriteContent(text, keepWords)
  return edit === null ? [] : [sure(edit)]
}

const trimContent: Fixer = (text) => {
  const edit = rewriteContent(text, trimBytes)
  return edit === null ? [] : [proposal(edit)]
}

const freeId: Fixer = ({ bytes, start, written, freeRuleId }) => {
  // The span is the attribute, or the rule.
  const found = /(?:^|[\s])id=\s*["']([^"'<>]*)["']/.exec(written.slice(0, written.indexOf('>') < 0 ? undefined : written.indexOf('>')))
  const id = freeRuleId()
  if (found === null || id === null) return []
  const at = start + found.index + found[0].length - 1 - found[1].length
  return bytes.slice(at, at + found[1].length) === found[1] ? [proposal({ start: at, end: at + found[1].length, text: String(id) })] : []
}

/** Adds `overwrite="yes"` to the rule in the span, or to that of the attribute in it. */
const addOverwrite: Fixer = ({ bytes, start }) => {
  const opening = bytes.lastIndexOf('<rule', start)
  const end = bytes.indexOf('>', start)
  if (opening < 0 || end < 0 || /\soverwrite=/.test(bytes.slice(opening, end))) return []
  return [proposal({ start: end, end, text: ' overwrite="yes"' })]
}

const fixAttributeSyntax: Fixer = ({ bytes, start, end, written, diagnostic: { params } }) => {
  const detail = String(params.detail)
  if (detail.endsWith('has no value')) {
    const blanks = /^\s+(?==\s*["'])/.exec(bytes.slice(end, end + LOOK_AHEAD))
    return blanks === null ? [] : [sure({ start: end, end: end + blanks[0].length, text: '' })]
  }
  if (detail.startsWith('a blank')) return /^[A-Za-z_]/.test(written) ? [sure({ start, end: start, text: ' ' })] : []
  if (!detail.endsWith('is not in quotes')) return []
  const value = /^([^\s=]+=\s*)([^\s"'<>=/]+)(?=[\s>/])/.exec(bytes.slice(start, start + LOOK_AHEAD))
  if (value === null) return []
  return [sure({ start: start + value[1].length, end: start + value[0].length, text: `"${fromByteString(value[2])}"` })]
}

/** Bytes behind a fault that its correction reads. */
const LOOK_AHEAD = 512

/** A closing tag that differs from the opening one in case or blanks. */
const fixClosingTag: Fixer = ({ start, end, written, diagnostic: { params } }) => {
  const name = toByteString(String(params.detail))
  const closing = /^<\/([^<>]*)>$/.exec(written)
  if (closing === null || closing[1].trim().toLowerCase() !== name.toLowerCase()) return []
  return [sure({ start, end, text: `</${fromByteString(name)}>` })]
}

/** The characters that the entities stand for, as rules write them. */
const MEANT_CHARACTER: Readonly<Record<string, string>> = { '&lt;': '\\<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&apos;': "'" }

const writeCharacter: Fixer = ({ bytes, start, end, written }) => {
  const meant = MEANT_CHARACTER[written]
  if (meant === undefined) return []
  // In a value of an attribute a quote would end it.
  if (/["']/.test(meant)) return []
  const isEscaped = meant.startsWith('\\') && bytes[start - 1] === '\\'
  return [proposal({ start, end, text: isEscaped ? meant.slice(1) : meant })]
}

const unwrapCdata: Fixer = ({ bytes, start }) => {
  const close = bytes.indexOf(']]>', start)
  if (close < 0) return []
  const inside = bytes.slice(start + '<![CDATA['.length, close)
  const hidesEnd = inside.includes('!>') || inside.includes('-->')
  return hidesEnd ? [] : [proposal({ start, end: close + 3, text: fromByteString(inside.replace(/</g, '\\<')) })]
}

/** Ends the name of the surrounding group, and each group of the rule, with a comma. */
const endGroups: Fixer = ({ bytes, start, written }) => {
  const edits: Replacement[] = []
  const wrapper = /.*<group\s+name=\s*(["'])([^"'<>]*)\1/s.exec(bytes.slice(0, start))
  if (wrapper !== null && wrapper[2] !== '' && !/[,\s]$/.test(wrapper[2])) edits.push({ start: wrapper[0].length - 1, end: wrapper[0].length - 1, text: ',' })
  const own = /^<group[^<>]*>([^<]*)<\/group>$/i.exec(written)
  const at = start + written.lastIndexOf('</')
  if (own !== null && own[1] !== '' && !own[1].endsWith(',') && edits.length === 0) edits.push({ start: at, end: at, text: ',' })
  return edits.length === 0 ? [] : [sure(...edits)]
}

const removeBlanksOfGroups: Fixer = (text) => {
  const clean = (content: string): string => content.split(',').map(trimBytes).join(',')
  const edit = rewriteContent(text, clean)
  const value = edit === null ? attributeValueOf(text) : null
  if (edit !== null) return [proposal(edit)]
  return value === null ? [] : [proposal({ start: value.start, end: value.end, text: fromByteString(clean(value.text)) })]
}

const trimIds: Fixer = (text) => {
  const edit = rewriteContent(text, (content) => {
    let end = content.length
    while (end > 0 && (content[end - 1] === ',' || BLANK.test(content[end - 1]))) end--
    return content.slice(0, end)
  })
  return edit === null ? [] : [sure(edit)]
}

const useCurrentName: Fixer = ({ bytes, start, end, diagnostic: { params } }) => {
  const [from, to] = [toByteString(String(params.name)), String(params.instead)]
  const edits = renameTag(bytes, start, end, from, to)
  return edits === null ? [] : [sure(...edits)]
}

const negateAddress: Fixer = (text) => {
  const content = contentOf(text)
  if (content === null || !content.text.startsWith('!')) return []
  return [proposal({ start: content.start - 1, end: content.start - 1, text: ' negate="yes"' }, { start: content.start, end: content.start + 1, text: '' })]
}

const renameField: Fixer = ({ start, end, written, diagnostic: { params } }) => {
  const name = /^<field\s+name=\s*["']([^"'<>]*)["']/.exec(written)
  const write = /^<field name="([^"]+)">$/.exec(String(params.write))
  if (name === null || write === null) return []
  const at = start + name[0].length - 1 - name[1].length
  return at >= end ? [] : [proposal({ start: at, end: at + name[1].length, text: write[1] })]
}

const useStaticTag: Fixer = (text) => {
  const { start, end, written, diagnostic } = text
  const opening = /^<field\s+name=\s*["'][^"'<>]*["']/.exec(written)
  const tag = String(diagnostic.params.tag)
  const closing = '</field>'
  if (opening === null || !written.endsWith(closing)) return []
  return [proposal({ start, end: start + opening[0].length, text: `<${tag}` }, { start: end - closing.length, end, text: `</${tag}>` })]
}

/** Removes the condition in the span, if it is written in one tag. */
const removeCondition: Fixer = (text) => {
  const { bytes, start, end, written } = text
  const tag = /^<([\w]+)[^<>]*>[^<]*<\/\1>$/s.exec(written)?.[1]
  if (tag === undefined) return []
  const [from, to] = [bytes.lastIndexOf('<rule', start), bytes.indexOf('</rule', end)]
  const isAlone = tag === 'field' || bytes.slice(from, to).split(new RegExp(`<${tag}\\b`, 'i')).length === 2
  return from >= 0 && to >= 0 && isAlone ? removeProposal(text) : []
}

/** Removes the alternative in the span with one of its bars. */
const removeAlternative: Fixer = ({ bytes, start, end, written, diagnostic: { params } }) => {
  // What has variables is written otherwise.
  if (written !== toByteString(String(params.value))) return []
  if (bytes[start - 1] === '|') return [proposal({ start: start - 1, end, text: '' })]
  return bytes[end] === '|' ? [proposal({ start, end: end + 1, text: '' })] : []
}

const addColon: Fixer = ({ end, written }) => (trimBytes(written) === '' || BLANK.test(trimBytes(written)) ? [] : [proposal({ start: end, end, text: ':' })])

const escapeDot: Fixer = ({ start, written }) => (written === '.' ? [proposal({ start, end: start, text: '\\' })] : [])

const all =
  (...fixers: readonly Fixer[]): Fixer =>
  (text) =>
    fixers.flatMap((fixer) => fixer(text))

/** The corrections of each code, beside the replacement of a name by the suggested one. */
const FIXERS: Partial<Record<DiagnosticCode, Fixer>> = {
  xml_prolog: removeSure,
  xml_bom: removeSure,
  xml_attribute_syntax: fixAttributeSyntax,
  xml_unclosed_element: fixClosingTag,
  xml_unexpected_close: removeProposal,
  xml_entity_literal: writeCharacter,
  xml_cdata: unwrapCdata,
  xml_control_character: removeProposal,
  xml_variable_unused: removeProposal,
  decoder_attribute_invalid: removeProposal,
  decoder_attribute_ignored: removeProposal,
  decoder_order_field_invalid: removeEmptyWords,
  rule_attribute_invalid: switchValue('yes', 'no'),
  rule_negate_invalid: switchValue('yes', 'no'),
  rule_noalert_invalid: switchValue('1', '0'),
  rule_duplicate_id: all(freeId, addOverwrite),
  rule_id_reserved_range: all(freeId, addOverwrite),
  rule_id_internal: freeId,
  rule_overwrite_target_missing: ({ bytes, start }) => {
    const opening = bytes.lastIndexOf('<rule', start)
    const tag = bytes.slice(opening, bytes.indexOf('>', opening))
    const written = opening < 0 ? null : /\soverwrite=\s*["'][^"']*["']/.exec(tag)
    return written === null ? [] : [proposal({ start: opening + written.index, end: opening + written.index + written[0].length, text: '' })]
  },
  rule_element_deprecated: useCurrentName,
  rule_element_removed: removeSure,
  rule_category_ignored: removeSure,
  rule_info_attribute_invalid: (text) => (text.diagnostic.suggestion === null ? removeSure(text) : []),
  rule_ignore_option_invalid: removeEmptyWords,
  rule_ip_negation_ignored: negateAddress,
  rule_field_data_prefix: renameField,
  rule_static_field_as_dynamic: useStaticTag,
  rule_group_merged: endGroups,
  rule_group_blank: removeBlanksOfGroups,
  rule_if_sid_whitespace: trimIds,
  rule_text_edge_whitespace: trimContent,
  rule_status_switch: removeProposal,
  rule_condition_redundant: removeCondition,
  mitre_block_empty: removeProposal,
  list_line_invalid: addColon,
  list_key_duplicate: removeProposal,
  regex_idle_alternative: removeAlternative,
  regex_unescaped_dot: escapeDot,
}
