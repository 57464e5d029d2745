/**
 * E-mail addresses: which are taken, how they are stored, and by what they are compared. Every way in uses this file (requests, settings, migrations), so
 * that two spellings that look alike are one address: "ａｎａ@example.com" in full-width letters is "ana@example.com".
 */

/** RFC 5321: 254 for the address, 64 for what stands before the at sign. */
export const EMAIL_LIMIT = 254
const LOCAL_LIMIT = 64
const LABEL_LIMIT = 63

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*)$/u
const LOCAL = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u
/**
 * Characters that nobody sees: zero-width ones, those that turn the direction of writing, fillers, variation selectors, every kind of space, halves of
 * surrogate pairs, and the blank Braille pattern. U+2800 has no property that would name it.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Z}\u2800]/u
const INVISIBLES = new RegExp(INVISIBLE.source, 'gu')

/** Whether a text is an address that is taken. Linear in its length; long texts are refused before they are looked at. */
export function isEmailAddress(text: string): boolean {
  if (text.length > EMAIL_LIMIT || INVISIBLE.test(text)) return false
  const address = text.normalize('NFKC')
  // A character may come apart into a space, or into eighteen letters.
  if (address.length > EMAIL_LIMIT || INVISIBLE.test(address)) return false
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  if (at < 1 || at > LOCAL_LIMIT || !LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  return address
    .slice(at + 1)
    .split('.')
    .every((label) => label.length <= LABEL_LIMIT && LABEL.test(label) && !label.endsWith('-'))
}

/** An address as it is stored, and as mail goes to it: NFKC, in the case in which it was written. What is invisible was refused at the door, and goes from what was stored before that. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFKC').replace(INVISIBLES, '')
}

/** By which addresses are compared: normalized, and without case. */
export function emailKeyOf(email: string): string {
  // Letters in lower case may compose with what follows them.
  return normalizeEmail(normalizeEmail(email).toLowerCase())
}
