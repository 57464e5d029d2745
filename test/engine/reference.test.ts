/** The shipped reference ruleset loads without a fault, every rule has a case, and every case passes. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { TestCase } from '../../engine/index.js'
import { compileRuleset, EventRunner, presentDiagnostic, runCase } from '../../engine/index.js'
import { RedundancyFinder } from '../../engine/audit/redundancy-diagnostics.js'
import { Collector } from '../../engine/diagnostics/collector.js'
import { RuleReporter, unplacedNodes } from '../../engine/rules/reporter.js'
import { REFERENCE_RULESET_DIR, readRulesetFolder } from '../../workers/content/content.js'

const CASES = join(dirname(fileURLToPath(import.meta.url)), '../../../test/cases/reference')
const MOMENT = { seconds: 1_700_000_000, local: () => ({ timeOfDay: '12:00', weekday: 3 }) }

/**
 * Rules that no log line can reach: their events are from file integrity, rootcheck, SCA, inventory and host information queues, whose decoders need a
 * manager's databases (BEHAVIOUR.md#internal-decoders). They exist so that content for their ids finds its parents.
 */
const UNREACHABLE = new Set([221, 509, 510, 513, 514, 515, 516, 550, 553, 554, 580, 581, 594, 597, 598, 750, 751, 752, ...Array.from({ length: 10 }, (_, index) => 19000 + index)])

const ruleset = compileRuleset(readRulesetFolder(REFERENCE_RULESET_DIR, 'default'))
const runner = new EventRunner(ruleset)
const reports: { file: string; report: ReturnType<typeof runCase> }[] = readdirSync(CASES)
  .sort()
  .flatMap((file) => (JSON.parse(readFileSync(join(CASES, file), 'utf8')) as { cases: TestCase[] }).cases.map((one) => ({ file, report: runCase(runner, one, MOMENT, 'en-US') })))

test('the reference ruleset loads, and has no diagnostic that is an error or a warning', () => {
  assert.ok(ruleset.loads)
  const faults = ruleset.diagnostics.filter(({ severity }) => severity === 'error' || severity === 'warning')
  assert.deepEqual(
    faults.map(({ code, filename, span, params }) => `${code} ${filename}:${span?.line} ${JSON.stringify(params)}`),
    [],
  )
})

test('its diagnostics are the intended ones, each with a reason', () => {
  const meant = JSON.parse(readFileSync(join(REFERENCE_RULESET_DIR, 'meant-findings.json'), 'utf8')) as { code: string; file: string; subject: string | number; reason: string }[]
  assert.deepEqual(
    ruleset.diagnostics.map(({ code, filename, params }) => `${code} ${filename} ${params.id ?? params.parent ?? params.decoder}`).sort(),
    meant.map(({ code, file, subject }) => `${code} ${file} ${subject}`).sort(),
  )
  for (const { subject, reason } of meant) assert.match(reason, /^[A-Z].{20,}\.$/, `of ${subject}`)
})

test('none of its conditions and alternatives decides nothing', () => {
  const { rules, decoders } = ruleset
  const collector = new Collector(ruleset.files)
  let finder = new RedundancyFinder(ruleset, collector)
  // A ruleset of this size takes the steps of several.
  const next = (): RedundancyFinder => (finder.isExhausted ? (finder = new RedundancyFinder(ruleset, collector)) : finder)
  const unplaced = unplacedNodes(rules)
  for (const rule of rules.inOrder()) next().examineRule(new RuleReporter(rule, rules, collector, unplaced), true)
  for (const decoder of [...decoders.programRoots, ...decoders.plainRoots].flatMap((root) => [root, ...root.children])) next().examineDecoder(decoder)
  assert.deepEqual(
    collector.list().map((found) => presentDiagnostic(found, 'en-US').message),
    [],
  )
})

test('it has the intended size', () => {
  assert.ok(ruleset.counts.rules >= 400)
  assert.ok(ruleset.counts.decoders >= 60)
})

test('every case passes', () => {
  const failed = reports.filter(({ report }) => !report.passed)
  assert.deepEqual(
    failed.map(({ file, report }) => `${file} ${report.name}: ${JSON.stringify(report.checks.filter(({ passed }) => !passed))}`),
    [],
  )
})

test('every rule is matched by a case', () => {
  const seen = new Set(reports.flatMap(({ report }) => report.analysis.matched_rules.map(({ id }) => Number(id))))
  const missing = ruleset.rules.inOrder().filter(({ id }) => id >= 10 && !seen.has(id) && !UNREACHABLE.has(id))
  assert.deepEqual(
    missing.map(({ id, definition }) => `${id} ${definition.source.filename}`),
    [],
  )
})
