/** What is shown between the lines: the cases of a rule with their result, and the level of a rule that is named. */
import { CaseChain, type CompiledRuleset, caseChains, EventRunner, type Locale, type Moment, suiteCaseInputs } from '#engine'
import { type CodeLens, type InlayHint, InlayHintKind } from 'vscode-languageserver-types'
import type { CaseText } from '../content/content-folder.js'
import type { ContentDocument } from '../content/document.js'
import type { Snapshot } from '../content/workspace.js'
import { type Words, WORDS } from '../words.js'
import { expectedRules } from './expected-rules.js'

/** Cases that are run for one lens. */
const CASES_RUN = 50
/** Units of an event in a lens. */
const EVENT_SHOWN = 80
/** Hints of one answer. */
const HINTS_LIMIT = 1000

/** The data of a lens until it is resolved. */
export interface LensData {
  readonly uri: string
  readonly id: string
}

interface CaseOfRule {
  readonly file: CaseText
  /** Index in the file. */
  readonly at: number
}

/** The cases of each rule, and their results for a ruleset. */
export class CaseLenses {
  readonly #moment: () => Moment
  #of: readonly CaseText[] | null = null
  #byRule: ReadonlyMap<string, readonly CaseOfRule[]> = new Map()
  #runner: EventRunner | null = null

  constructor(moment: () => Moment) {
    this.#moment = moment
  }

  /** A lens for each rule that a case expects. Nothing is run. */
  lenses(document: ContentDocument, cases: readonly CaseText[]): CodeLens[] {
    const byRule = this.#casesOf(cases)
    return document.names.rules
      .filter(({ id }) => byRule.has(id))
      .map(({ id, element }) => ({ range: document.positions.range(element.start, element.nameEnd), data: { uri: document.uri, id } satisfies LensData }))
  }

  hasCases(cases: readonly CaseText[], id: string): boolean {
    return this.#casesOf(cases).has(id)
  }

  /** Runs the cases of one rule. */
  title(snapshot: Snapshot, cases: readonly CaseText[], id: string, locale: Locale): string {
    const words = WORDS[locale]
    const all = this.#casesOf(cases).get(id) ?? []
    const found = all.slice(0, CASES_RUN)
    const ruleset = snapshot.ruleset()
    const event = found.length === 0 ? '' : eventOf(found[0])
    const parts = [words.cases(all.length), ...(ruleset.loads ? [this.#result(ruleset, found, words, locale)] : []), ...(event === '' ? [] : [words.firesOn(event)])]
    return parts.join(' · ')
  }

  #result(ruleset: CompiledRuleset, cases: readonly CaseOfRule[], words: Words, locale: Locale): string {
    if (this.#runner?.ruleset !== ruleset) this.#runner = new EventRunner(ruleset)
    const runner = this.#runner
    const passed = cases.filter(({ file, at }) => {
      // A case of a session needs the ones before it.
      const chain = chainsOf(file).find((places) => places.includes(at)) ?? [at]
      const run = new CaseChain(runner, this.#moment(), locale, chain.length > 1)
      const reports = chain.slice(0, chain.indexOf(at) + 1).map((place) => run.run(file.cases[place].testCase))
      return reports.at(-1)?.passed === true
    })
    return words.casesPass(passed.length, cases.length)
  }

  #casesOf(cases: readonly CaseText[]): ReadonlyMap<string, readonly CaseOfRule[]> {
    if (this.#of === cases) return this.#byRule
    const byRule = new Map<string, CaseOfRule[]>()
    for (const file of cases) {
      for (const [at, { testCase }] of file.cases.entries()) {
        for (const id of new Set(expectedRules(testCase))) {
          const known = byRule.get(id)
          if (known === undefined) byRule.set(id, [{ file, at }])
          else known.push({ file, at })
        }
      }
    }
    this.#of = cases
    this.#byRule = byRule
    return byRule
  }
}

function chainsOf({ cases }: CaseText): number[][] {
  return caseChains(cases.map(({ testCase }) => testCase))
}

function eventOf({ file, at }: CaseOfRule): string {
  const event = suiteCaseInputs(file.cases[at].testCase).at(-1)?.input.event.trim() ?? ''
  return event.length > EVENT_SHOWN ? `${event.slice(0, EVENT_SHOWN)}…` : event
}

/** The level of each rule that is named in a range, behind its id. */
export function inlayHints(snapshot: Snapshot, { names, positions }: ContentDocument, from: number, to: number, locale: Locale): InlayHint[] {
  const hints: InlayHint[] = []
  for (const { kind, name, end, isDefinition } of names.places) {
    if (kind !== 'rule' || isDefinition || end < from || end > to) continue
    const rule = snapshot.names.rule(name)
    if (rule === undefined) continue
    const { level, description } = rule.item
    hints.push({ position: positions.positionAt(end), label: `${WORDS[locale].level} ${level}`, kind: InlayHintKind.Type, paddingLeft: true, tooltip: description })
    if (hints.length >= HINTS_LIMIT) break
  }
  return hints
}
