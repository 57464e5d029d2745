/** Cases of diagnostics that a case folder cannot hold (`test/cases/diagnostics`): files that are too large, and names that leave the folder or occur twice. */
import type { DiagnosticCode } from '../../../engine/diagnostics/codes.js'
import type { SourceFile } from '../../../engine/source/source-file.js'

export interface CheckCase {
  readonly code: DiagnosticCode
  readonly wrong: readonly SourceFile[]
  /** Similar content that does not produce the code. */
  readonly right: readonly SourceFile[]
}

const file = (kind: SourceFile['kind'], filename: string, content: string): SourceFile => ({ kind, scope: 'custom', filename, content })
const rule = (inside: string): string => `<group name="test,"><rule id="100100" level="5"><if_sid>501</if_sid>${inside}<description>Test rule.</description></rule></group>`
const MATCH = rule('<match>a</match>')
/** Lists with these names, and the rule that uses `etc/lists/users`. */
const listsOf = (...paths: string[]): SourceFile[] => [
  file('rules', 'custom.xml', rule('<list field="user">etc/lists/users</list>')),
  ...paths.map((path) => file('lists', path, 'admin:yes')),
]

/** Rules in a file of so many bytes. */
const padded = (length: number): string => `<!--${' '.repeat(length - MATCH.length - '<!---->'.length)}-->${MATCH}`

export const CASES: readonly CheckCase[] = [
  { code: 'file_too_large', wrong: [file('rules', 'custom.xml', padded(2_000_001))], right: [file('rules', 'custom.xml', padded(2_000_000))] },
  { code: 'list_name_style', wrong: listsOf('/etc/lists/users'), right: listsOf('lists/users') },
  { code: 'list_name_style', wrong: listsOf('etc\\lists\\users'), right: listsOf('etc/lists/amazon/users') },
  { code: 'list_name_style', wrong: listsOf('../../etc/passwd'), right: listsOf('etc/lists/..users') },
  { code: 'list_duplicate_name', wrong: listsOf('etc/lists/users', 'etc/lists/users'), right: listsOf('etc/lists/users', 'etc/lists/others') },
]
