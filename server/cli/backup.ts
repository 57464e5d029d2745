/** `backup`: all that is stored, in one file. */
import { backUp } from '../storage/backup.js'
import type { Command } from './command.js'
import { STORE_OPTIONS, withStore } from './stored-data.js'

export const backup: Command = {
  name: 'backup',
  summary: 'write everything that is stored to one file',
  usage: ['[--data-dir DIR | --mongodb-url URL] FILE'],
  description: [
    'FILE is a gzip of JSON lines with a checksum. It takes the place of an older one once it is complete, and only you may read it: it holds hashes of passwords.',
    'An embedded store belongs to one process: stop the service first. A MongoDB may go on working; what changes meanwhile may be in the backup or not.',
    'Keep the secret key of the service with it (NATIVE_SERVICE_SECRET_KEY, or the one that it made in its data folder): without it encrypted fields can not be read again.',
  ],
  options: STORE_OPTIONS,
  examples: [
    { line: 'detection-content backup --data-dir ./data backup.gz', meaning: 'the embedded store' },
    { line: 'NATIVE_SERVICE_MONGODB_URL=mongodb://db/content detection-content backup backup.gz', meaning: 'a MongoDB' },
  ],
  run: (context) => withStore(context, { run: backUp, done: 'written to', needsStore: true }),
}
