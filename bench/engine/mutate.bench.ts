/**
 * Measures the grading of test cases: the processor time of one thread for a sample of the rules and decoders, and what all of them would take on two cores.
 * `node --cpu-prof dist/bench/run.js mutate` says what takes it; `BENCH_MUTATE_STEP=1` grades everything.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileRuleset, MutationGrader, type SourceFile, summarizeMutants } from '#engine'
import { parseIniSuite } from '../../engine/logtest/ini-suite.js'
import type { SuiteCase } from '../../engine/logtest/suite-case.js'
import { CASES_FOLDER, haveRecordings, INI_FOLDER, referenceData, stockData } from './data.js'
import { MOMENT } from './measure.js'
import { report } from '../report.js'

/** One rule or decoder of so many is graded. */
const STEP = Number(process.env.BENCH_MUTATE_STEP ?? 20)
const CORES = 2
/** What the time of a usual own content is computed for. */
const OWN_ITEMS = 500

export function benchMutate(): void {
  const rows = [row('reference', referenceData().files, jsonSuites())]
  if (haveRecordings()) rows.push(row('stock', stockData('default').files, iniSuites()))
  report('mutate', {
    title: `Grading of test cases, one of ${STEP} rules and decoders; processor time of one thread, and what it is on ${CORES} cores`,
    columns: ['ruleset', 'rules and decoders', 'cases', 'mutants tried', 'killed', 'ms before the first', 'ms a mutant', `s for ${OWN_ITEMS} of them`, 's for all'],
    rows,
  })
}

function row(name: string, files: readonly SourceFile[], suites: readonly (readonly SuiteCase[])[]): (string | number)[] {
  const ruleset = compileRuleset(files)
  const started = process.cpuUsage()
  // Cases of the recordings that depend on more than the ruleset are left out.
  const failed = new Set(grader(ruleset, suites).failed.map(({ suite, place }) => `${suite} ${place}`))
  const passing = suites.map((cases, suite) => cases.filter((_, place) => !failed.has(`${suite} ${place}`)))
  const sampled = grader(ruleset, passing)
  const prepared = millisecondsSince(started)
  const graded = process.cpuUsage()
  const tried = Array.from({ length: Math.ceil(sampled.items / STEP) }, (_, index) => sampled.grade(index * STEP) ?? []).flat()
  const ms = millisecondsSince(graded)
  const { killed } = summarizeMutants(tried)
  const items = Math.ceil(sampled.items / STEP)
  const onCores = (count: number): number => (prepared + (ms / items) * count) / 1000 / CORES
  return [name, sampled.items, passing.flat().length, tried.length, killed, prepared, ms / Math.max(1, tried.length), onCores(OWN_ITEMS), onCores(sampled.items)]
}

function grader(ruleset: ReturnType<typeof compileRuleset>, suites: readonly (readonly SuiteCase[])[]): MutationGrader {
  return new MutationGrader(ruleset, suites, { locale: 'en-US', moment: MOMENT, scopes: ['default'] })
}

function millisecondsSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

function jsonSuites(): SuiteCase[][] {
  return readdirSync(CASES_FOLDER).map((file) => (JSON.parse(readFileSync(join(CASES_FOLDER, file), 'utf8')) as { cases: SuiteCase[] }).cases)
}

function iniSuites(): SuiteCase[][] {
  const names = readdirSync(INI_FOLDER).filter((file) => file.endsWith('.ini'))
  return names.map((file) => [...parseIniSuite(readFileSync(join(INI_FOLDER, file), 'utf8')).cases])
}
