/** The subcommand `backup`: writes the whole store to one file. */
import { backUp } from '../core/storage/backup.js'
import type { Command } from './command.js'
import { STORE_OPTIONS, withStore } from './stored-data.js'

export const backup: Command<'backup'> = {
  name: 'backup',
  options: STORE_OPTIONS,
  examples: ['detection-content backup --data-dir ./data backup.gz', 'NATIVE_SERVICE_MONGODB_URL=mongodb://db/content detection-content backup backup.gz'],
  run: (context) => withStore(context, backup.name, { run: (storage, path, onDocument) => backUp(storage, path, { onDocument }), done: 'backedUp', needsStore: true }),
}
