/** Escapes text for XML output, and removes the control characters that XML cannot contain. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const NOT_IN_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' }

/** For attribute values, where parsers would replace line breaks and tabs with blanks. */
function escapeAttribute(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd').replace(/[&<>"'\n\r\t]/g, (char) => ESCAPES[char])
}

/** For element content. */
export function escapeText(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd').replace(/[&<>]/g, (char) => ESCAPES[char])
}

/** An element with attributes; without content it is self-closing. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content: string | null = null): string {
  const written = Object.entries(attributes)
    .map(([attribute, value]) => ` ${attribute}="${escapeAttribute(String(value))}"`)
    .join('')
  return content === null ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
}
