/** Checks the form of path parameters. A value that cannot be an id is answered 404 without a query. */
import { ApiError } from '../../errors.js'
import type { Middleware } from '../request-state.js'
import type { Route } from '../route.js'
import { type Validator, validatorFor } from '#requests'

/** The form of our ids, which are opaque and short. A route with other parameters declares their form. */
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
