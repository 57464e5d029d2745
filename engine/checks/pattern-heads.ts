/** The beginnings of logs that a pattern accepts, dates among them. */
import type { Expression } from '../expressions/expression.js'
import { isAnchored, isNegated, partsOf } from '../expressions/pattern-nodes.js'
import type { Node } from '../expressions/pcre2/ast.js'
import { findHeader } from '../predecoding/headers.js'
import { foldCase } from '../source/byte-string.js'

/** What follows a date in the examples: long enough for every form of header, and in no pattern of a product. */
const REST = ' qz1 zqxd[7]: jk 42 vx wq hj kw vz'

/** Dates as logs begin with them. Whether one is a header decides the engine itself. */
const DATES = [
  'Jan 15 10:11:12',
  'Jan  5 10:11:12',
  '2026 Jan 15 10:11:12',
  '2026-01-05T10:11:12+00:00',
  '2026-01-05T10:11:12.123+00:00',
  '2026-01-05T10:11:12.123456+00:00',
  '2026-01-05T10:11:12.123Z',
  '2026-01-05T10:11:12.123456Z',
  '2026-01-05 10:11:12,123',
  '2026-01-05 10:11:12',
  '2026-01-05 10:11:12.123',
  '2026-01-05 10:11:12.123456',
  '2026-01-05 10:11:12 +0000',
  '2026/01/05 10:11:12',
  '01/05/2026 10:11:12',
  '05-01-2026 10:11:12',
  '05.01.2026 10:11:12',
  '05/Jan/2026:10:11:12 +0000',
  '[05/Jan/2026:10:11:12 +0000]',
  '[2026-01-05 10:11:12]',
  '5 Jan 2026 10:11:12',
  'Jan 5, 2026 10:11:12 AM',
  'Jan 5 2026 10:11:12',
  'Mon Jan 15 10:11:12 2026',
  'Mon Jan  5 10:11:12 UTC 2026',
  'Mon, 05 Jan 2026 10:11:12',
  'Mon Jan  5 10:11:12 2026 1',
  '[Mon Jan 05 10:11:12 2026]',
  '[Mon Jan 05 10:11:12.123456 2026]',
  '01/05-10:11:12.123456',
  '01/05/2026-10:11:12.123456',
] as const

/** Dates that stay in the log, although they have nearly the form of a header: a pattern for these may be meant for a header as well. */
const NEAR_HEADERS = ['2026-01-05T10:11:12Z', '2026-01-05T10:11:12', 'Jan 05 2026 10:11:12'] as const

/** Other heads of logs: a pattern that accepts one of them is not about dates. */
const OTHER_HEADS = [
  'alpha beta gamma delta epsilon zeta',
  'a 1 b 2 c 3 d 4 e 5',
  '12345 67 89 10 alpha beta',
  '192.0.2.7 - - "GET /index.html HTTP/1.1"',
  '{"a": "b", "c": {"d": 1}}',
  '/usr/bin/gate opened the door',
  'key=value other="thing" more=5',
  '<event><id>5</id></event>',
  '[12] alpha beta gamma delta',
  'alpha-beta: gamma delta epsilon',
  'GET /index.html HTTP/1.1 200',
  '12-34 alpha beta gamma delta',
  '1:2 alpha beta gamma delta',
  '2026 alpha beta gamma delta',
  '20260105 101112 alpha beta gamma',
  '10:11:12 alpha beta gamma delta',
  '1767607872 alpha beta gamma delta',
  '1767607872.123 alpha beta gamma',
  'CEF:0|alpha|beta|1.0|5|gamma',
  'type=SYSCALL msg=audit(17.1:2): a',
] as const

/** Steps of one comparison; each may add some frames to the stack. A pattern that needs more is taken for one that accepts the text. */
const STEPS_LIMIT = 400
/** Steps of all comparisons of one pattern: three times what a pattern for a date needs. */
const ALL_STEPS_LIMIT = 3_000

/** A date at the head of a log. */
export interface DatedHead {
  readonly date: string
  /** `header`: it is removed. `kept`: it stays. `near`: it stays, and has nearly the form of a header. */
  readonly kind: 'header' | 'kept' | 'near'
}

const HEADS: readonly DatedHead[] = [
  ...DATES.map((date): DatedHead => ({ date, kind: findHeader(date + REST) === null ? 'kept' : 'header' })),
  ...NEAR_HEADERS.map((date): DatedHead => ({ date, kind: 'near' })),
]

const NO_DATES: readonly DatedHead[] = []
const KNOWN = new WeakMap<Expression, readonly DatedHead[]>()

/** The dates with which the logs of an anchored pattern begin; none if they may begin with something else. */
export function datesOf(expression: Expression): readonly DatedHead[] {
  let known = KNOWN.get(expression)
  if (known === undefined) KNOWN.set(expression, (known = findDates(expression)))
  return known
}

/** Only such patterns are read as trees: most others are not anchored, and each tree takes memory. */
const ANCHORED = /^(?:\(\?[a-z]+\))?(?:\^|\\A)/

function findDates(expression: Expression): readonly DatedHead[] {
  if (expression.dialect === 'osmatch' || !ANCHORED.test(expression.pattern)) return NO_DATES
  const { main } = partsOf(expression)
  if (!isAnchored(main, 'subject_start')) return NO_DATES
  const steps = { left: ALL_STEPS_LIMIT }
  if (OTHER_HEADS.some((text) => accepts(main, text, steps))) return NO_DATES
  const found = HEADS.filter(({ date }) => accepts(main, `${date} `, steps))
  return steps.left <= 0 ? NO_DATES : found
}

const TAKEN = new WeakMap<Expression, readonly DatedHead[]>()

/** The dates of logs that a pattern for such dates matches with any text behind them. */
export function datesTakenBy(expression: Expression): readonly DatedHead[] {
  if (datesOf(expression).length === 0) return NO_DATES
  let taken = TAKEN.get(expression)
  if (taken === undefined) {
    taken = HEADS.filter(({ date, kind }) => kind !== 'header' && expression.test(date + REST, foldCase(date + REST), 0))
    TAKEN.set(expression, taken)
  }
  return taken
}

/** Whether a log that begins with the text can match. */
export function mayBeginWith(expression: Expression | null, text: string): boolean {
  if (expression === null || isNegated(expression)) return true
  const { main } = partsOf(expression)
  return !isAnchored(main, 'subject_start') || accepts(main, text, { left: STEPS_LIMIT })
}

/** Whether a text that begins so can match, as far as that is known. @param steps of all comparisons of the pattern */
function accepts(root: Node, text: string, steps: { left: number }): boolean {
  const end = Math.max(0, steps.left - STEPS_LIMIT)
  const run = (node: Node, at: number, next: (at: number) => boolean): boolean => {
    if (at >= text.length || --steps.left <= end) return true
    switch (node.kind) {
      case 'empty':
        return next(at)
      case 'set':
        return node.set[text.charCodeAt(at)] === 1 && next(at + 1)
      case 'sequence': {
        const from = (index: number, to: number): boolean => (index === node.items.length ? next(to) : run(node.items[index], to, (after) => from(index + 1, after)))
        return from(0, at)
      }
      case 'alternation':
        return node.branches.some((branch) => run(branch, at, next))
      case 'capture':
      case 'atomic':
        return run(node.body, at, next)
      case 'repeat': {
        const { body, min, max } = node
        const more = (count: number, to: number): boolean => (count >= min && next(to)) || (count < max && run(body, to, (after) => after > to && more(count + 1, after)))
        return more(0, at)
      }
      case 'assertion':
        if (node.test === 'subject_start') return at === 0 && next(at)
        return node.test !== 'subject_end' && node.test !== 'final_end' && next(at)
      case 'look':
        return next(at)
      default:
        return true
    }
  }
  return run(root, 0, () => true)
}
