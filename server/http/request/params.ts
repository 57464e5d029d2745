/** Holds path parameters against their form. One that can be no id names nothing: 404, and the database isn't asked. */
import { ApiError } from '../../errors.js'
import type { Middleware } from '../exchange.js'
import type { Route } from '../route.js'
import { type Validator, validatorFor } from '#requests'

/** Ids are opaque, but all of ours are short and plain. A route whose parameter is not of ours declares it. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9_.~-]{0,127}$/

export function params(route: Route): Middleware {
  const declared = route.params
  let validator: Validator | undefined
  return ({ state }, next) => {
    if (declared === undefined) {
      for (const value of Object.values(state.params as Record<string, string>)) if (!ID.test(value)) throw new ApiError('resource_missing')
    } else {
      validator ??= validatorFor(declared)
      if (validator.check(state.params).length > 0) throw new ApiError('resource_missing')
    }
    return next()
  }
}
