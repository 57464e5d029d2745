/** Reads SARIF logs in tests: each is checked against the schema of SARIF 2.1.0, and against GitHub's requirements for code scanning. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { FORMATS } from '#requests'

interface Place {
  readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string }
  readonly region: { readonly startLine: number; readonly startColumn: number; readonly endLine: number; readonly endColumn: number }
}

export interface Rule {
  readonly id: string
  readonly name: string
  readonly shortDescription: { readonly text: string }
  readonly fullDescription: { readonly text: string }
  readonly help: { readonly text: string; readonly markdown: string }
  readonly helpUri?: string
  readonly defaultConfiguration: { readonly level: string }
  readonly properties: { readonly tags: readonly string[]; readonly precision: string; readonly 'problem.severity': string }
}

export interface Result {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly { readonly physicalLocation: Place }[]
  readonly relatedLocations?: readonly { readonly id: number; readonly physicalLocation: Place }[]
  readonly partialFingerprints: { readonly primaryLocationLineHash: string }
  readonly occurrenceCount?: number
}

export interface Log {
  readonly $schema: string
  readonly version: string
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly version: string; readonly semanticVersion: string; readonly rules: readonly Rule[] } }
    readonly automationDetails: { readonly id: string }
    readonly originalUriBaseIds: { readonly SRCROOT: { readonly uri: string } }
    readonly invocations: readonly {
      readonly properties: { readonly loads: boolean }
      readonly toolExecutionNotifications?: readonly { readonly message: { readonly text: string } }[]
    }[]
    readonly results: readonly Result[]
  }[]
}

const isText = (text: string, most = Number.POSITIVE_INFINITY): boolean => text.length > 0 && text.length <= most
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1

/**
 * The requirements of docs.github.com, by heading: "SARIF support for code scanning" (required properties and maximum lengths;
 * "the empty string is not supported for required properties") and "SARIF results exceed one or more limits".
 */
const GITHUB_RULES: readonly (readonly [source: string, holds: (log: Log) => boolean])[] = [
  ['sarifLog object: $schema, version, runs[]', ({ $schema, version, runs }) => isText($schema) && version === '2.1.0' && runs.length >= 1],
  ['run object: tool.driver, results[]', ({ runs }) => runs.every(({ tool, results }) => tool.driver !== undefined && Array.isArray(results))],
  ['toolComponent object: name, rules[]', ({ runs }) => runs.every(({ tool }) => isText(tool.driver.name) && Array.isArray(tool.driver.rules))],
  ['toolComponent object: semanticVersion is of the form of Semantic Versioning 2.0', ({ runs }) => runs.every(({ tool }) => /^\d+\.\d+\.\d+$/.test(tool.driver.semanticVersion))],
  ['reportingDescriptor object: id, help.text', (log) => rulesOf(log).every(({ id, help }) => isText(id) && isText(help.text))],
  ['reportingDescriptor object: name has up to 255 characters', (log) => rulesOf(log).every(({ name }) => isText(name, 255))],
  ['reportingDescriptor object: shortDescription.text has up to 1024 characters', (log) => rulesOf(log).every(({ shortDescription }) => isText(shortDescription.text, 1024))],
  ['reportingDescriptor object: fullDescription.text has up to 1024 characters', (log) => rulesOf(log).every(({ fullDescription }) => isText(fullDescription.text, 1024))],
  ['reportingDescriptor object: levels', (log) => rulesOf(log).every(({ defaultConfiguration }) => ['note', 'warning', 'error'].includes(defaultConfiguration.level))],
  ['reportingDescriptor object: properties.precision', (log) => rulesOf(log).every(({ properties }) => ['very-high', 'high', 'medium', 'low'].includes(properties.precision))],
  [
    'reportingDescriptor object: properties.problem.severity',
    (log) => rulesOf(log).every(({ properties }) => ['error', 'warning', 'recommendation'].includes(properties['problem.severity'])),
  ],
  ['result object: message.text', (log) => resultsOf(log).every(({ message }) => isText(message.text))],
  ['result object: locations[], of which the first counts', (log) => resultsOf(log).every(({ locations }) => locations.length === 1)],
  [
    'result object: partialFingerprints, of which primaryLocationLineHash counts',
    (log) => resultsOf(log).every(({ partialFingerprints }) => isText(partialFingerprints.primaryLocationLineHash)),
  ],
  [
    'result object: ruleId and ruleIndex name a rule',
    ({ runs }) => runs.every(({ tool, results }) => results.every(({ ruleId, ruleIndex }) => tool.driver.rules[ruleIndex]?.id === ruleId)),
  ],
  ['physicalLocation object: artifactLocation.uri', (log) => placesOf(log).every(({ artifactLocation }) => isText(artifactLocation.uri))],
  [
    'physicalLocation object: region.startLine, startColumn, endLine, endColumn',
    (log) => placesOf(log).every(({ region }) => [region.startLine, region.startColumn, region.endLine, region.endColumn].every(isCount)),
  ],
  ['limits: 20 runs per file', ({ runs }) => runs.length <= 20],
  ['limits: 25,000 results per run', ({ runs }) => runs.every(({ results }) => results.length <= 25_000)],
  ['limits: 25,000 rules per run', ({ runs }) => runs.every(({ tool }) => tool.driver.rules.length <= 25_000)],
  ['limits: 1,000 locations per result', (log) => resultsOf(log).every(({ locations, relatedLocations = [] }) => locations.length + relatedLocations.length <= 1000)],
  ['limits: 20 tags per rule', (log) => rulesOf(log).every(({ properties }) => properties.tags.length <= 20)],
]

export const rulesOf = ({ runs }: Log): readonly Rule[] => runs.flatMap(({ tool }) => tool.driver.rules)
export const resultsOf = ({ runs }: Log): readonly Result[] => runs.flatMap(({ results }) => results)
const placesOf = (log: Log): readonly Place[] =>
  resultsOf(log).flatMap(({ locations, relatedLocations = [] }) => [...locations, ...relatedLocations].map(({ physicalLocation }) => physicalLocation))

const SCHEMA_FILE = fileURLToPath(new URL('../../../../../test/server/cli/sarif/sarif-2.1.0-rtm.5.json', import.meta.url))
// The schema is draft 4; the only difference to later drafts that it uses is the name of its `id`.
const { id: _, $schema: __, ...SCHEMA } = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Record<string, unknown>
// Its patterns are ECMA-262 without flags.
const ajv = new Ajv({ strict: false, unicodeRegExp: false, allErrors: true, formats: { ...FORMATS, 'uri-reference': (text: string) => URL.canParse(text, 'file:///root/') } })
export const validateLog = ajv.compile(SCHEMA)

/** Parses a log and checks it against the schema and the table. */
export function readLog(text: string): Log {
  const log = JSON.parse(text) as Log
  assert.ok(validateLog(log), JSON.stringify(validateLog.errors?.slice(0, 5)))
  for (const [source, holds] of GITHUB_RULES) assert.ok(holds(log), source)
  return log
}
