/**
 * Writes SARIF 2.1.0 for GitHub's code scanning: it has every property that code scanning requires and stays within its limits.
 * Columns count characters, not UTF-16 units.
 */
import { pathToFileURL } from 'node:url'
import type { Locale } from '#engine'
import { readVersion } from '../../core/version.js'
import { PROGRAM } from '../help.js'
import { sourceRoot, toAddress } from './source-root.js'

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
/** Code scanning refuses logs with more results; it shows 5,000. */
const RESULTS_LIMIT = 25_000
const OMITTED: Readonly<Record<Locale, (count: number) => string>> = {
  'en-US': (count) => `${count} results are omitted: code scanning accepts ${RESULTS_LIMIT} per run.`,
  'pt-BR': (count) => `${count} resultados foram omitidos: o code scanning aceita ${RESULTS_LIMIT} por execução.`,
}
const ROOT_ID = 'SRCROOT'

export type SarifLevel = 'error' | 'warning' | 'note'

const LEVEL_ORDER: Readonly<Record<SarifLevel, number>> = { error: 0, warning: 1, note: 2 }
/** Names of the levels in code scanning, for rules that are not about security. */
const PROBLEM_SEVERITY: Readonly<Record<SarifLevel, string>> = { error: 'error', warning: 'warning', note: 'recommendation' }

export interface SarifRule {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly help: { readonly text: string; readonly markdown: string }
  /** The address of the page about it. */
  readonly helpUri?: string
  readonly level: SarifLevel
  readonly tags: readonly string[]
  readonly properties?: Readonly<Record<string, unknown>>
}

/** Null members: the whole file. */
export interface SarifPlace {
  readonly path: string
  readonly line: number | null
  readonly column?: number | null
  readonly endLine?: number | null
  readonly endColumn?: number | null
  readonly snippet?: string | null
}

export interface SarifResult {
  readonly ruleId: string
  readonly level: SarifLevel
  readonly message: string
  readonly place: SarifPlace
  readonly related: readonly SarifPlace[]
  readonly fingerprint: string
  /** How many results it stands for. Default: itself. */
  readonly occurrences?: number
  readonly properties?: Readonly<Record<string, unknown>>
}

export interface SarifRun {
  readonly locale: Locale
  /** Part of the category, so that code scanning keeps the logs of both commands for one commit. */
  readonly command: 'validate' | 'test'
  /** Whether Wazuh would start with the content. */
  readonly loads: boolean
  readonly rules: readonly SarifRule[]
  readonly results: readonly SarifResult[]
}

/** The whole output, with its final line break. */
export function writeSarif({ locale, command, loads, rules, results }: SarifRun): string {
  const root = sourceRoot()
  const version = readVersion()
  const ordered = [...rules].sort((a, b) => (a.id < b.id ? -1 : 1))
  // The most severe results are kept.
  const kept = results.length <= RESULTS_LIMIT ? results : results.toSorted((a, b) => LEVEL_ORDER[a.level] - LEVEL_ORDER[b.level]).slice(0, RESULTS_LIMIT)
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: PROGRAM, version, semanticVersion: version, rules: ordered.map(describeRule) } },
        automationDetails: { id: `${PROGRAM}/${command}/` },
        columnKind: 'unicodeCodePoints',
        originalUriBaseIds: { [ROOT_ID]: { uri: `${pathToFileURL(root).href}/` } },
        invocations: [
          {
            executionSuccessful: true,
            properties: { loads },
            ...(kept.length === results.length ? {} : { toolExecutionNotifications: [{ level: 'warning', message: { text: OMITTED[locale](results.length - kept.length) } }] }),
          },
        ],
        results: kept.map((result) => describeResult(result, ordered, root)),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function describeRule({ id, title, description, help, helpUri, level, tags, properties }: SarifRule) {
  return {
    id,
    name: id,
    shortDescription: { text: title },
    fullDescription: { text: description },
    help,
    ...(helpUri === undefined ? {} : { helpUri }),
    defaultConfiguration: { level },
    properties: { tags, precision: 'very-high', 'problem.severity': PROBLEM_SEVERITY[level], ...properties },
  }
}

function describeResult({ ruleId, level, message, place, related, fingerprint, occurrences, properties }: SarifResult, rules: readonly SarifRule[], root: string) {
  return {
    ruleId,
    ruleIndex: rules.findIndex(({ id }) => id === ruleId),
    level,
    message: { text: message },
    locations: [{ physicalLocation: describePlace(place, root) }],
    ...(related.length === 0 ? {} : { relatedLocations: related.map((one, id) => ({ id, physicalLocation: describePlace(one, root) })) }),
    partialFingerprints: { primaryLocationLineHash: fingerprint },
    ...(occurrences === undefined ? {} : { occurrenceCount: occurrences }),
    ...(properties === undefined ? {} : { properties }),
  }
}

/** Code scanning requires a complete region: a diagnostic of a whole file is shown at its beginning. */
function describePlace({ path, line, column, endLine, endColumn, snippet }: SarifPlace, root: string) {
  const { uri, isRelative } = toAddress(path, root)
  const startLine = line ?? 1
  const startColumn = column ?? 1
  const hasEnd = endLine != null && endColumn != null
  return {
    artifactLocation: isRelative ? { uri, uriBaseId: ROOT_ID } : { uri },
    region: {
      startLine,
      startColumn,
      endLine: hasEnd ? endLine : startLine,
      endColumn: hasEnd ? endColumn : startColumn,
      ...(snippet == null ? {} : { snippet: { text: snippet } }),
    },
  }
}
