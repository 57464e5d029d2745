/** Finds the characters that make a text no number, and the number that was probably meant. */
import { fromByteString } from '../source/byte-string.js'

/** Longer texts are no mistyped numbers. */
const VALUE_LIMIT = 40

/** Digits of the ids that people write: with fewer of them, a removed character may have stood for a digit. */
const USUAL_DIGITS = 6

/** Letters that look like digits, also those of other alphabets. */
const LOOK_ALIKE: Readonly<Record<string, string>> = { O: '0', o: '0', О: '0', о: '0', Ο: '0', ο: '0', l: '1', I: '1', '|': '1', Z: '2', З: '3', S: '5', s: '5', B: '8' }

export interface WrongNumber {
  /** The first characters that are wrong, as bytes of the text. */
  readonly within: readonly [start: number, end: number] | null
  /** Null: it is not clear which number was meant. */
  readonly suggestion: string | null
}

const NOTHING_WRONG: WrongNumber = { within: null, suggestion: null }

/** Texts without any digit are words, and numbers out of their range have no wrong character. @param text a byte string @param digits the most that the number may have */
export function wrongNumber(text: string, digits: number): WrongNumber {
  const wrong = /[0-9]/.test(text) ? /[^0-9]+/.exec(text) : null
  if (wrong === null) return NOTHING_WRONG
  return { within: [wrong.index, wrong.index + wrong[0].length], suggestion: meantNumber(text, digits) }
}

/** The first word of a list of numbers that is not a number. @param text a byte string, whose words are separated by commas and blanks */
export function wrongNumberOf(text: string, digits: number): WrongNumber {
  for (const { 0: word, index } of text.matchAll(/[^ ,]+/g)) {
    const { within, suggestion } = wrongNumber(word, digits)
    if (within !== null) return { within: [index + within[0], index + within[1]], suggestion }
  }
  return NOTHING_WRONG
}

function meantNumber(text: string, digits: number): string | null {
  if (text.length > VALUE_LIMIT) return null
  const characters = [...fromByteString(text).normalize('NFKC').trim()].map((char) => LOOK_ALIKE[char] ?? char)
  const number = characters.filter((char) => char >= '0' && char <= '9').join('')
  // A letter that looks like no digit may stand for any.
  const isClear = characters.every((char) => !/\p{L}/u.test(char)) || number.length === USUAL_DIGITS
  return isClear && number !== '' && number.length <= digits ? number : null
}
