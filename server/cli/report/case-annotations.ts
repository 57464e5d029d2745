/** Failed cases at their source lines, as workflow commands of GitHub or as a SARIF log, together with the diagnostics of the content. */
import type { Locale } from '#engine'
import type { CaseResult } from '../case-run.js'
import type { LocatedDiagnostic } from '../diagnostics/located-diagnostic.js'
import { numbered } from '../diagnostics/fingerprint.js'
import { githubDiagnostics, workflowCommand } from '../diagnostics/github.js'
import { sarifResults, sarifRules } from '../diagnostics/sarif.js'
import { type SarifResult, type SarifRule, writeSarif } from '../diagnostics/sarif-log.js'
import { sourceRoot, toUri } from '../diagnostics/source-root.js'
import { type CaseTotals, describeFailure } from './case-report.js'

interface KindTexts {
  readonly title: string
  readonly description: string
  readonly help: string
}

/** A failed case, or one that cannot be read and was not run. */
type Kind = 'case_failed' | 'case_unreadable'

const TEXTS: Readonly<Record<Locale, Record<Kind, KindTexts>>> = {
  'en-US': {
    case_failed: {
      title: 'Test case failed',
      description: 'The result of an event does not have the decoder, rule, level or fields that the test case expects.',
      help: 'Run the event with "detection-content logtest --trace --explain RULE_ID" to see why the expected rule does not match. Then correct the content or the expectation.',
    },
    case_unreadable: {
      title: 'Test case not readable',
      description: 'A line, section or entry of a test file is not a valid test case, so nothing was run for it.',
      help: 'Correct the entry. A suite in Wazuh\'s format has sections with "log N pass = event", "rule", "alert" and "decoder"; a JSON file has {"cases": [...]}.',
    },
  },
  'pt-BR': {
    case_failed: {
      title: 'Caso de teste falhou',
      description: 'O resultado de um evento não tem o decoder, a regra, o nível ou os campos que o caso de teste espera.',
      help: 'Execute o evento com "detection-content logtest --trace --explain ID_DA_REGRA" para ver por que a regra esperada não casa. Depois corrija o conteúdo ou a expectativa.',
    },
    case_unreadable: {
      title: 'Caso de teste ilegível',
      description: 'Uma linha, seção ou entrada de um arquivo de testes não é um caso de teste válido; nada foi executado para ela.',
      help: 'Corrija a entrada. Uma suíte no formato do Wazuh tem seções com "log N pass = evento", "rule", "alert" e "decoder"; um arquivo JSON tem {"cases": [...]}.',
    },
  },
}

export function casesAsGithub({ results }: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale): string {
  const root = sourceRoot()
  const cases = failedOf(results).map((result) =>
    workflowCommand('error', { file: toUri(result.path, root), line: result.line, title: result.name }, describeFailure(result, locale)),
  )
  return `${githubDiagnostics(diagnostics)}${cases.join('')}`
}

export function casesAsSarif({ results, loads }: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale): string {
  const failed = failedOf(results)
  const kinds = [...new Set(failed.map(kindOf))]
  const root = sourceRoot()
  const fingerprints = numbered(failed.map((result) => [toUri(result.path, root), kindOf(result), result.report === null ? (result.reason ?? '') : result.name]))
  const cases = failed.map(
    (result, index): SarifResult => ({
      ruleId: kindOf(result),
      level: 'error',
      message: `${result.name}: ${describeFailure(result, locale)}`,
      place: { path: result.path, line: result.line },
      related: [],
      fingerprint: fingerprints[index],
    }),
  )
  return writeSarif({
    locale,
    command: 'test',
    loads,
    rules: [...sarifRules(diagnostics, locale), ...kinds.map((kind) => describeKind(kind, locale))],
    results: [...sarifResults(diagnostics), ...cases],
  })
}

function failedOf(results: readonly CaseResult[]): CaseResult[] {
  return results.filter(({ passed }) => !passed)
}

function kindOf({ report }: CaseResult): Kind {
  return report === null ? 'case_unreadable' : 'case_failed'
}

function describeKind(kind: Kind, locale: Locale): SarifRule {
  const { title, description, help } = TEXTS[locale][kind]
  return { id: kind, title, description, help: { text: help, markdown: help }, level: 'error', tags: ['test'] }
}
