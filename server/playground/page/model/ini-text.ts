/**
 * A file of cases in Wazuh's format with the cases of the page in it. Sections that were not changed stay as they are written, and comments. A section may have several
 * cases: one that was changed becomes a section of its own behind it, unless all of them have got the same rule.
 */
import { asIniCase, type IniCase, iniSection, isIniCase, type SuiteCase } from '#engine'
import type { EditedCase } from './state.js'
import { readIniCases } from './written-work.js'

interface Entry {
  /** Line of the first event, from 1. */
  readonly line: number
  /** As it is in the text; null: the page has no room for it. */
  readonly read: EditedCase | null
}

export interface IniText {
  readonly text: string
  /** In the order of the text. */
  readonly entries: readonly Entry[]
}

const HEADER = /^\uFEFF?\s*\[.*\]\s*$/
const COMMENT = /^\s*(?:[;#]|$)/
/** The line of the clock belongs to the section below it, and is written with a case. */
const CLOCK = /^\s*[;#]\s*now\s*=/
const RULE = /^(\s*rule\s*=\s*)(.*?)(\s*)$/

/** @param id of the suite @param room cases that the page has room for @returns null: it has more cases than a file may have here */
export function readIniText(id: number, text: string, room: number): IniText | null {
  const cases = readIniCases(text)?.cases
  if (cases === undefined) return null
  return { text, entries: cases.map((one, index) => ({ line: lineOf(one.testCase), read: index < room ? { ...one, suite: id } : null })) }
}

/** Writes the text with the present cases. */
export function writeIniText({ text, entries }: IniText, cases: readonly EditedCase[]): IniText {
  const present = new Map(cases.map((one) => [one.id, one]))
  const lines = text.split('\n')
  const written: string[] = []
  const order: (EditedCase | null)[] = []
  const write = (added: readonly string[], of: readonly (EditedCase | null)[]): void => {
    written.push(...added)
    order.push(...of)
  }
  const writeSection = (one: EditedCase): void => {
    if (!COMMENT.test(written.at(-1) ?? '')) written.push('')
    write(iniSection(iniOf(one.testCase)).trimEnd().split('\n'), [one])
  }
  for (const { start, header, end } of blocksOf(lines)) {
    const block = lines.slice(start, end)
    const own = entries.filter(({ line }) => line - 1 >= start && line - 1 < end)
    const now = own.map(({ read }) => (read === null ? null : (present.get(read.id) ?? null)))
    const isKept = own.map(({ read }, index) => read === null || now[index]?.testCase === read.testCase)
    if (isKept.every(Boolean)) {
      write(block, now)
      continue
    }
    const rule = sharedRule(own, now)
    if (rule !== null && block.some((line) => RULE.test(line))) {
      write(
        block.map((line) => line.replace(RULE, (_, before: string, __, after: string) => before + rule + after)),
        now,
      )
      continue
    }
    if (isKept.some(Boolean)) {
      const gone = new Set(own.flatMap(({ line }, index) => (isKept[index] ? [] : [keyOf(lines[line - 1])])))
      write(
        block.filter((line) => !gone.has(keyOf(line))),
        now.filter((_, index) => isKept[index]),
      )
    } else if (now.some((one) => one !== null)) {
      write(
        lines.slice(start, header).filter((line) => !CLOCK.test(line)),
        [],
      )
    }
    for (const [index, one] of now.entries()) if (one !== null && !isKept[index]) writeSection(one)
  }
  const known = new Set(entries.map(({ read }) => read?.id))
  for (const one of cases) if (!known.has(one.id)) writeSection(one)
  const result = `${written.join('\n').trimEnd()}\n`
  const places = readIniCases(result)?.cases ?? []
  return { text: result, entries: order.map((read, index) => ({ line: lineOf(places[index]?.testCase), read })) }
}

interface Block {
  /** First line of the block: that of the comments above the header. The lines above the first section are a block without a header. */
  readonly start: number
  readonly header: number
  readonly end: number
}

function blocksOf(lines: readonly string[]): Block[] {
  const headers = lines.flatMap((line, index) => (HEADER.test(line) ? [index] : []))
  const starts = headers.map((header, index) => {
    let start = header
    while (start > (headers[index - 1] ?? -1) + 1 && COMMENT.test(lines[start - 1])) start--
    return start
  })
  const above = starts[0] ?? lines.length
  return [
    ...(above > 0 ? [{ start: 0, header: 0, end: above }] : []),
    ...starts.map((start, index): Block => ({ start, header: headers[index], end: starts[index + 1] ?? lines.length })),
  ]
}

/** The rule that all cases of a section have got, where nothing else of them has changed; null: there is none. */
function sharedRule(own: readonly Entry[], now: readonly (EditedCase | null)[]): string | null {
  const rules = new Set<string | null>()
  for (const [index, { read }] of own.entries()) {
    const one = now[index]
    if (read === null || one === null || !isIniCase(read.testCase) || !isIniCase(one.testCase)) return null
    rules.add(JSON.stringify({ ...one.testCase, rule: '' }) === JSON.stringify({ ...read.testCase, rule: '' }) ? one.testCase.rule : null)
  }
  const [rule = null] = rules
  return rules.size === 1 ? rule : null
}

function keyOf(line: string): string {
  return line.split('=', 1)[0].trim()
}

function iniOf(testCase: SuiteCase): IniCase {
  return isIniCase(testCase) ? testCase : asIniCase(testCase)
}

function lineOf(testCase: SuiteCase | undefined): number {
  return testCase !== undefined && isIniCase(testCase) ? testCase.line : 0
}
