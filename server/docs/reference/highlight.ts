/** Colours JSON, XML and commands for the shell. The texts are samples of our own, not those of callers. */
import { html, type Markup } from '../../core/http/text/html.js'

export type Language = 'json' | 'xml' | 'shell' | 'text'

/** Tokens with a colour, by the names of their groups; other text has none. */
const TOKENS: Readonly<Record<Exclude<Language, 'text'>, RegExp>> = {
  json: /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|(?<word>\b(?:true|false|null)\b)/gi,
  xml: /(?<comment><!--[\s\S]*?-->)|(?<word><\/?[\w:.-]+|\/?>)|(?<key>[\w:.-]+(?==))|(?<string>"[^"]*")/g,
  shell: /(?<comment>^#.*$)|(?<string>'[^']*'|"[^"]*")|(?<number>\$\w+)|(?<key>(?<= )-{1,2}[\w-]+)|(?<word>^(?:curl|npm|npx)\b)/gm,
}

/** The language of a body. */
export function languageOf(mediaType: string): Language {
  if (mediaType.includes('json')) return 'json'
  return mediaType.includes('xml') ? 'xml' : 'text'
}

export function coloured(text: string, language: Language): Markup {
  if (language === 'text') return html`${text}`
  const parts: Markup[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS[language])) {
    const [kind, token] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) as [string, string]
    parts.push(html`${text.slice(end, match.index)}<span class="${kind}">${token}</span>`)
    end = match.index + match[0].length
  }
  return html`${parts}${text.slice(end)}`
}
