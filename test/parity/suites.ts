/** The suites over the recordings. */
import { join } from 'node:path'
import type { SourceFile } from '#engine'
import { compileLayer, compileRuleset, createSession, tryPattern } from '#engine'
import { readRulesetFolder } from '#workers'
import { canLayerOn } from '../../engine/compiler/can-layer.js'
import type { Recorded, RulesetName } from './conformance.js'
import { answer, CONFORMANCE, readLines } from './conformance.js'
import { FUZZ_SUITES } from './fuzz.js'
import { REPLAY_SUITES } from './replay.js'
import { type SuiteResult, Tally } from './tally.js'

interface Item {
  readonly file?: string
  readonly name?: string
  readonly note?: string
  readonly events: string[]
  readonly locations?: string[]
  readonly got: Recorded[]
}

interface Single {
  readonly event: string
  readonly location?: string
  readonly from?: string
  readonly got: Recorded | { error: 'preprocessing' }
}

function runItems(file: string, ruleset: RulesetName, required: number): SuiteResult {
  const tally = new Tally()
  for (const item of readLines<Item>(file)) {
    const session = createSession()
    item.events.forEach((event, index) => {
      const label = `${item.note ?? `${item.file} ${item.name}`} #${index}`
      tally.count(label, answer(ruleset, event, session, item.locations?.[index] ?? 'stdin'), item.got[index])
    })
  }
  return tally.result(file, required)
}

function runSingles(file: string): SuiteResult {
  const tally = new Tally()
  for (const { event, location, from, got } of readLines<Single>(file)) {
    tally.count(from ?? location ?? '', answer('default', event, createSession(), location ?? 'stdin'), got)
  }
  return tally.result(file, 99.8)
}

function runContinuous(): SuiteResult {
  const tally = new Tally()
  const session = createSession()
  for (const { event, got } of readLines<Single>('expected-continuous.jsonl')) tally.count(event.slice(0, 80), answer('default', event, session), got)
  return tally.result('expected-continuous.jsonl', 100)
}

interface Vector {
  readonly engine: 'osregex' | 'osmatch' | 'pcre2'
  readonly pattern: string
  readonly input: string
  readonly substrings: boolean
  readonly case_sensitive: boolean
  readonly compiled: boolean
  readonly matched: boolean
  readonly end: number | null
  readonly captures: string[]
}

function runVectors(): SuiteResult {
  const tally = new Tally()
  for (const { engine, pattern, input, substrings, case_sensitive, compiled, matched, end, captures } of readLines<Vector>('regex.jsonl')) {
    const got = tryPattern({ engine, pattern, input, substrings, case_sensitive })
    const answered = { compiled: got.compiled, matched: got.matched, end: got.end, captures: got.captures }
    tally.count(`${engine} ${pattern}`, answered, { compiled, matched, end, captures })
  }
  return tally.result('regex.jsonl', 99.9)
}

interface LoadCase {
  readonly name: string
  readonly files: { kind: 'rules' | 'decoders'; filename: string; content: string }[]
  readonly loads: boolean
  readonly messages: { level: string; text: string }[]
  readonly rules_present: (string | number)[] | null
  readonly parents?: Record<string, number[]> | null
}

/** Compares which files load, the rules, their parents, and that each message of the engine has a diagnostic at its line. */
function runLoads(): SuiteResult {
  const tally = new Tally()
  const all = readRulesetFolder(join(CONFORMANCE, 'ruleset-default'), 'default')
  const base = compileRuleset(all.filter(({ filename }) => !filename.startsWith('local_')))
  const locals = all.filter(({ filename }) => filename.startsWith('local_'))
  // Nearly all cases load behind the local files, so they share a base with these: the checks of its files run once, and not with each case.
  const withLocals = compileLayer(base, locals)
  for (const { name, files, loads, messages, rules_present, parents } of readLines<LoadCase>('load.jsonl')) {
    const added = files.map((file): SourceFile => ({ ...file, scope: 'adhoc' }))
    const kept = locals.filter((local) => !added.some(({ kind, filename }) => kind === local.kind && filename === local.filename))
    const ruleset = canLayerOn(withLocals, added) ? compileLayer(withLocals, added) : compileLayer(base, [...kept, ...added])
    const written = new Set(files.flatMap(({ content }) => [...content.matchAll(/<rule\b[^>]*?\bid\s*=\s*["'](\d+)["']/gi)].map((match) => Number(match[1]))))
    const present = [...written].filter((id) => ruleset.rules.find(id) !== undefined)
    const parentsOf = (id: string): number[] => unique(ruleset.rules.placements(Number(id)).map((node) => node.parent?.rule.id ?? 0))
    // The checks are compared with messages of the engine alone: they take most of the time, and no check says that Wazuh crashes.
    const diagnostics = (messages.length === 0 ? ruleset.loadDiagnostics : ruleset.diagnostics).filter(({ scope }) => scope === 'adhoc')
    const lines = messages.flatMap(({ text }) => /\(1226\).*\(line (\d+)\)/.exec(text)?.[1] ?? [])
    tally.count(
      name,
      {
        loads: ruleset.loads,
        present: ruleset.loads ? unique(present) : null,
        parents: ruleset.loads && parents != null ? Object.fromEntries(Object.keys(parents).map((id) => [id, parentsOf(id)])) : null,
        crashes: diagnostics.some(({ code }) => code === 'wazuh_crash'),
        silent: messages.length > 0 && diagnostics.every(({ severity }) => severity === 'info'),
        lines: lines.map((line) => (diagnostics.some(({ span }) => span !== null && span.line <= Number(line) && Number(line) <= span.endLine + 1) ? 'found' : `none at ${line}`)),
      },
      {
        loads,
        present: loads ? unique((rules_present ?? []).map(Number)) : null,
        parents: loads && parents != null ? Object.fromEntries(Object.entries(parents).map(([id, ids]) => [id, unique(ids.map(Number))])) : null,
        crashes: false,
        silent: false,
        lines: lines.map(() => 'found'),
      },
    )
  }
  return tally.result('load.jsonl', 100)
}

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b)
}

/** Every suite, in the order in which they are required. */
export const SUITES: readonly (() => SuiteResult)[] = [
  () => runItems('expected-test.jsonl', 'test', 100),
  () => runItems('expected-default.jsonl', 'default', 100),
  runContinuous,
  () => runItems('sequences.jsonl', 'default', 99.8),
  () => runItems('sequences-test.jsonl', 'test', 99.8),
  () => runSingles('mutants.jsonl'),
  () => runSingles('locations.jsonl'),
  runVectors,
  runLoads,
  ...FUZZ_SUITES,
  ...REPLAY_SUITES,
]
