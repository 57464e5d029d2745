/** What rules, decoders and patterns cost, on the page of a replay. */
import type { Locale } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { bar } from '../../core/report-page/charts.js'
import { section } from '../../core/report-page/page.js'
import { type Row, table } from '../../core/report-page/table.js'
import { fill } from '../../core/i18n/translate.js'
import type { Summary } from '../replay/summary.js'
import { formatNumber, percent } from '../terminal/numbers.js'
import { shorten } from '../terminal/printable.js'

/** Rows of a table. */
const SHOWN = 15
const NAME_SHOWN = 160

const WORDS = {
  'en-US': {
    rules: 'What rules cost',
    decoders: 'What decoders cost',
    patterns: 'What patterns cost',
    meaning:
      '{steps} steps an event, counted on {events} events. A step is a test of a rule or decoder, a step of a backtracking PCRE2 search, or a byte that another pattern is given. A condition that rules share counts for the first of them.',
    name: 'Name',
    pattern: 'Pattern',
    checks: 'Tests',
    steps: 'Steps',
    share: '%',
  },
  'pt-BR': {
    rules: 'O que custam as regras',
    decoders: 'O que custam os decoders',
    patterns: 'O que custam os padrões',
    meaning:
      '{steps} passos por evento, contados em {events} eventos. Um passo é um teste de uma regra ou de um decoder, um passo de uma busca PCRE2 com retrocesso, ou um byte que outro padrão recebe. Uma condição que regras compartilham conta para a primeira delas.',
    name: 'Nome',
    pattern: 'Padrão',
    checks: 'Testes',
    steps: 'Passos',
    share: '%',
  },
} as const satisfies Readonly<Record<Locale, unknown>>

/** Empty: there are no events. */
export function costSections({ cost }: Summary, locale: Locale): Markup[] {
  const words = WORDS[locale]
  const { sampled_events: events, steps_an_event: each, rules, decoders, patterns } = cost
  if (events === 0) return []
  const number = (value: number, digits = 0): string => formatNumber(value, locale, digits)
  const all = each * events
  const rows = <Item extends { readonly checks: number; readonly steps: number }>(items: readonly Item[], name: (item: Item) => Markup): Row[] =>
    items
      .slice(0, SHOWN)
      .map((item) => [
        html`${name(item)}${bar([{ value: item.steps, tone: 'full' }], items[0].steps)}`,
        { number: number(item.checks) },
        { number: number(item.steps) },
        { number: percent(item.steps, all, locale) },
      ])
  const shown = (title: string, heading: string, lead: Markup, listed: readonly Row[]): Markup[] =>
    listed.length === 0 ? [] : [section(title, html`${lead}${table([heading, { number: words.checks }, { number: words.steps }, { number: words.share }], listed)}`)]
  const named = ({ name, file, line }: (typeof rules)[number]): Markup => html`${shorten(name, NAME_SHOWN)} <span class="quiet">${file ?? ''}:${line ?? ''}</span>`
  const meaning = html`<p class="quiet">${fill(words.meaning, { steps: number(each, 1), events: number(events) })}</p>\n`
  return [
    ...shown(words.rules, words.name, meaning, rows(rules, named)),
    ...shown(words.decoders, words.name, html``, rows(decoders, named)),
    ...shown(
      words.patterns,
      words.pattern,
      html``,
      rows(patterns, ({ pattern }) => html`<code>${shorten(pattern, NAME_SHOWN)}</code>`),
    ),
  ]
}
