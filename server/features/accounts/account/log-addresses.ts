/** What the log says about addresses when the service has started. */
import type { Identities } from '../../../core/auth/identities.js'
import type { Log } from '../../../core/observability/log.js'
import type { PublicAddress } from '../../../core/public-address.js'
import { SETUP_PATH } from './page.js'

/** Logs the address in mails if it is not set, and how to create the first administrator if the instance has no users. */
export async function logAddresses({ instance }: Pick<Identities, 'instance'>, address: PublicAddress, log: Log): Promise<void> {
  if (!address.isSet) log.info({ address: address.pages }, 'PUBLIC_BASE_URL and API_PUBLIC_BASE_URL are not set: mails link to this address')
  if ((await instance.read()) !== null) return
  const pages = [...new Set([address.own, address.local])].map((base) => `${base}${SETUP_PATH}`)
  log.info({ pages, bootstrap: `${address.api}/auth/bootstrap` }, 'no administrator yet: open one of these pages, or POST to bootstrap')
}
