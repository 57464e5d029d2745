/** Writes a report of an event as JSON. What the event resulted in is JSON already. */
import { type PrintedReport, quoteJson } from '#engine'

/**
 * Writes the report without its diagnostics and with another `ok`, without the closing brace, in two texts: the result, and the explanations. Encoding a text
 * with one character beyond ASCII takes fifteen times as long as one without, and in most answers only the explanations have any.
 */
export function reportJson({ foundJson, insights, alert, previous_output }: PrintedReport, ok: boolean): readonly [found: string, said: string] {
  return [`{"ok":${ok},${foundJson},`, `"insights":[${textsJson(insights)}],"alert":${alert},"previous_output":[${textsJson(previous_output)}]`]
}

function textsJson(texts: readonly string[]): string {
  let json = ''
  for (const text of texts) json += `${json === '' ? '' : ','}${quoteJson(text)}`
  return json
}
