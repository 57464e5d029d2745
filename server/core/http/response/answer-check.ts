/** Checks responses of handlers against the declarations of their routes. For tests: a difference becomes a 500, and the log says where. */
import { Readable } from 'node:stream'
import type { Log } from '../../observability/log.js'
import { essenceOf } from '../request/media-type.js'
import { ChunkedBody } from '../text/chunked-body.js'
import { JSON_MEDIA_TYPE, type Route, type RouteResponse } from '../route.js'
import { validatorFor } from '#requests'

export class AnswerCheck {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** @param chosen media type that `Accept` selected @throws TypeError when the response differs from the declaration */
  check(route: Route, response: RouteResponse<unknown>, chosen: string): void {
    const { status = 200, body, mediaType = chosen } = response
    const declared = route.responses[status]
    if (declared === undefined) return this.#fail(route, `status ${status} is not declared`)
    if ((response.etag !== undefined) !== (route.etag !== undefined && route.etag !== false)) return this.#fail(route, 'an ETag is declared or sent, but not both')
    if (declared.schema === null) {
      if (body !== undefined) this.#fail(route, `status ${status} has a body`)
      return
    }
    if (body === undefined) return this.#fail(route, `status ${status} has no body`)
    const other = declared.alternatives?.find((alternative) => essenceOf(alternative.mediaType) === essenceOf(mediaType))
    const isJson = /^application\/(?:.*\+)?json$/.test(other?.mediaType ?? declared.mediaType ?? JSON_MEDIA_TYPE)
    if (body instanceof Readable || !isJson) return
    const text = textOf(body)
    const value: unknown = JSON.parse(text)
    const issues = validatorFor(other?.schema ?? declared.schema).check(value, true)
    if (issues.length > 0) this.#fail(route, issues.map(({ path, message, expected }) => `${path} ${message} ${JSON.stringify(expected)}`).join('; '))
  }

  #fail(route: Route, what: string): never {
    this.#log.error({ route: route.id, what }, 'a response does not match the declaration of its route')
    throw new TypeError(`${route.id}: ${what}`)
  }
}

function textOf(body: unknown): string {
  if (body instanceof ChunkedBody) return Buffer.concat(body.chunks).toString('utf8')
  return body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : JSON.stringify(body)
}
