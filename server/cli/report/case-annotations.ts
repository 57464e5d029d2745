/** Failed cases, and those with remarks, at their source lines, as workflow commands of GitHub or as a SARIF log, together with the diagnostics of the content. */
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

/** A failed case, one that cannot be read and was not run, or one that passed with a remark. */
type Kind = 'case_failed' | 'case_unreadable' | 'case_remark'

const LEVELS: Readonly<Record<Kind, 'error' | 'warning'>> = { case_failed: 'error', case_unreadable: 'error', case_remark: 'warning' }

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
    case_remark: {
      title: 'Test case with a note',
      description: 'The test case passed, but its result depends on the time of the run, or it has members that are ignored.',
      help: 'Set the clock of the case with "now" (in an .ini file: the line "; now = …" above the section), or correct the name of the member. With --strict such a case fails.',
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
    case_remark: {
      title: 'Caso de teste com nota',
      description: 'O caso de teste passou, mas seu resultado depende da hora da execução, ou ele tem membros que são ignorados.',
      help: 'Defina o relógio do caso com "now" (em um arquivo .ini: a linha "; now = …" acima da seção), ou corrija o nome do membro. Com --strict um caso assim falha.',
    },
  },
}

export function casesAsGithub({ results }: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale): string {
  const root = sourceRoot()
  const cases = notedOf(results).map((result) =>
    workflowCommand(LEVELS[kindOf(result)], { file: toUri(result.path, root), line: result.line, title: result.name }, describeFailure(result, locale)),
  )
  return `${githubDiagnostics(diagnostics)}${cases.join('')}`
}

/** @param helpUrl where the pages about the codes are published; null: nowhere */
export function casesAsSarif({ results, loads }: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale, helpUrl: string | null): string {
  const noted = notedOf(results)
  const kinds = [...new Set(noted.map(kindOf))]
  const root = sourceRoot()
  const fingerprints = numbered(noted.map((result) => [toUri(result.path, root), kindOf(result), result.report === null ? (result.reason ?? '') : result.name]))
  const cases = noted.map(
    (result, index): SarifResult => ({
      ruleId: kindOf(result),
      level: LEVELS[kindOf(result)],
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
    rules: [...sarifRules(diagnostics, locale, helpUrl), ...kinds.map((kind) => describeKind(kind, locale))],
    results: [...sarifResults(diagnostics), ...cases],
  })
}

/** Failed cases, and those that passed with a remark. */
function notedOf(results: readonly CaseResult[]): CaseResult[] {
  return results.filter(({ passed, remarks }) => !passed || remarks.length > 0)
}

function kindOf({ passed, report }: CaseResult): Kind {
  if (passed) return 'case_remark'
  return report === null ? 'case_unreadable' : 'case_failed'
}

function describeKind(kind: Kind, locale: Locale): SarifRule {
  const { title, description, help } = TEXTS[locale][kind]
  return { id: kind, title, description, help: { text: help, markdown: help }, level: LEVELS[kind], tags: ['test'] }
}
