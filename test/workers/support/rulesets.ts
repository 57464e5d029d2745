/** Small rulesets for tests. */
import type { FileKind, FileScope, SourceFile } from '#engine'

export function rulesFile(content: string, filename = 'rules.xml', scope: FileScope = 'adhoc', kind: FileKind = 'rules'): SourceFile {
  return { filename, kind, scope, content }
}

/** The category template below which rules without a parent are placed. */
const TEMPLATE = rulesFile(
  '<group name="syslog,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>All.</description></rule></group>',
  '0001-template.xml',
  'default',
)

/** Wazuh does not start without a decoder that requires a program name and one that does not. */
const DECODER = rulesFile(
  '<decoder name="never"><prematch>^never-matches</prematch></decoder><decoder name="never-run"><program_name>^never-run</program_name></decoder>',
  '0001-never.xml',
  'default',
  'decoders',
)

/** Files that every ruleset needs. */
export const BASE = [DECODER, TEMPLATE]

export function rule(id: number, options: string, level = 5, attributes = ''): string {
  return `<rule id="${id}" level="${level}" ${attributes}>${options}<description>Rule ${id}.</description></rule>`
}

export function group(...rules: string[]): string {
  return `<group name="tests,">${rules.join('\n')}</group>`
}

/** 100100 for every knock, 100101 for every third within a minute. */
export const KNOCKS = rulesFile(group(rule(100100, '<match>knock</match>'), rule(100101, '<if_matched_sid>100100</if_matched_sid>', 10, 'frequency="3" timeframe="60"')))

export const syslog = (event: string): { event: string; log_format: 'syslog' } => ({ event, log_format: 'syslog' })

/** A fixed second, so that nothing depends on the clock. */
export const AT = 1_700_000_000
