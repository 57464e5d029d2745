/** Holds what handlers answer against what their routes declare. For tests: an answer that differs becomes a 500, and the log says where. */
import { Readable } from 'node:stream'
import type { Log } from '../observability/log.js'
import type { Route, RouteResponse } from './route.js'
import { validatorFor } from './validation/validator.js'

export class AnswerCheck {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** @throws TypeError when the answer isn't what the route declares */
  check(route: Route, { status = 200, body }: RouteResponse<unknown>): void {
    const declared = route.responses[status]
    if (declared === undefined) return this.#fail(route, `status ${status} is not declared`)
    if (declared.schema === null) {
      if (body !== undefined) this.#fail(route, `status ${status} has a body`)
      return
    }
    if (body === undefined) return this.#fail(route, `status ${status} has no body`)
    const isJson = declared.mediaType === undefined || /^application\/(?:.*\+)?json$/.test(declared.mediaType)
    if (body instanceof Readable || !isJson) return
    const value: unknown = JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : JSON.stringify(body))
    const issues = validatorFor(declared.schema).check(value)
    if (issues.length > 0) this.#fail(route, issues.map(({ path, message, expected }) => `${path} ${message} ${JSON.stringify(expected)}`).join('; '))
  }

  #fail(route: Route, what: string): never {
    this.#log.error({ route: route.id, what }, 'an answer is not what its route declares')
    throw new TypeError(`${route.id}: ${what}`)
  }
}
