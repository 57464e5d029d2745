/**
 * Results of the benches. A bench reports tables: they are printed, and with `BENCH_SAVE=1` stored in `bench/results/<machine>.json`.
 * `node dist/bench/report.js` writes the stored tables into bench/README.md, which a test compares with them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const BENCH = fileURLToPath(new URL('../../bench/', import.meta.url))
const RESULTS = join(BENCH, 'results')
export const PAGE = join(BENCH, 'README.md')
/** Significant digits of a number. */
const DIGITS = 3

type Cell = string | number | null

export interface Table {
  /** What was measured, and the conditions of this run. */
  readonly title: string
  readonly columns: readonly string[]
  /** The first cell is the label of the row. Null: not measured here. */
  readonly rows: readonly (readonly Cell[])[]
}

interface Result {
  readonly date: string
  readonly node: string
  readonly command: string
  readonly tables: readonly Table[]
}

/** Results by bench. */
type Results = Readonly<Record<string, Result>>

const reported = new Map<string, Table[]>()

/** Prints a table, and stores it if `BENCH_SAVE` is set. The tables of a bench in one process replace those stored before. */
export function report(bench: string, table: Table): void {
  console.log(`${bench}: ${table.title} (Node ${process.version})\n${markdown(table)}\n`)
  if (process.env.BENCH_SAVE === undefined) return
  const tables = [...(reported.get(bench) ?? []), table]
  reported.set(bench, tables)
  const path = join(RESULTS, `${availableParallelism()}-cores.json`)
  const results: Results = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : {}
  const result: Result = { date: new Date().toISOString().slice(0, 10), node: process.version, command: commandLine(), tables }
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(path, `${JSON.stringify({ ...results, [bench]: result }, null, 2)}\n`)
}

/** Replaces the text between the marks `<!-- results NAME -->` and `<!-- end -->` with the stored results. */
export function withResults(page: string): string {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS).sort() : []
  const machines = files.map((file) => ({ machine: file.replace('.json', '').replace('-', ' '), results: JSON.parse(readFileSync(join(RESULTS, file), 'utf8')) as Results }))
  return page.replace(/<!-- results (\S+) -->\n[\s\S]*?<!-- end -->/g, (_, bench: string) => {
    const sections = machines.filter(({ results }) => Object.hasOwn(results, bench)).flatMap(({ machine, results }) => section(machine, results[bench]))
    return [`<!-- results ${bench} -->`, ...(sections.length === 0 ? ['No stored results.'] : sections), '<!-- end -->'].join('\n')
  })
}

function section(machine: string, { date, node, command, tables }: Result): string[] {
  return [`${date}, ${machine}, Node ${node}, \`${command}\``, '', ...tables.flatMap((table) => [`${table.title}:`, '', markdown(table), ''])]
}

function markdown({ columns, rows }: Table): string {
  const line = (cells: readonly Cell[]): string => `| ${cells.map(shown).join(' | ')} |`
  return [line(columns), `|${columns.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}`, ...rows.map(line)].join('\n')
}

function shown(cell: Cell): string {
  if (cell === null || (typeof cell === 'number' && Number.isNaN(cell))) return '–'
  return typeof cell === 'number' ? cell.toLocaleString('en-US', cell >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: DIGITS }) : cell
}

/** The command of this process, with paths relative to the checkout. */
function commandLine(): string {
  const root = join(BENCH, '../')
  return ['node', ...process.argv.slice(1).map((word) => word.replace(root, ''))].join(' ')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(PAGE, withResults(readFileSync(PAGE, 'utf8')))
