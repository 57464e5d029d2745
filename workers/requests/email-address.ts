/**
 * E-mail addresses: which are accepted, how they are stored, and how they are compared. Requests, settings and migrations all use these functions, so that
 * spellings that look the same are one address: "ａｎａ@example.com" in full-width letters is "ana@example.com".
 */

/** RFC 5321: 254 for the address, 64 for the part before the at sign. */
export const EMAIL_LIMIT = 254
const LOCAL_LIMIT = 64
const LABEL_LIMIT = 63

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*)$/u
const LOCAL = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u
/**
 * Invisible characters: zero-width characters, bidirectional controls, fillers, variation selectors, all spaces, unpaired surrogates, and the blank Braille
 * pattern U+2800, which no Unicode property covers.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Z}\u2800]/u
const INVISIBLES = new RegExp(INVISIBLE.source, 'gu')

/** Whether a text is an accepted address. Takes time linear in its length; texts longer than `EMAIL_LIMIT` are refused first. */
export function isEmailAddress(text: string): boolean {
  if (text.length > EMAIL_LIMIT || INVISIBLE.test(text)) return false
  const address = text.normalize('NFKC')
  // NFKC turns some characters into a space and another character, and one into eighteen letters.
  if (address.length > EMAIL_LIMIT || INVISIBLE.test(address)) return false
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  if (at < 1 || at > LOCAL_LIMIT || !LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  return address
    .slice(at + 1)
    .split('.')
    .every((label) => label.length <= LABEL_LIMIT && LABEL.test(label) && !label.endsWith('-'))
}

/**
 * Returns the form in which an address is stored: NFKC, with its original case. Removes invisible characters, which only addresses stored by older versions
 * have.
 */
export function normalizeEmail(email: string): string {
  return email.normalize('NFKC').replace(INVISIBLES, '')
}

/** Returns the form in which addresses are compared: normalized, in lower case. */
export function emailKeyOf(email: string): string {
  // Lower-case letters may compose with the next character.
  return normalizeEmail(normalizeEmail(email).toLowerCase())
}
