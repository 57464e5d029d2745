/** The subcommand `schema`: prints the options of rule and decoder files for editors and programs, and the reference of all diagnostics. */
import { describeSchema, diagnosticReference } from '#engine'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'

export const schema: Command<'schema'> = {
  name: 'schema',
  options: { diagnostics: { type: 'boolean' } },
  examples: [`detection-content schema | jq -r '.rules.elements[].name'`, 'detection-content schema --diagnostics --locale pt-BR > diagnosticos.md'],
  run: async ({ args, locale, stdout }) => {
    args.requireNoOperands()
    await stdout.write(args.flag('diagnostics') ? diagnosticReference(locale) : `${JSON.stringify(describeSchema(locale), null, 2)}\n`)
    return EXIT.fine
  },
}
