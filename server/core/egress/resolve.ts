/** Name resolution for names that tenants choose. */
import { lookup, Resolver } from 'node:dns/promises'

/** Timeout of one query to one server; the second attempt takes twice as long. */
const TIMEOUT_MS = 2_000
const TRIES = 2
const LOOPBACK = ['127.0.0.1', '::1'] as const

/** Resolves a name to addresses in the order to try them. @throws NameError */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** A name has no address, or no name server responded. */
export class NameError extends Error {
  override readonly name = 'NameError'
}

/**
 * Queries name servers directly. The system's resolver runs in libuv's thread pool, where a tenant's unresponsive name server would delay file access and
 * password hashing.
 * @param servers addresses with port, for tests; default: those of the host
 */
export function networkResolve(servers: readonly string[] | null = null): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers !== null) resolver.setServers(servers)
  return async (hostname) => {
    const name = hostname.replace(/\.$/, '').toLowerCase()
    // RFC 6761, 6.3: these names are never queried.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new NameError('the name has no address')
    return addresses
  }
}

/** Uses the system's resolver with its hosts file and search domains. Only for instances whose operator trusts everyone who chooses targets. */
export function systemResolve(): Resolve {
  return async (hostname) => {
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address)
    } catch (error) {
      throw new NameError('the name has no address', { cause: error })
    }
  }
}
