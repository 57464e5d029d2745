/** Opens the store that the settings name. */
import { join } from 'node:path'
import type { Config } from '../config.js'
import type { Log } from '../observability/log.js'
import type { Storage } from './contract.js'

type StoreSettings = Pick<Config, 'mongodbUrl' | 'dataDir'> & Partial<Pick<Config, 'processes'>>

/** Opens the store that the settings name, without preparing collections. Only the library of that store is loaded. */
export async function openStorage({ mongodbUrl, dataDir, processes = 1 }: StoreSettings, log?: Pick<Log, 'info' | 'warn' | 'error'>): Promise<Storage> {
  if (mongodbUrl !== null) {
    const { openMongoStorage } = await import('./mongo/index.js')
    return openMongoStorage({ url: mongodbUrl })
  }
  const { openEmbeddedStorage } = await import('./embedded/index.js')
  const directory = join(dataDir, 'store')
  return openEmbeddedStorage({
    directory,
    isShared: processes > 1,
    onSweepFault: (fault) => log?.warn({ err: fault }, 'expired documents could not be removed'),
    onPresence: (state) => {
      if (state === 'present') log?.info({ directory }, 'the store is available again: writes are accepted')
      else log?.error({ directory }, STORE_ABSENT[state])
    },
  })
}

/** Log messages for a store that is no longer in its folder; they say what the operator can do. */
const STORE_ABSENT = {
  missing: 'the store is missing from its folder: writes are refused. Put the same folder back, or restore a backup and restart the service',
  replaced: 'the folder has another store than the one in use: writes are refused. Put the former one back, or restart the service to use this one',
} as const
