/** Recorded requests of identity providers: each step is sent as the provider sends it, and its answer is held to a status and to the attributes that matter. */
import assert from 'node:assert/strict'
import type { Answer, Client } from './client.js'
import { SCIM } from './provisioning.js'

export interface Step {
  /** What the provider does. */
  readonly title: string
  /** As in the provider's documentation: `GET /Users?filter=userName eq "…"`. Spaces and quotes are encoded as clients do. `{name}`: an identifier that an earlier step kept. */
  readonly request: string
  /** `{name}` in texts as in `request`. */
  readonly body?: object
  readonly status: number
  /** Attributes that the answer has; lists and objects are compared as wholes, others are ignored. */
  readonly has?: Readonly<Record<string, unknown>>
  /** Attributes that the answer does not have. */
  readonly without?: readonly string[]
  /** Keeps the `id` of the answer under this name. */
  readonly keep?: string
  /** Further checks, with the identifiers that were kept. */
  readonly after?: (ids: Readonly<Record<string, string>>, answer: Answer<never>) => Promise<void> | void
}

/** Runs the steps one after the other. @param headers of every request */
export async function runScript(client: Client, headers: Readonly<Record<string, string>>, steps: readonly Step[]): Promise<void> {
  const ids: Record<string, string> = {}
  for (const { title, request, body, status, has = {}, without = [], keep, after } of steps) {
    const [method, path] = split(filled(request, ids) as string)
    const sent = body === undefined ? {} : { raw: JSON.stringify(filled(body, ids)) }
    const answer = await client.call<never>(method, `${SCIM}${encoded(path)}`, {
      headers: body === undefined ? headers : { 'Content-Type': 'application/scim+json; charset=utf-8', ...headers },
      ...sent,
    })
    assert.equal(answer.status, status, `${title}: ${answer.text}`)
    if (answer.text !== '') assert.equal(answer.headers.get('content-type'), 'application/scim+json', title)
    const found = (answer.body ?? {}) as Readonly<Record<string, unknown>>
    for (const [name, value] of Object.entries(has)) assert.deepEqual(found[name], filled(value, ids), `${title}: ${name} of ${answer.text}`)
    for (const name of without) assert.equal(name in found, false, `${title}: ${name} of ${answer.text}`)
    if (keep !== undefined) ids[keep] = String(found.id)
    await after?.(ids, answer)
  }
}

function split(request: string): [method: string, path: string] {
  const at = request.indexOf(' ')
  return [request.slice(0, at), request.slice(at + 1)]
}

/** Encodes the values of parameters. */
function encoded(path: string): string {
  const [before, query] = [path.split('?')[0], path.slice(path.indexOf('?') + 1)]
  if (!path.includes('?')) return before
  const parameters = query.split('&').map((parameter) => {
    const at = parameter.indexOf('=')
    return `${parameter.slice(0, at)}=${encodeURIComponent(parameter.slice(at + 1))}`
  })
  return `${before}?${parameters.join('&')}`
}

/** Replaces `{name}` by the identifier of this name. */
function filled(value: unknown, ids: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole)
  if (Array.isArray(value)) return value.map((one) => filled(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, ids)]))
}
