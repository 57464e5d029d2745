/**
 * Returns the words of an `<order>` or `<fts>`: split at commas, `\,` is a comma of the word, leading blanks are removed, the word ends at the next blank. Tabs
 * and newlines are kept, and become part of names.
 */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && text[at + 1] === ',') {
      word += ','
      at++
    } else if (text[at] === ',') {
      words.push(word)
      word = ''
    } else word += text[at]
  }
  words.push(word)
  return words.map((raw) => {
    const trimmed = raw.replace(/^ +/, '')
    const blank = trimmed.indexOf(' ')
    return blank < 0 ? trimmed : trimmed.slice(0, blank)
  })
}
