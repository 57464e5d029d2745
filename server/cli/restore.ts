/** `restore`: what `backup` wrote, into an empty store of either kind. */
import { restore as restoreFrom } from '../storage/backup.js'
import type { Command } from './command.js'
import { STORE_OPTIONS, withStore } from './stored-data.js'

export const restore: Command = {
  name: 'restore',
  summary: 'fill an empty store from a backup',
  usage: ['[--data-dir DIR | --mongodb-url URL] FILE'],
  description: [
    'FILE was written by backup, from either kind of store. It is checked to its end before anything is written; a store that holds anything is left alone. Where it is interrupted no service starts until it is done again.',
    'Start the service afterwards with the secret key that it had.',
  ],
  options: STORE_OPTIONS,
  examples: [{ line: 'detection-content restore --data-dir ./data backup.gz', meaning: 'into a new data folder' }],
  run: (context) => withStore(context, { run: restoreFrom, done: 'restored from', needsStore: false }),
}
