/** Distinguishes rule files from decoder files by their elements, without compiling them, because a file may have errors. The time is linear in the text, which comes from a repository. */

const COMMENT = '<!--'
const COMMENT_END = '-->'
/** The elements that only rule files or only decoder files have, and the start of a comment. */
const TAG = /<(?:!--|(decoder|group|rule)(?=[\s>/]))/g

/** `rules`, `decoders`, both (`mixed`), or neither. A file of variables and comments has neither. */
export type WrittenKind = 'rules' | 'decoders' | 'mixed' | null

export function writtenKind(xml: string): WrittenKind {
  let kind: WrittenKind = null
  TAG.lastIndex = 0
  for (let found = TAG.exec(xml); found !== null; found = TAG.exec(xml)) {
    if (found[0] === COMMENT) {
      const end = xml.indexOf(COMMENT_END, TAG.lastIndex)
      // An unclosed comment extends to the end of the text.
      if (end === -1) return kind
      TAG.lastIndex = end + COMMENT_END.length
      continue
    }
    const written = found[1] === 'decoder' ? 'decoders' : 'rules'
    if (kind !== null && kind !== written) return 'mixed'
    kind = written
  }
  return kind
}
