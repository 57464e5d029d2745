/** Parses JSON bodies: small ones here, large ones in a thread, in the fair share of their organization, user or address (`holderOf`). */
import { SMALL_JSON_BYTES, validateBytes, type ValidatedBytes } from '#requests'
import { type AnalysisPool, fromPieces } from '#workers'
import { okOf } from '../../pool-outcome.js'
import { holderOf } from '../limits/concurrency.js'
import type { RequestState } from '../request-state.js'

/** @param anyName as in `Validator.check` */
export function bodyParser(
  schema: object,
  anyName: boolean,
  pool: Pick<AnalysisPool, 'read'>,
): (body: Uint8Array, state: RequestState) => ValidatedBytes | Promise<ValidatedBytes> {
  let text: string | undefined
  const parseInThread = async (body: Uint8Array, state: RequestState): Promise<ValidatedBytes> => {
    const { organization, user, address } = holderOf(state)
    const { signal } = state
    const outcome = await pool.read(
      { of: 'request', schema: (text ??= JSON.stringify(schema)), bytes: body, anyName },
      { organization: organization ?? user ?? address ?? '', signal, isLast: true },
    )
    const read = okOf(outcome, signal)
    return read.kind === 'valid' ? { ...read, value: await fromPieces(read.value) } : read
  }
  return (body, state) => (body.byteLength <= SMALL_JSON_BYTES ? validateBytes(schema, body, anyName) : parseInThread(body, state))
}
