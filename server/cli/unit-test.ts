/** The verdict of `logtest -U rule:level:decoder`, as `wazuh-logtest` gives it: by the exit code. */
import type { Locale, LogtestReport } from '#engine'
import type { Palette } from './terminal/palette.js'
import { printable } from './terminal/printable.js'
import { REPORT_WORDS } from './report/words.js'
import { UsageError } from './usage-error.js'

/** What the last event has to result in. Empty: nothing. */
export interface UnitTest {
  readonly rule: string
  readonly level: string
  readonly decoder: string
}

const FORM = /^(\d*):(\d*):(.*)$/

/** @throws UsageError */
export function readUnitTest(value: string): UnitTest {
  const parts = FORM.exec(value)
  if (parts === null) throw new UsageError('value_not_unit_test', { value })
  const [, rule, level, decoder] = parts
  return { rule, level, decoder }
}

export function passes(report: LogtestReport | null, expected: UnitTest): boolean {
  const { rule, level, decoder } = actualOf(report)
  return report?.ok === true && rule === expected.rule && level === expected.level && decoder === expected.decoder
}

/** One line. @param report of the last event; null: there was none */
export function describeUnitTest(report: LogtestReport | null, expected: UnitTest, locale: Locale, paint: Palette): string {
  const words = REPORT_WORDS[locale]
  const written = ({ rule, level, decoder }: UnitTest): string => printable(`${rule}:${level}:${decoder}`)
  return passes(report, expected)
    ? paint.good(words.unitTestPassed(written(expected)))
    : paint.error(report === null ? words.unitTestWithoutEvent : words.unitTestFailed(written(expected), written(actualOf(report))))
}

function actualOf(report: LogtestReport | null): UnitTest {
  return { rule: report?.rule?.id ?? '', level: report?.rule == null ? '' : String(report.rule.level), decoder: report?.decoder?.name ?? '' }
}
