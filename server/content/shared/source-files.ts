/**
 * Finds the rules and decoders that a file of a repository defines, without compiling it, because the file may have errors or depend on missing files.
 * The time is linear in the text, which comes from callers.
 */
import type { SourceFileEntry } from './content.js'

/** Maximum names of a file. The largest known rule files have a few hundred. */
export const NAMES_LIMIT = 20_000
/** Maximum characters of a rule id and of a decoder name; longer ones are ignored. */
export const RULE_ID_CHARACTERS = 16
export const DECODER_NAME_CHARACTERS = 255

/** Characters of a start tag that are searched for the attribute. */
const HEAD_CHARACTERS = 2048
const COMMENT_END = '-->'

type Written = Pick<SourceFileEntry, 'path' | 'kind' | 'xml' | 'sha'> & Partial<Pick<SourceFileEntry, 'rule_ids' | 'decoder_names'>>

/** Returns the file as it is stored. Names that the caller did not send are read from its text. */
export function describeSourceFile({ path, kind, xml, sha, rule_ids, decoder_names }: Written): SourceFileEntry {
  return {
    path,
    kind,
    xml,
    sha,
    rule_ids: rule_ids ?? (kind === 'rules' ? writtenRuleIds(xml) : []),
    decoder_names: decoder_names ?? (kind === 'decoders' ? writtenDecoderNames(xml) : []),
  }
}

/** Returns the ids of the rules in the text, each once, in order. */
export function writtenRuleIds(xml: string): string[] {
  return attributesOf(xml, /<(?:!--|rule\s)/g, /(?:^|\s)id\s*=\s*(?:"([^"]*)"|'([^']*)')/, RULE_ID_CHARACTERS)
}

/** Returns the names of the decoders in the text, each once, in order. */
export function writtenDecoderNames(xml: string): string[] {
  return attributesOf(xml, /<(?:!--|decoder\s)/g, /(?:^|\s)name\s*=\s*(?:"([^"]*)"|'([^']*)')/, DECODER_NAME_CHARACTERS)
}

/** @param tag matches the start of a comment or element; a global pattern that cannot backtrack */
function attributesOf(xml: string, tag: RegExp, attribute: RegExp, characters: number): string[] {
  const values = new Set<string>()
  for (let found = tag.exec(xml); found !== null && values.size < NAMES_LIMIT; found = tag.exec(xml)) {
    const isComment = found[0] === '<!--'
    const end = isComment ? xml.indexOf(COMMENT_END, tag.lastIndex) : xml.indexOf('>', tag.lastIndex)
    // An unclosed comment or tag extends to the end of the text.
    if (end === -1) break
    if (!isComment) {
      const [, quoted, single] = attribute.exec(xml.slice(tag.lastIndex - 1, Math.min(end, tag.lastIndex + HEAD_CHARACTERS))) ?? []
      const value = (quoted ?? single ?? '').trim()
      if (value !== '' && value.length <= characters) values.add(value)
    }
    tag.lastIndex = end
  }
  return [...values]
}
