/** The subcommand `restore`: reads a backup into an empty store of either kind. */
import { restore as restoreFrom } from '../core/storage/backup.js'
import type { Command } from './command.js'
import { STORE_OPTIONS, withStore } from './stored-data.js'

export const restore: Command<'restore'> = {
  name: 'restore',
  options: STORE_OPTIONS,
  examples: ['detection-content restore --data-dir ./data backup.gz'],
  run: (context) => withStore(context, restore.name, { run: (storage, path, onDocument) => restoreFrom(storage, path, { onDocument }), done: 'restored', needsStore: false }),
}
