/** Returns the schema of rules and decoders. */
import { describeSchema } from '#engine'
import type { TaskHead } from '../../shared/protocol.js'
import { plain, type TaskDefinition } from './context.js'

export interface SchemaTask extends TaskHead {
  readonly kind: 'schema'
}

export const schema: TaskDefinition<SchemaTask> = { run: (_context, { locale }) => plain(describeSchema(locale)) }
