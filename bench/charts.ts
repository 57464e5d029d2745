/** The charts of bench/README.md, drawn from the stored results. A chart takes the machine with the most cores that has its results. */
import { barChart, shortNumber } from './chart.js'
import type { Machine } from './report.js'

/** @param machines by their cores @returns SVG documents by the name of their file */
export function charts(machines: readonly Machine[]): ReadonlyMap<string, string> {
  const having = (...benches: string[]): Machine => {
    const machine = machines.findLast(({ results }) => benches.every((bench) => Object.hasOwn(results, bench)))
    if (machine === undefined) throw new Error(`no machine has stored results of ${benches.join(' and ')}`)
    return machine
  }
  return new Map([
    ['throughput.svg', throughput(having('events'))],
    ['latency.svg', latency(having('service-login-mix', 'service-logtest'))],
    ['scaling.svg', scaling(having('service-scaling'))],
    ['memory.svg', memory(having('service-memory'))],
  ])
}

function throughput(machine: Machine): string {
  const rows = rowsOf(machine, 'events', 'Events a second', ['events/s', 'C engine here', 'ratio']).filter(({ values }) => values.every(Boolean))
  return barChart({
    title: 'Events a second on one thread, by kind of line',
    notes: [`${conditions(machine, 'events')}, stock ruleset, no trace.`, 'The C engine: its recorded speed, scaled to this machine.'],
    series: { 'this engine': 'green', 'the C engine': 'slate' },
    groups: rows.map(({ label, values: [own, other, ratio] }) => ({ label: label.split(', ')[0], note: `${shortNumber(ratio)} times`, values: [own, other] })),
  })
}

/** Draws the latencies of one machine, because those of different machines belong to different rates. */
function latency(machine: Machine): string {
  const [alone, besideLogins] = rowsOf(machine, 'service-login-mix', '200 logtests a second', ['p50', 'p99'])
  const logtest = rowsOf(machine, 'service-logtest', 'Logtests over HTTP with its trace', ['requests/s']).find(({ label }) => label === 'logtest')
  const busy = rowsOf(machine, 'service-logtest', 'Latency with its trace at 80 %', ['ms']).map(({ values: [ms] }) => ms)
  return barChart({
    title: 'Milliseconds of a logtest with its trace, by load',
    notes: [`${conditions(machine, 'service-login-mix', 'service-logtest')}, 2 threads.`, '8 and 64 connections; the load generator works on the same cores.'],
    series: { 'half of the logtests (p50)': 'green', '99 of 100 (p99)': 'pale' },
    groups: [
      { label: '200 a second', note: 'alone', values: alone.values },
      { label: '200 a second', note: 'beside logins', values: besideLogins.values },
      { label: `${shortNumber(0.8 * (logtest?.values[0] ?? 0))} a second`, note: '80 % of full load', values: busy },
    ],
  })
}

function scaling(machine: Machine): string {
  const rows = rowsOf(machine, 'service-scaling', 'The service on', ['logtests/s with trace', 'without', 'many batches'])
  const groups = rows.map(({ label, values }) => ({ label: label.split(', ')[0], note: label.split(', ')[1], values: values.map((value, index) => value / rows[0].values[index]) }))
  return barChart({
    title: `Rate on ${machine.cores} cores, in multiples of the first row`,
    notes: [`${conditions(machine, 'service-scaling')}.`, 'The load generators work on the same cores.'],
    series: { 'logtests with trace': 'green', without: 'pale', 'events of batches': 'slate' },
    groups: groups.toSorted((a, b) => Number.parseInt(a.note, 10) - Number.parseInt(b.note, 10) || Number.parseInt(a.label, 10) - Number.parseInt(b.label, 10)),
    mark: machine.cores,
  })
}

function memory(machine: Machine): string {
  const rows = rowsOf(machine, 'service-memory', 'Resident memory', ['threads', 'ready, MB', 'after the logtests, MB'])
  return barChart({
    title: 'Resident memory by processes and threads, MB',
    notes: [`${conditions(machine, 'service-memory')}, stock ruleset.`, 'Pages that several processes share count once.'],
    series: { ready: 'green', 'after thousands of different logtests': 'pale' },
    groups: rows.map(({ label, values: [threads, ...used] }) => ({
      label: `${label} process${label === '1' ? '' : 'es'}`,
      note: `${threads} thread${threads === 1 ? '' : 's'}`,
      values: used,
    })),
  })
}

/** When and where the results were measured. */
function conditions({ cores, results }: Machine, ...benches: string[]): string {
  return `${[...new Set(benches.map((bench) => results[bench].date))].join(' and ')}, ${cores} cores, Node ${results[benches[0]].node.slice(1)}`
}

/** Returns columns of numbers of a table, whose title begins so. A cell without a number is 0. */
function rowsOf({ results }: Machine, bench: string, title: string, columns: readonly string[]): { readonly label: string; readonly values: readonly number[] }[] {
  const table = results[bench].tables.find((each) => each.title.startsWith(title) && columns.every((column) => each.columns.includes(column)))
  if (table === undefined) throw new Error(`${bench} has no stored table "${title}" with the columns ${columns.join(', ')}`)
  return table.rows.map((row) => ({ label: String(row[0]), values: columns.map((column) => Number(row[table.columns.indexOf(column)] ?? 0)) }))
}
