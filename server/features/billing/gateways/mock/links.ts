/**
 * The links to the pages of the gateway `mock`. A link has all that its page needs, signed, so a checkout is stored only when it is paid, and the checkout or
 * portal of another organization can't be opened by guessing. Links of checkouts and portals are not interchangeable, and expire.
 */
import jwt from 'jsonwebtoken'
import Type, { type Static, type TSchema } from 'typebox'
import { isValid } from '../../../../core/egress/answers.js'

const ALGORITHM = 'HS256'
/** A checkout of Stripe is open for a day. */
const CHECKOUT_SECONDS = 24 * 60 * 60
/** Long enough for a walk through all of the portal's buttons. */
const PORTAL_SECONDS = 60 * 60
/** Longest token: two addresses of 2,000 characters, a name and ids, in Base64. */
const TOKEN_CHARACTERS = 12_000

export const CHECKOUT_PATH = '/billing/mock/checkout'
export const PORTAL_PATH = '/billing/mock/portal'

const Checkout = Type.Object({
  sessionId: Type.String(),
  organizationId: Type.String(),
  organizationName: Type.String(),
  customerId: Type.String(),
  planId: Type.String(),
  interval: Type.Union([Type.Literal('month'), Type.Literal('year')]),
  seats: Type.Integer({ minimum: 1 }),
  successUrl: Type.String(),
  cancelUrl: Type.String(),
  trialDays: Type.Integer({ minimum: 0 }),
})
export type MockCheckout = Static<typeof Checkout>

const Portal = Type.Object({ organizationId: Type.String(), customerId: Type.String(), returnUrl: Type.String() })
export type MockPortal = Static<typeof Portal>

export class MockLinks {
  readonly #key: Buffer
  readonly #clock: () => number

  /** @param clock milliseconds since the epoch */
  constructor(key: Buffer, clock: () => number) {
    this.#key = key
    this.#clock = clock
  }

  toCheckout(base: string, checkout: MockCheckout): string {
    return this.#link(`${base}${CHECKOUT_PATH}`, 'checkout', checkout, CHECKOUT_SECONDS)
  }

  toPortal(base: string, portal: MockPortal): string {
    return this.#link(`${base}${PORTAL_PATH}`, 'portal', portal, PORTAL_SECONDS)
  }

  /** Null: not a link to a checkout of this service, or expired. */
  checkout(token: string): MockCheckout | null {
    return this.#read(token, 'checkout', Checkout)
  }

  /** Null: not a link to a portal of this service, or expired. */
  portal(token: string): MockPortal | null {
    return this.#read(token, 'portal', Portal)
  }

  #link(page: string, audience: string, content: object, seconds: number): string {
    const now = Math.floor(this.#clock() / 1000)
    const token = jwt.sign({ content, iat: now, exp: now + seconds, aud: audience }, this.#key, { algorithm: ALGORITHM })
    return `${page}?token=${token}`
  }

  #read<T extends TSchema>(token: string, audience: string, schema: T): Static<T> | null {
    if (token.length > TOKEN_CHARACTERS) return null
    try {
      const claims = jwt.verify(token, this.#key, { algorithms: [ALGORITHM], audience, clockTimestamp: Math.floor(this.#clock() / 1000) })
      const content: unknown = typeof claims === 'string' ? null : claims.content
      return isValid(schema, content) ? content : null
    } catch {
      // Every error of the library is caused by the caller's input.
      return null
    }
  }
}
