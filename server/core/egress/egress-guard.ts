/**
 * Keeps requests that tenants cause out of the service's own network. Invariants:
 *  1. a target is a name or an address; each address that it resolves to must be public (`addresses.ts`)
 *  2. connections use the addresses that were checked here, so a name that changes afterwards (DNS rebinding) has no effect
 *  3. only the operator can disable the guard, for the whole instance (`ALLOW_PRIVATE_TARGETS`)
 */
import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.js'
import { networkResolve, type Resolve, systemResolve } from './resolve.js'

/** Timeout of name resolution before a target is stored. The name is resolved again for every request. */
const CHECK_MS = 3_000
/** Maximum addresses of a name that are tried; more do not make a target easier to reach. */
const ADDRESSES_LIMIT = 8

/** The target is, or resolves to, an address that is not public. */
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
   * Checks a target before it is stored. A name that does not resolve, or resolves slowly, passes: it is checked again before every request. @throws
   * TargetRefusedError
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

  /** The addresses to connect to. @throws TargetRefusedError, NameError */
  async addressesOf(url: URL): Promise<readonly Address[]> {
    const hostname = hostOf(url)
    const found = isIP(hostname) === 0 ? await this.#resolve(hostname) : [hostname]
    // Addresses beyond the limit are checked too: a name with public and private addresses is not an accident.
    if (!this.#allowPrivate && !found.every(isPublicAddress)) throw new TargetRefusedError()
    return found.slice(0, ADDRESSES_LIMIT).map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
  }
}

/** The host without the brackets of IPv6. Other notations of IPv4 (hexadecimal, one number, fewer parts) are already normalized by `URL`. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
