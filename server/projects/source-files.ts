/**
 * What the files of a repository hold, found without compiling them: a file may have faults, or build on others that are not there, and still it is
 * known which rules and decoders are written in it. Linear in the text: files are the caller's.
 */
import type { SourceFileEntry } from './content.js'

/** Names of a file that are kept. The largest rule files there are have a few hundred. */
export const NAMES_LIMIT = 20_000
/** Characters of an id and of a name; what is longer is none. */
export const RULE_ID_CHARACTERS = 16
export const DECODER_NAME_CHARACTERS = 255

/** Characters of a start tag that are looked through: attributes are written first. */
const HEAD_CHARACTERS = 2048
const COMMENT_END = '-->'

type Written = Pick<SourceFileEntry, 'path' | 'kind' | 'xml' | 'sha'> & Partial<Pick<SourceFileEntry, 'rule_ids' | 'decoder_names'>>

/** The file as it is stored: names that the caller did not tell are read from its text. */
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

/** Ids of the rules that are written in the text, each once, in order. */
export function writtenRuleIds(xml: string): string[] {
  return attributesOf(xml, /<(?:!--|rule\s)/g, /(?:^|\s)id\s*=\s*(?:"([^"]*)"|'([^']*)')/, RULE_ID_CHARACTERS)
}

/** Names of the decoders that are written in the text, each once, in order. */
export function writtenDecoderNames(xml: string): string[] {
  return attributesOf(xml, /<(?:!--|decoder\s)/g, /(?:^|\s)name\s*=\s*(?:"([^"]*)"|'([^']*)')/, DECODER_NAME_CHARACTERS)
}

/** @param tag begins a comment or an element; global, and without anything that could go back */
function attributesOf(xml: string, tag: RegExp, attribute: RegExp, characters: number): string[] {
  const values = new Set<string>()
  for (let found = tag.exec(xml); found !== null && values.size < NAMES_LIMIT; found = tag.exec(xml)) {
    const isComment = found[0] === '<!--'
    const end = isComment ? xml.indexOf(COMMENT_END, tag.lastIndex) : xml.indexOf('>', tag.lastIndex)
    // Whatever is not closed goes on to the end.
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
