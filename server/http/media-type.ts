/** Which bodies a route takes. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.js'

export const JSON_MEDIA_TYPE = 'application/json'

/** @throws ApiError media_type_unsupported */
export function requireMediaType({ headers }: IncomingMessage, expected: string): void {
  const type = headers['content-type']
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'].toLowerCase() === 'identity'
  // The usual spelling costs no parsing.
  if (isPlain && (type === expected || (type !== undefined && isTaken(type, expected)))) return
  throw new ApiError('media_type_unsupported', { params: { expected }, details: { expected } })
}

/** The type itself, in UTF-8 if it names a charset. Other parameters mean nothing to us. */
function isTaken(type: string, expected: string): boolean {
  const [essence, ...parameters] = type.toLowerCase().split(';')
  if (essence.trim() !== expected) return false
  return parameters.every((parameter) => {
    const [name, value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || ['utf-8', 'utf8'].includes(value.trim().replace(/^"(.*)"$/, '$1'))
  })
}
