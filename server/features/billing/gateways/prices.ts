/** Which price of the gateway stands for which plan and interval. Invariant: a price stands for one plan and interval, and each of those has at most one price. */
import { ConfigError, PREFIX, type PriceSetting } from '../../../core/config.js'
import { planById } from '../../../core/tenancy/plans.js'
import type { BillingInterval } from './gateway.js'

export interface PricedPlan {
  readonly planId: string
  readonly interval: BillingInterval
}

/** The prices of an instance, found in both directions. */
export class Prices {
  readonly #byPlan = new Map<string, string>()
  readonly #byPrice = new Map<string, PricedPlan>()

  constructor(prices: readonly (PricedPlan & { readonly price: string })[]) {
    for (const { planId, interval, price } of prices) {
      this.#byPlan.set(`${planId}.${interval}`, price)
      this.#byPrice.set(price, { planId, interval })
    }
  }

  get isEmpty(): boolean {
    return this.#byPrice.size === 0
  }

  /** Null: the plan can't be bought with that interval. */
  priceOf(planId: string, interval: BillingInterval): string | null {
    return this.#byPlan.get(`${planId}.${interval}`) ?? null
  }

  /** Null: the price is none of the settings. */
  planOf(price: string): PricedPlan | null {
    return this.#byPrice.get(price) ?? null
  }
}

/** The prices of the setting `STRIPE_PRICES`. @throws ConfigError if a plan does not exist or can't be bought */
export function pricesOf(settings: readonly PriceSetting[]): Prices {
  const prices = settings.map(({ plan, interval, price }) => {
    const found = planById(plan)
    if (found === null || !found.is_public || found.code === 'free') throw new ConfigError('price_without_plan', { variable: `${PREFIX}STRIPE_PRICES`, plan })
    return { planId: found.id, interval, price }
  })
  return new Prices(prices)
}
