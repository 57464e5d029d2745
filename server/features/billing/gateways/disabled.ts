/** The gateway of an instance without billing: every call is 402 `billing_gateway_disabled`. */
import { ApiError } from '../../../core/errors.js'
import type { BillingGateway } from './gateway.js'

function refuse(): never {
  throw new ApiError('billing_gateway_disabled')
}

export const DISABLED_BILLING: BillingGateway = {
  provider: 'disabled',
  status: () => ({ status: 'disabled', publishableKey: null }),
  checkout: async () => refuse(),
  portal: async () => refuse(),
  verifyEvent: refuse,
  readEvent: async () => refuse(),
  subscription: async () => refuse(),
  subscriptions: async () => refuse(),
  cancel: async () => refuse(),
}
