/** The store of a command: its options, and opening it as the service does. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { localizeError } from '../core/i18n/localized-error.js'
import type { BackupSummary, OnDocument } from '../core/storage/backup.js'
import type { Storage } from '../core/storage/contract.js'
import type { CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import type { SharedOptions } from './help.js'
import { REPORT_WORDS } from './report/words.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

export const STORE_OPTIONS = {
  'data-dir': { type: 'string', value: 'folder' },
  'mongodb-url': { type: 'string', value: 'url' },
  quiet: { type: 'boolean', short: 'q' },
} as const satisfies SharedOptions

/** Errors whose message is complete; others are shown with their stack. */
const EXPECTED = new Set([
  'BackupError',
  'DatabaseTooNewError',
  'DamagedStoreError',
  'DuplicateKeyError',
  'LmdbStoreError',
  'MongoAddressError',
  'NewerFormatError',
  'StorageUnavailableError',
  'StandaloneMongoError',
  'StorageFullError',
  'UnfinishedCommitError',
])

interface Act {
  /** @param onPart called for each document */
  run(storage: Storage, path: string, onPart: OnDocument): Promise<BackupSummary>
  /** Key of the sentence about the result. */
  readonly done: 'backedUp' | 'restored'
  /** The command fails without an existing store; otherwise an embedded one is created. */
  readonly needsStore: boolean
}

/** Opens the store, runs the command with it and the named file, and closes it. @param name of the command */
export async function withStore(context: CommandContext, name: string, { run, done, needsStore }: Act): Promise<ExitCode> {
  const { args, env, home, stdout, stderr, locale } = context
  const [path, ...more] = args.operands
  if (path === undefined) throw new UsageError('backup_missing', {})
  if (more.length > 0) throw new UsageError('backups_several', {})
  const named = { dataDir: args.text('data-dir'), mongodbUrl: args.text('mongodb-url') }
  if (named.dataDir !== null && named.mongodbUrl !== null) throw new UsageError('stores_both', {})
  const fromEnvironment = named.dataDir === null ? env.NATIVE_SERVICE_MONGODB_URL : undefined
  const mongodbUrl = named.mongodbUrl ?? (fromEnvironment === undefined || fromEnvironment === '' ? null : fromEnvironment)
  const dataDir = named.dataDir === null ? resolve(home, env.NATIVE_SERVICE_DATA_DIR ?? 'data') : resolve(named.dataDir)
  if (needsStore && mongodbUrl === null && !existsSync(join(dataDir, 'store'))) throw new UsageError('folder_without_store', { folder: dataDir })
  try {
    // Imported late: other commands do not need it.
    const [{ openStorage }, { prepareCollections }] = await Promise.all([import('../core/storage/open.js'), import('../features.js')])
    const storage = await openStorage({ mongodbUrl, dataDir })
    try {
      await prepareCollections(storage)
      let progress = new Progress(context, name, 'text')
      let isChecked = false
      const words = REPORT_WORDS[locale]
      const onDocument: OnDocument = async (count, total) => {
        // A restore reads the file twice: it is checked, then stored.
        if (total !== null && !isChecked) {
          await progress.clear()
          progress = new Progress(context, name, 'text')
          isChecked = true
        }
        if (progress.isDue()) await progress.update({ text: words.documents(count, formatNumber(count, locale)), count, part: total === null ? null : count / total })
      }
      const { documents, collections, createdAt } = await run(storage, path, onDocument)
      await progress.clear()
      await stdout.line(words[done](documents, Object.keys(collections).length, path, createdAt.toISOString()))
    } finally {
      await storage.close()
    }
    return EXIT.fine
  } catch (fault) {
    if (!EXPECTED.has((fault as Error).name)) throw fault
    await stderr.line(`detection-content: ${localizeError(fault as Error, locale)}`)
    return EXIT.failed
  }
}
