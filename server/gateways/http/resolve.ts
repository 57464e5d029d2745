/** Names to addresses, for names that tenants write. */
import { lookup, Resolver } from 'node:dns/promises'

/** Of one question to one server; the second try takes twice as long. */
const TIMEOUT_MS = 2_000
const TRIES = 2
const LOOPBACK = ['127.0.0.1', '::1'] as const

/** Addresses of a name, in the order in which they are to be tried. @throws NameError */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** A name has no address, or nobody could be asked. */
export class NameError extends Error {
  override readonly name = 'NameError'
}

/**
 * Asks the network's name servers, by the process itself: the system's resolver works in libuv's pool, where a tenant's name server that never answers
 * would keep files and passwords waiting.
 */
export function networkResolve(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  return async (hostname) => {
    const name = hostname.replace(/\.$/, '').toLowerCase()
    // RFC 6761, 6.3: nobody is asked for these.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new NameError('the name has no address')
    return addresses
  }
}

/** Asks the system, which knows a hosts file and search domains as well. Only where the operator trusts whoever names targets. */
export function systemResolve(): Resolve {
  return async (hostname) => {
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address)
    } catch (error) {
      throw new NameError('the name has no address', { cause: error })
    }
  }
}
