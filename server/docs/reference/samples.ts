/** A sample call of an operation, and what it answers. The shell variables are those of the first call. */
import { html, type Markup } from '../../core/http/text/html.js'
import { type Call, type Description, type Media, resolve } from './description.js'
import { coloured, type Language, languageOf } from './highlight.js'

/** Longer samples are cut: the interface document has all of them whole. */
const SHOWN_CHARACTERS = 4000

export function samples({ method, path, operation }: Call, { components }: Description): Markup {
  const { requestBody, responses } = operation
  const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const good = Object.entries(responses).find(([status]) => Number(status) < 300)
  const [answerType, answer] = Object.entries(good?.[1].content ?? {})[0] ?? []
  const written = (type: string | undefined, media: Media | undefined): Markup => (type === undefined || media === undefined ? html`` : examples(type, media, components.examples))
  return html`<aside class="samples" aria-label="Sample of ${operation.summary}">
<h4>Request</h4>
${block(command(method, path, operation.security ?? [], bodyType), 'shell')}${written(bodyType, body)}<h4>Answer${good === undefined ? '' : html` <span class="status good">${good[0]}</span>`}</h4>
${answer === undefined ? html`<p class="quiet">No body.</p>\n` : written(answerType, answer)}</aside>
`
}

/** A sample in a box. */
export function block(text: string, language: Language): Markup {
  return html`<pre><code>${coloured(text, language)}</code></pre>\n`
}

function command(method: string, path: string, security: readonly Readonly<Record<string, unknown>>[], bodyType: string | undefined): string {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)))
  const credential = schemes.has('apiKey') ? ' -H "X-API-Key: $KEY"' : schemes.size > 0 ? ' -H "Authorization: Bearer $TOKEN"' : ''
  const verb = method === (bodyType === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`
  const body = bodyType === undefined ? '' : ` \\\n  -H 'Content-Type: ${bodyType}' --data-binary @body`
  return `curl -s${verb} "$API${path}"${credential}${body}`
}

/** The first example is shown, the others can be opened. */
function examples(type: string, { examples: declared = {} }: Media, table: Description['components']['examples']): Markup {
  const shown = Object.entries(declared).map(([name, example]) => ({ name, box: block(textOf(resolve(example, table).value), languageOf(type)) }))
  return html`${shown.map(({ name, box }, index) => (index === 0 ? box : html`<details><summary>${name}</summary>${box}</details>\n`))}`
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}\n…`
}
