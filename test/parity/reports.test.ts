/**
 * Content with a usual mistake, one mistake for each folder of `../shared/conformance/reports`: the answers have to be those of Wazuh, and the default output of
 * `validate` or `logtest` has to name the fact that its author missed (`want.txt`).
 */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { CompiledRuleset, LogtestInput, SourceFile } from '#engine'
import { compileLayer, compileRuleset, createSession, EventRunner, runLogtest } from '#engine'
import { call } from '../server/cli/call.js'
import { CONFORMANCE, haveConformance, momentAt, rulesetOf } from './conformance.js'

const REPORTS = join(CONFORMANCE, 'reports')
const skip = existsSync(REPORTS) && haveConformance() ? false : 'the reports (../shared/conformance/reports) are not here'

/** A line of `events.jsonl`. `reset`: a new session begins. */
interface ReportedEvent {
  readonly event: string
  readonly location?: string
  readonly format?: LogtestInput['log_format']
  readonly time?: number
  readonly reset?: boolean
}

interface Truth {
  readonly loads: boolean
  readonly events?: readonly {
    readonly rule: string | null
    readonly level: number | null
    readonly decoder: string | null
    readonly fields: Readonly<Record<string, string>>
    readonly alert: boolean
  }[]
}

/** One of its strings has to be in the output of that command. */
interface Wanted {
  readonly in: 'validate' | 'logtest' | 'any'
  readonly matches: (output: string) => boolean
  readonly source: string
  readonly isNegated: boolean
  readonly keepsFields: boolean
}

const folders = skip === false ? readdirSync(REPORTS, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])) : ['reports']

describe('content of people who were stuck', () => {
  const place = skip === false ? mkdtempSync(join(tmpdir(), 'detection-content-reports-')) : ''
  after(() => skip === false && rmSync(place, { recursive: true, force: true }))

  for (const name of folders) {
    test(`${name}: the answers are those of the reference engine`, { skip }, () => {
      const report = new Report(name)
      const ruleset = report.compile()
      assert.equal(ruleset.loads, report.truth.loads)
      if (!ruleset.loads) return
      assert.deepEqual(
        report.answers(ruleset),
        report.truth.events?.map(({ rule, level, decoder, fields, alert }) => ({ rule, level, decoder, fields, alert })),
      )
    })

    test(`${name}: the output names what its author missed`, { skip }, async () => {
      const report = new Report(name)
      const content = mkdtempSync(join(place, 'content-'))
      for (const file of report.xml) copyFileSync(join(report.folder, file), join(content, file))
      const ruleset = ['--ruleset', report.base === 'stock' ? join(CONFORMANCE, 'ruleset-default') : 'none', '--custom', content, '--locale', 'en-US']
      const checked = await call(['validate', ...ruleset])
      const outputs = { validate: checked.stdout + checked.stderr, logtest: '' }
      for (const { location, events } of report.sessions()) {
        const place = location === undefined ? [] : ['--location', location]
        const ran = await call(['logtest', ...ruleset, '--session', ...place, ...report.options], { stdin: events.map((event) => `${event}\n`) })
        outputs.logtest += ran.stdout + ran.stderr
      }
      const missing = report.unmet(outputs)
      assert.deepEqual(missing, [], `${outputs.validate}\n--- logtest\n${outputs.logtest}`)
    })
  }
})

class Report {
  readonly folder: string
  readonly base: 'stock' | 'none'
  readonly options: readonly string[]
  readonly truth: Truth
  readonly xml: readonly string[]
  readonly #events: readonly ReportedEvent[]

  constructor(name: string) {
    this.folder = join(REPORTS, name)
    this.base = this.#read('base.txt').includes('stock') ? 'stock' : 'none'
    this.options = existsSync(join(this.folder, 'args.txt')) ? this.#read('args.txt').split(/\s+/).filter(Boolean) : []
    this.truth = JSON.parse(this.#read('truth.json')) as Truth
    this.xml = readdirSync(this.folder).filter((file) => file.endsWith('.xml'))
    this.#events = lines(this.#read('events.jsonl')).map((line) => JSON.parse(line) as ReportedEvent)
  }

  compile(): CompiledRuleset {
    const files = this.xml.map((filename): SourceFile => {
      const content = this.#read(filename)
      return { filename, kind: content.includes('<decoder') ? 'decoders' : 'rules', scope: 'adhoc', content }
    })
    return this.base === 'stock' ? compileLayer(rulesetOf('default'), files) : compileRuleset(files)
  }

  answers(ruleset: CompiledRuleset) {
    const runner = new EventRunner(ruleset)
    let session = createSession()
    return this.#events.map(({ event, location = 'stdin', format = 'syslog', time = 1_767_607_872, reset }) => {
      if (reset === true) session = createSession()
      const {
        rule,
        decoder,
        extracted_fields: fields,
        alert,
      } = runLogtest(runner, { event, location, log_format: format }, momentAt(time), session, {
        trace: false,
        locale: 'en-US',
        now: () => 0,
      })
      return { rule: rule?.id ?? null, level: rule?.level ?? null, decoder: decoder?.name ?? null, fields: { ...fields }, alert }
    })
  }

  /** The events by session; all of one have the same location. */
  sessions(): { readonly location: string | undefined; readonly events: string[] }[] {
    const sessions: { location: string | undefined; events: string[] }[] = []
    for (const { event, location, reset } of this.#events) {
      const last = sessions.at(-1)
      if (last === undefined || reset === true) sessions.push({ location, events: [event] })
      else last.events.push(event)
    }
    return sessions
  }

  /** What is wanted and not there. What the author wrote himself does not count: events, and lines of source below diagnostics. */
  unmet(outputs: { readonly validate: string; readonly logtest: string }): string[] {
    const own = new Set(this.#events.map(({ event }) => event))
    const spoken = (output: string, keepsFields: boolean): string =>
      output
        .split('\n')
        .filter((line) => !own.has(line) && !/^\s*\d+ \| /.test(line) && !/^\s*--> /.test(line))
        .filter((_, index, all) => keepsFields || !isField(all, index))
        .join('\n')
    const both = (keepsFields: boolean) => ({ validate: spoken(outputs.validate, keepsFields), logtest: spoken(outputs.logtest, keepsFields) })
    const [without, withFields] = [both(false), both(true)]
    const textOf = (wanted: Wanted): string => {
      const { validate, logtest } = wanted.keepsFields ? withFields : without
      return wanted.in === 'any' ? `${validate}\n${logtest}` : wanted.in === 'validate' ? validate : logtest
    }
    const all = lines(this.#read('want.txt')).map(readWanted)
    const refused = all.filter((wanted) => wanted.isNegated && wanted.matches(textOf(wanted))).map(({ source }) => source)
    const positive = all.filter(({ isNegated }) => !isNegated)
    return positive.some((wanted) => wanted.matches(textOf(wanted))) ? refused : [...refused, ...positive.map(({ source }) => source)]
  }

  #read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }
}

/** Whether a line shows a field of the event: the row with the label, and the rows below it that have none. */
function isField(all: readonly string[], index: number): boolean {
  for (let at = index; at >= 0; at--) {
    if (/^ {2}Fields /.test(all[at])) return true
    if (!/^ {11}/.test(all[at])) return false
  }
  return false
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** `[!][validate:|logtest:|fields:]text` or `…/regular expression/flags`. */
function readWanted(source: string): Wanted {
  const isNegated = source.startsWith('!')
  const [, where, text] = /^(?:(validate|logtest|fields):)?(.*)$/s.exec(isNegated ? source.slice(1) : source) as unknown as [string, string | undefined, string]
  const expression = /^\/(.*)\/([a-z]*)$/s.exec(text)
  const pattern = expression === null ? null : new RegExp(expression[1], expression[2])
  return {
    in: where === 'validate' ? 'validate' : where === undefined ? 'any' : 'logtest',
    matches: (output) => (pattern === null ? output.includes(text) : pattern.test(output)),
    source,
    isNegated,
    keepsFields: where === 'fields',
  }
}
