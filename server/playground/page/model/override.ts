/** The text that overrides a rule of the base: the whole rule, because an overwrite replaces all of it, in a group of the same name. */

/** @param content a file of rules @returns null: the file has no such rule */
export function overrideOf(content: string, id: string): string | null {
  const plain = withoutComments(content)
  const opening = new RegExp(`<rule\\b[^>]*\\bid\\s*=\\s*["']${id.replace(/\D/g, '')}["'][^>]*>`).exec(plain)
  if (opening === null) return null
  const end = plain.indexOf('</rule>', opening.index)
  if (end < 0) return null
  const indentation = /[ \t]*$/.exec(content.slice(0, opening.index))?.[0] ?? ''
  const tag = opening[0].replace(/\s*>$/, ' overwrite="yes">')
  const body = content
    .slice(opening.index + opening[0].length, end + '</rule>'.length)
    .split('\n')
    .map((line, index) => (index > 0 && line.startsWith(indentation) ? `  ${line.slice(indentation.length)}` : line))
    .join('\n')
  const group = [...plain.slice(0, opening.index).matchAll(/<group\b[^>]*\bname\s*=\s*["']([^"']*)["']/g)].at(-1)?.[1] ?? 'local,'
  return `<group name="${group}">\n  ${tag}${body}\n</group>\n`
}

/** Comments become blanks, so that offsets stay. */
function withoutComments(content: string): string {
  return content.replace(/<!--[\s\S]*?-->/g, (comment) => ' '.repeat(comment.length))
}
