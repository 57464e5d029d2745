/** Holds requests to the table of limits (`server/limits/table.ts`): what a request of a route holds, from when to when. */
import type { IncomingMessage } from 'node:http'
import { subjectOf } from '../../auth/principal.js'
import type { GrowingPermit, Holder, Limits, Permit } from '../../limits/limits.js'
import { LOADS } from '../../limits/loads.js'
import type { Exchange, Middleware } from '../exchange.js'
import type { Route } from '../route.js'

/** Bodies up to that are read without a look at what is free: a request may be as long anyway. */
export const SMALL_BODY_BYTES = 64 * 1024

/** In whose share a request counts. */
export function holderOf({ caller, address }: Exchange): Holder {
  return caller === null ? { address } : { organization: caller.organizationId, user: subjectOf(caller) }
}

/** Before anything of the body is read: what is held until the operating system has the answer. */
export function hold(route: Pick<Route, 'load'>, limits: Limits): Middleware {
  const { holds } = LOADS[route.load ?? 'documents']
  return ({ state }, next) => {
    const holder = holderOf(state)
    // An organization that leaves its answers lying gets no more until it has read them.
    limits.require('answer_bytes', holder)
    const permit = limits.acquire(holds, holder)
    state.lend(() => permit.release())
    return next()
  }
}

/** Right before the handler: its turn, as long as it works. Null: the route needs none. */
export function takeTurn(route: Pick<Route, 'load'>, limits: Limits): Middleware | null {
  const { turn, isTurnKept } = LOADS[route.load ?? 'documents']
  if (turn === null) return null
  return ({ state }, next) => {
    const begin = (permit: Permit): Promise<unknown> => {
      const end = state.lend(() => permit.release())
      if (!isTurnKept) state.endTurn = end
      return next()
    }
    const taken = limits.turn(turn, holderOf(state), () => state.signal)
    return taken instanceof Promise ? taken.then(begin) : begin(taken)
  }
}

/** Counts a body that is about to be read, until its request is answered. Null: it is small. @throws ApiError limit_reached */
export function holdBody(state: Exchange, req: IncomingMessage, limits: Limits): GrowingPermit | null {
  const length = req.headers['content-length']
  if (length !== undefined && Number(length) <= SMALL_BODY_BYTES) return null
  const permit = limits.acquire('body_bytes', holderOf(state), length === undefined ? 0 : Number(length))
  state.lend(() => permit.release())
  return permit
}
