/** The table of migrations, in order. A new migration is a file `<nnnn>-<verb>.ts` and one line here. */
import { recordFormat } from './0001-record-format.js'
import { countVersions } from './0002-count-versions.js'
import { orderDecisions } from './0003-order-decisions.js'
import { normalizeEmails } from './0004-normalize-emails.js'
import { renameDecisionSequence } from './0005-rename-decision-sequence.js'
import type { Migration } from './migration.js'

export type { Migration } from './migration.js'
export { DatabaseTooNewError, MIGRATIONS_COLLECTION, type MigrateOptions, migrate, requireKnown } from './migrate.js'

export const MIGRATIONS: readonly Migration[] = [recordFormat, countVersions, orderDecisions, normalizeEmails, renameDecisionSequence]
