/**
 * Which deliveries of a forge's webhook were received, in the store that all instances share. Invariants:
 *  1. a delivery is known by its id for a week, and by its body for an hour: nobody signs the id, so that a signed body could be sent again under another one
 *  2. what is stored is bound to the binding, and is a hash
 */
import { createHash } from 'node:crypto'
import type { GitEvent } from '../gateways/git/gateway.js'
import type { Write } from '../../../core/storage/contract.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { GIT_DELIVERIES, GIT_DELIVERY_BODIES, type GitBindingDocument } from './store.js'

export class ReceivedDelivery {
  readonly #scope: Scope
  readonly #id: string
  readonly #bodyId: string

  /** @param given the provider's id of the delivery; null: it has none, and is known by its body alone */
  constructor(scope: Scope, binding: GitBindingDocument, { kind }: Pick<GitEvent, 'kind'>, given: string | null, body: Uint8Array) {
    this.#scope = scope
    // Providers choose their ids, so that they are hashed.
    this.#id = `${binding._id}:${given === null ? hashOf('body:', body) : hashOf('id:', given)}`
    // A branch that moves forth and back and forth again is reported by equal bodies, where the forge writes no time into them: after an import the body of a push is
    // new. A replay then only causes another look at the head, once for each import.
    const since = kind === 'push' ? (binding.synced_at?.getTime() ?? 0) : 0
    this.#bodyId = `${binding._id}:${hashOf(`body:${since}:`, body)}`
  }

  async isKnown(): Promise<boolean> {
    const found = await Promise.all([this.#scope.collection(GIT_DELIVERIES).findOne({ _id: this.#id }), this.#scope.collection(GIT_DELIVERY_BODIES).findOne({ _id: this.#bodyId })])
    return found.some((document) => document !== null)
  }

  /** For the commit of what the delivery causes, which fails if an equal delivery was stored meanwhile. */
  inserting(created_at: Date): readonly Write[] {
    return [
      this.#scope.collection(GIT_DELIVERIES).inserting({ _id: this.#id, created_at }),
      this.#scope.collection(GIT_DELIVERY_BODIES).inserting({ _id: this.#bodyId, created_at }),
    ]
  }
}

function hashOf(prefix: string, value: string | Uint8Array): string {
  return createHash('sha256').update(prefix).update(value).digest('hex')
}
