/** The subcommand `explain`: the page about a diagnostic, by its code or by the number that Wazuh prints before its message. */
import { DIAGNOSTICS, type DiagnosticCode, diagnosticPage, entryOf } from '#engine'
import { nearest } from './arguments.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { UsageError } from './usage-error.js'

const CODES = Object.keys(DIAGNOSTICS) as DiagnosticCode[]

export const explain: Command<'explain'> = {
  name: 'explain',
  options: {},
  examples: ['detection-content explain rule_parent_missing', 'detection-content explain 7617'],
  run: async ({ args, locale, stdout }) => {
    if (args.operands.length === 0) throw new UsageError('code_missing', {})
    const codes = args.operands.flatMap(codesOf)
    await stdout.write(codes.map((code) => diagnosticPage(code, locale)).join('\n'))
    return EXIT.fine
  },
}

/** @throws UsageError when there is none */
function codesOf(written: string): DiagnosticCode[] {
  const number = /^[0-9]{1,6}$/.test(written) ? Number(written) : null
  const found = CODES.filter((code) => code === written.toLowerCase() || (number !== null && entryOf(code).engineNumbers.includes(number)))
  if (found.length > 0) return found
  const near = nearest(written.toLowerCase(), CODES)
  throw near === null ? new UsageError('code_unknown', { code: written }) : new UsageError('code_misspelt', { code: written, near })
}
