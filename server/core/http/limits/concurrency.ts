/** Acquires the limits that a request needs (`server/core/limits/table.ts`), and releases them at the end of the request. */
import type { IncomingMessage } from 'node:http'
import { subjectOf } from '../../auth/principal.js'
import type { GrowingPermit, Holder, Limits, Permit } from '../../limits/limits.js'
import { LOADS } from '../../limits/loads.js'
import type { RequestState, Middleware } from '../request-state.js'
import type { Route } from '../route.js'

/** Larger bodies are counted separately. Smaller ones are part of their request: headers may be as long. */
export const SMALL_BODY_BYTES = 64 * 1024

/** The subject that a request is counted for. */
export function holderOf({ caller, address }: RequestState): Holder {
  return caller === null ? { address } : { organization: caller.organizationId, user: subjectOf(caller) }
}

/** Runs before the body is read. The permit is released when the operating system has the response. */
export function acquireRequest(route: Pick<Route, 'load'>, limits: Limits): Middleware {
  const { holds } = LOADS[route.load ?? 'documents']
  return ({ state }, next) => {
    const holder = holderOf(state)
    // An organization with too many unread responses gets no further ones.
    limits.require('answer_bytes', holder)
    const permit = limits.acquire(holds, holder)
    state.onEnd(() => permit.release())
    return next()
  }
}

/** Runs right before the handler, and waits for a slot. Null: the route needs none. */
export function acquireSlot(route: Pick<Route, 'load'>, limits: Limits): Middleware | null {
  const { slot, keepsSlot } = LOADS[route.load ?? 'documents']
  if (slot === null) return null
  return ({ state }, next) => {
    const begin = (permit: Permit): Promise<unknown> => {
      const end = state.onEnd(() => permit.release())
      if (!keepsSlot) state.releaseSlot = end
      return next()
    }
    const taken = limits.acquireQueued(slot, holderOf(state), () => state.signal)
    return taken instanceof Promise ? taken.then(begin) : begin(taken)
  }
}

/** Counts the bytes of a body before it is read, until its request ends. Null: the body is small. @throws ApiError limit_reached */
export function acquireBodyBytes(state: RequestState, req: IncomingMessage, limits: Limits): GrowingPermit | null {
  const length = req.headers['content-length']
  if (length !== undefined && Number(length) <= SMALL_BODY_BYTES) return null
  const permit = limits.acquire('body_bytes', holderOf(state), length === undefined ? 0 : Number(length))
  state.onEnd(() => permit.release())
  return permit
}
