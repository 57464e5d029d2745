/** Presents diagnostics to callers: texts in their language, lines and columns. */
import { entryOf } from '../diagnostics/codes.js'
import type { DiagnosticCode, DiagnosticParams } from '../diagnostics/codes.js'
import { Collector } from '../diagnostics/collector.js'
import { CRASHES, type CrashKind } from '../diagnostics/crashes.js'
import { type AttackNote, type Diagnostic, effectOf } from '../diagnostics/diagnostic.js'
import type { Locale } from '../diagnostics/text.js'
import { describeDiagnostic } from '../diagnostics/text.js'
import type { CrashNote, ForeignCaptures } from '../event/event.js'
import { fromByteString } from '../source/byte-string.js'
import type { AttackTextRecord } from '../records/attack.js'
import type { DiagnosticRecord } from '../records/records.js'

/** Returns a diagnostic as the record that callers receive, with its texts in a language. */
export function presentDiagnostic(diagnostic: Diagnostic, locale: Locale): DiagnosticRecord {
  const { code, severity, filename, span, evidence, scope, suggestion, related, cause, more, attack } = diagnostic
  const { source } = entryOf(code)
  const { message, hint } = describeDiagnostic(diagnostic, locale)
  return {
    severity,
    source,
    code,
    message,
    filename,
    line: span?.line ?? null,
    column: span?.column ?? null,
    end_line: span?.endLine ?? null,
    end_column: span?.endColumn ?? null,
    hint,
    evidence,
    source_scope: scope,
    engine_effect: effectOf(diagnostic),
    suggestion,
    related: related.map(({ filename: name, span: { line, column } }) => ({ filename: name, line, column })),
    cause: cause === null ? null : { code: cause.code, filename: cause.filename, line: cause.span?.line ?? null, column: cause.span?.column ?? null },
    more,
    ...(attack === undefined ? {} : { attack: presentAttack(attack) }),
  }
}

function presentAttack({ kind, degree, prefix, pump, suffix, copies, bytes, steps, ms }: AttackNote): AttackTextRecord {
  return { kind, degree, prefix: fromByteString(prefix), pump: fromByteString(pump), suffix: fromByteString(suffix), copies, bytes, steps, ms }
}

/** Presents a diagnostic about a run, which belongs to no file. */
export function presentRunDiagnostic(code: DiagnosticCode, params: Readonly<Record<string, string | number>>, evidence: string | null, locale: Locale): DiagnosticRecord {
  const { severity } = entryOf(code)
  const whole = { filename: '', kind: 'rules', scope: 'adhoc', span: null, suggestion: null, related: [], cause: null, unread: false, more: 0 } as const
  const diagnostic: Diagnostic = { code, severity, evidence, params, ...whole }
  return { ...presentDiagnostic(diagnostic, locale), source_scope: null }
}

/** Presents a diagnostic about one event as one or two sentences, for the lines of a batch, which have no `diagnostics`. */
export function insightOf({ message, hint, source, evidence }: DiagnosticRecord): string {
  // Diagnostics of the engine name the running rule or decoder only in their evidence; other diagnostics name it in their message.
  const said = source === 'engine' && evidence !== null ? `${message.replace(/\.$/, '')} (${evidence}).` : message
  return hint === '' ? said : `${said} ${hint}`
}

/** The tag at which each crash is reported. */
const CRASH_TAGS: Partial<Record<CrashKind, string>> = { other_agent: 'if_matched_regex', groups_unset: 'regex', group_ends_early: 'regex' }

/** Presents a crash of Wazuh that an event causes, at the rule or decoder that was running. */
export function presentCrash({ kind, definition }: CrashNote, locale: Locale): DiagnosticRecord {
  return presentAtTag('wazuh_crash', CRASHES[kind], definition, CRASH_TAGS[kind], locale)
}

/** Presents fields whose values are those of an earlier event. */
export function presentForeignCaptures({ decoder: { definition }, count }: ForeignCaptures, locale: Locale): DiagnosticRecord {
  const fields = (definition.order ?? []).slice(0, count).map(({ name }) => fromByteString(name))
  return presentAtTag('captures_of_earlier_event', { decoder: fromByteString(definition.name), fields: fields.join(', ') }, definition, 'regex', locale)
}

/** Presents a diagnostic about one event at a tag of a rule or decoder, or at its opening tag. */
function presentAtTag<C extends DiagnosticCode>(
  code: C,
  params: DiagnosticParams<C>,
  { source, element }: CrashNote['definition'],
  tag: string | undefined,
  locale: Locale,
): DiagnosticRecord {
  const { start, end } = element.children.find(({ name }) => name.toLowerCase() === tag) ?? { start: element.start, end: element.contentStart }
  const evidence = fromByteString(source.bytes.slice(start, end))
  return presentDiagnostic(new Collector().add(code, { file: source, span: source.span(start, end), evidence }, params), locale)
}
