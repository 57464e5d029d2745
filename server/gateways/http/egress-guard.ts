/**
 * Keeps requests that tenants cause out of the network that the service stands in. Invariants:
 *  1. a target is a name or an address; either leads to addresses, and every single one has to be public (`addresses.ts`)
 *  2. whoever connects does so to the addresses that were checked here: a name that leads elsewhere a moment later leads nowhere
 *  3. the operator alone can lift it, for the whole instance (`ALLOW_PRIVATE_TARGETS`)
 */
import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.js'
import { networkResolve, type Resolve, systemResolve } from './resolve.js'

/** How long a target's name may take to resolve before it is stored; it is asked again whenever something is sent there. */
const CHECK_MS = 3_000
/** Addresses of a name that are tried; more of them make no target easier to reach. */
const ADDRESSES_LIMIT = 8

/** The target is, or leads to, an address that is not public. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError'
  constructor() {
    super('the target is not public')
  }
}

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

export interface EgressGuardOptions {
  readonly allowPrivateTargets: boolean
  /** For tests. */
  readonly resolve?: Resolve
}

export class EgressGuard {
  readonly #allowPrivate: boolean
  readonly #resolve: Resolve

  constructor({ allowPrivateTargets, resolve = allowPrivateTargets ? systemResolve() : networkResolve() }: EgressGuardOptions) {
    this.#allowPrivate = allowPrivateTargets
    this.#resolve = resolve
  }

  /**
   * Before a target is stored. A name that has no address now, or takes long, passes: it may have one later, and is checked again before anything is
   * sent. @throws TargetRefusedError
   */
  async check(url: URL): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CHECK_MS)
    })
    try {
      await Promise.race([this.addressesOf(url), late])
    } catch (error) {
      if (error instanceof TargetRefusedError) throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Where to connect to. @throws TargetRefusedError, NameError */
  async addressesOf(url: URL): Promise<readonly Address[]> {
    const hostname = hostOf(url)
    const found = isIP(hostname) === 0 ? await this.#resolve(hostname) : [hostname]
    // Also those that would not be tried: a name of both kinds of addresses is not an accident.
    if (!this.#allowPrivate && !found.every(isPublicAddress)) throw new TargetRefusedError()
    return found.slice(0, ADDRESSES_LIMIT).map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
  }
}

/** An address of IPv6 stands in brackets. Other ways to write one of IPv4 (hexadecimal, one number, fewer parts) are gone once it is a `URL`. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
