/**
 * The zero-width tests for every newline convention.
 */
import type { AssertionTest, NewlineKind } from './ast.js'
import type { Program } from './program.js'

const LF = 0x0a
const CR = 0x0d

export function assertionHolds(program: Program, test: AssertionTest, text: string, pos: number): boolean {
  switch (test) {
    case 'subject_start':
      return pos === 0
    case 'subject_end':
      return pos === text.length
    case 'final_end': {
      if (pos === text.length) return true
      const length = newlineAt(program.newline, text, pos, program.utf)
      return length > 0 && pos + length === text.length
    }
    case 'line_start':
      // not after a final newline: no line begins there
      return pos === 0 || (pos < text.length && isBehindNewline(program.newline, text, pos, program.utf))
    case 'line_end':
      return pos === text.length || newlineAt(program.newline, text, pos, program.utf) > 0
    case 'word_boundary':
      return isWord(program, text, pos - 1) !== isWord(program, text, pos)
    case 'not_word_boundary':
      return isWord(program, text, pos - 1) === isWord(program, text, pos)
    case 'not_newline':
      return newlineAt(program.newline, text, pos, program.utf) === 0
  }
}

function isWord(program: Program, text: string, pos: number): boolean {
  return pos >= 0 && pos < text.length && program.word[text.charCodeAt(pos)] === 1
}

/** Length of the newline at `pos`, or 0. */
function newlineAt(kind: NewlineKind, text: string, pos: number, utf: boolean): number {
  const char = text.charCodeAt(pos)
  switch (kind) {
    case 'lf':
      return char === LF ? 1 : 0
    case 'cr':
      return char === CR ? 1 : 0
    case 'nul':
      return char === 0 ? 1 : 0
    case 'crlf':
      return char === CR && text.charCodeAt(pos + 1) === LF ? 2 : 0
    case 'anycrlf':
      if (char === LF) return 1
      return char === CR ? (text.charCodeAt(pos + 1) === LF ? 2 : 1) : 0
    case 'any':
      if (char === CR) return text.charCodeAt(pos + 1) === LF ? 2 : 1
      if (char >= LF && char <= CR) return 1
      if (!utf) return char === 0x85 ? 1 : 0
      if (text.startsWith('\xc2\x85', pos)) return 2
      return text.startsWith('\xe2\x80\xa8', pos) || text.startsWith('\xe2\x80\xa9', pos) ? 3 : 0
  }
}

function isBehindNewline(kind: NewlineKind, text: string, pos: number, utf: boolean): boolean {
  if (kind === 'crlf') return pos >= 2 && newlineAt(kind, text, pos - 2, utf) === 2
  if (kind === 'any' && utf) {
    return [1, 2, 3].some((length) => pos >= length && newlineAt(kind, text, pos - length, utf) === length)
  }
  // a newline of one byte, which may be the LF of a CRLF
  return newlineAt(kind, text, pos - 1, utf) > 0
}
