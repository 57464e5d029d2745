/** Cases that are folders of content, `test/cases/<kind>/<name>/` (see `test/cases/README.md`), and what the engine says about them, as text. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileLayer, compileRuleset, createSession, EventRunner, type LogtestReport, runLogtest, type SourceFile } from '../../engine/index.js'
import type { Diagnostic } from '../../engine/diagnostics/diagnostic.js'
import { renderDiagnostic } from '../../engine/diagnostics/render.js'

const CASES = fileURLToPath(new URL('../../../test/cases/', import.meta.url))
const KINDS = ['decoders', 'rules', 'lists'] as const

export interface CaseFolder {
  readonly name: string
  readonly path: string
  readonly files: readonly SourceFile[]
  /** Content beside it that does not give the diagnostic. Null: the case has none. */
  readonly right: readonly SourceFile[] | null
  /** Run one after the other, in one session. */
  readonly events: readonly string[]
}

/** The files of a folder: `rules.xml` and `decoders.xml`, and any file below `rules/`, `decoders/` and `lists/`, by its path there. */
function filesOf(folder: string, scope: SourceFile['scope']): SourceFile[] {
  return KINDS.flatMap((kind) => {
    const single = existsSync(join(folder, `${kind}.xml`)) ? [`${kind}.xml`] : []
    const below = existsSync(join(folder, kind))
      ? readdirSync(join(folder, kind), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, kind).length + 1))
          .sort()
      : []
    return [
      ...single.map((filename) => ({ kind, scope, filename, content: readFileSync(join(folder, filename), 'utf8') })),
      ...below.map((filename) => ({ kind, scope, filename, content: readFileSync(join(folder, kind, filename), 'utf8') })),
    ]
  })
}

/** Templates, a JSON decoder, an application with two fields, one with a child of its own name, and rules for them: what every case is compiled on. */
export const BASE: readonly SourceFile[] = filesOf(join(CASES, 'base'), 'default')

export function caseFolders(kind: 'diagnostics' | 'issues' | 'fixme' | 'logtest'): CaseFolder[] {
  return readdirSync(join(CASES, kind), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const path = join(CASES, kind, name)
      const events = join(path, 'events.txt')
      return {
        name,
        path,
        files: filesOf(path, 'custom'),
        right: existsSync(join(path, 'right')) ? filesOf(join(path, 'right'), 'custom') : null,
        events: existsSync(events) ? readFileSync(events, 'utf8').trimEnd().split('\n') : [],
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

const base = compileRuleset(BASE)
/** The diagnostics of a case, without those of the base. */
export const diagnosticsOf = (files: readonly SourceFile[]): Diagnostic[] => compileLayer(base, files).diagnostics.filter(({ scope }) => scope === 'custom')

function renderFound(diagnostic: Diagnostic, files: readonly SourceFile[]): string {
  const { span, filename, kind, cause } = diagnostic
  const content = files.find((file) => file.filename === filename && file.kind === kind)?.content
  const text = renderDiagnostic(diagnostic, span === null || content === undefined ? null : content.split('\n')[span.line - 1], 'en-US')
  return cause === null ? text : `${text}\n  = follows from: ${cause.filename}:${cause.span?.line}:${cause.span?.column} ${cause.code}`
}

function renderOutcome(event: string, { decoder, rule, extracted_fields, alert, diagnostics, insights }: LogtestReport): string {
  const fields = Object.entries(extracted_fields).map(([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const told = rule === null ? 'no rule' : `rule ${rule.id}, level ${rule.level}${alert ? ', alert' : ''}: ${rule.description}`
  const notes = diagnostics.map(({ severity, code, message }) => `  ${severity}[${code}]: ${message}`)
  return [`> ${event}`, `  decoder ${decoder?.name ?? 'none'}`, ...fields, `  ${told}`, ...notes, ...insights.map((text) => `  hint: ${text}`)].join('\n')
}

/** Runs the events of a case in one session. */
function reportsOf({ files, events }: CaseFolder): LogtestReport[] {
  const runner = new EventRunner(compileLayer(base, files))
  const session = createSession()
  return events.map((event, index) => {
    const moment = { seconds: 1_700_000_000 + index, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
    return runLogtest(runner, { event, log_format: 'auto' }, moment, session, { trace: true, caller: 'command-line', locale: 'en-US' })
  })
}

/** The codes of the diagnostics of a case, of its content and of its events. */
export function codesOf(each: CaseFolder): Set<string> {
  return new Set([...diagnosticsOf(each.files), ...reportsOf(each).flatMap(({ diagnostics }) => diagnostics)].map(({ code }) => code))
}

/** What the engine says about a case: its diagnostics, and the outcome of each event with its hints. */
export function renderCase(each: CaseFolder): string {
  const { files, events } = each
  const { loads } = compileLayer(base, files)
  const outcomes = reportsOf(each).map((report, index) => renderOutcome(events[index], report))
  return `${[`loads: ${loads ? 'yes' : 'no'}`, ...diagnosticsOf(files).map((one) => renderFound(one, files)), ...outcomes].join('\n\n')}\n`
}
