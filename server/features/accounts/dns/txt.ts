/**
 * TXT records of names that tenants choose. Only name servers of the host are asked, so a name cannot make the service connect elsewhere. Invariants:
 *  1. a lookup ends within its timeout, also if name servers do not answer
 *  2. a name that has no records is an empty answer; a lookup without an answer throws
 */
import { Resolver } from 'node:dns/promises'

/** Timeout of one query to one server; the second attempt takes twice as long. */
const TIMEOUT_MS = 2_000
const TRIES = 2
/** Time of a lookup over all name servers of the host. */
const LOOKUP_MS = 8_000
/** Records that are read: domains with many services have about 50. */
const RECORDS_LIMIT = 500
/** Answers of a name server that mean: there is no such record. */
const EMPTY: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** Returns the texts of a name's TXT records. @throws DnsError */
export type ReadTxt = (name: string) => Promise<readonly string[]>

/** No name server answered. */
export class DnsError extends Error {
  override readonly name = 'DnsError'
}

/** @param servers addresses with port, for tests; default: those of the host */
export function networkTxt(servers: readonly string[] | null = null): ReadTxt {
  return async (name) => {
    // A resolver of its own: `cancel` ends all queries of a resolver.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers !== null) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), LOOKUP_MS)
    try {
      // A text longer than 255 bytes is sent as several strings.
      return (await resolver.resolveTxt(name)).slice(0, RECORDS_LIMIT).map((strings) => strings.join(''))
    } catch (error) {
      if (EMPTY.has((error as { code?: unknown }).code)) return []
      throw new DnsError('no name server answered', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
