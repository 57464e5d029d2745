/** `schema`: what may be written in rule and decoder files, for editors and programs; and the reference of all findings. */
import { describeSchema, diagnosticReference } from '#engine'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'

export const schema: Command = {
  name: 'schema',
  summary: 'every tag and attribute of rules and decoders as JSON; --diagnostics: all codes as Markdown',
  usage: ['[--locale LOCALE]', '--diagnostics [--locale LOCALE]'],
  description: ['Prints the ValidationSchemaResponse, which editors complete and check from, or the reference of all diagnostic codes.'],
  options: { diagnostics: { type: 'boolean', help: 'the reference of all diagnostic codes, in Markdown' } },
  examples: [
    { line: `detection-content schema | jq -r '.rules.elements[].name'`, meaning: 'every tag of rules' },
    { line: 'detection-content schema --diagnostics --locale pt-BR > diagnosticos.md', meaning: 'the codes, in Portuguese' },
  ],
  run: async ({ args, locale, stdout }) => {
    args.requireNoOperands()
    await stdout.write(args.flag('diagnostics') ? diagnosticReference(locale) : `${JSON.stringify(describeSchema(locale), null, 2)}\n`)
    return EXIT.fine
  },
}
