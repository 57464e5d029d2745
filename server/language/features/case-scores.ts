/**
 * What the cases of a rule are worth, when somebody asks: a command measures it (`ContentFolder.measureCases`), a lens above the rule has the score, the hover the
 * changes that no case notices, and code actions add the cases that would. Invariants:
 *  1. rules are measured one after another, and nobody else waits for it
 *  2. a score is shown as long as the text of the rule and the cases are those that were measured
 */
import type { Locale, TestCase } from '#engine'
import { type CodeAction, CodeActionKind, type CodeLens, type Command, type Range } from 'vscode-languageserver-types'
import type { CaseText, Measurement, Survivor } from '../content/content-folder.js'
import type { ContentDocument } from '../content/document.js'
import type { DefinedRule } from '../content/names.js'
import type { Workspace } from '../content/workspace.js'
import { type Words, WORDS } from '../words.js'
import { addCases } from './added-cases.js'
import { fenced, inlineCode } from './markdown.js'

/** The command that measures a rule. Its one argument is a `MeasuredRule`. */
export const MEASURE_CASES = 'detection-content.measureCases'
/** The kind of the action that calls it, for editors without lenses. */
export const MEASURE_ACTION = `${CodeActionKind.Source}.measureCases.detection-content`

export interface MeasuredRule {
  readonly uri: string
  readonly rule: string
}

/** What the command answers: the score from 0 to 1 with its counts, and the changes that no case notices; null: there is none, and the client has been told why. */
export type CaseScore = Extract<Measurement, { kind: 'score' }>

/** Rules that may wait for their turn. */
const WAITING_LIMIT = 20
/** Rules whose scores are kept. */
const SCORES_LIMIT = 1000
/** Changes of a hover, and actions that add a case. */
const SHOWN = 5
/** Units of a change in a title or hover, and of an event. */
const CHANGE_UNITS = 60
const EVENT_UNITS = 600

/** @param isWarning whether it says why there is no score */
type Tell = (text: string, isWarning: boolean) => void

interface Entry {
  /** The text of the rule, and the cases, at the time of the measurement. */
  readonly text: string
  readonly cases: readonly CaseText[]
  /** Null: it is being measured. */
  readonly score: CaseScore | null
}

export class CaseScores {
  readonly #entries = new Map<string, Entry>()
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Measures one rule. @param onChange called when lenses change @returns null: there is no score */
  async measure(workspace: Workspace, { uri, rule: id }: MeasuredRule, locale: Locale, tell: Tell, onChange: () => void): Promise<CaseScore | null> {
    const document = workspace.document(uri)
    const rule = document?.names.rules.find((one) => one.id === id)
    if (document === undefined || rule === undefined || this.#waiting >= WAITING_LIMIT) return null
    this.#waiting++
    if (this.#entries.size >= SCORES_LIMIT) this.#entries.clear()
    const entry = { text: textOf(document, rule), cases: workspace.cases, score: null }
    this.#entries.set(id, entry)
    onChange()
    const measured = this.#turn.then(() => workspace.measureCases(id, locale).catch(() => null))
    this.#turn = measured
    const found = await measured
    this.#waiting--
    const score = found?.kind === 'score' ? found : null
    if (score === null) this.#entries.delete(id)
    else this.#entries.set(id, { ...entry, score })
    onChange()
    tell(describeMeasurement(found, id, entry.cases, WORDS[locale]), score === null)
    return score
  }

  /** A lens for each own rule that has cases, or a score. @param hasCases whether a case expects a rule */
  lenses(document: ContentDocument, cases: readonly CaseText[], hasCases: (id: string) => boolean, locale: Locale): CodeLens[] {
    if (!isMeasurable(document)) return []
    const words = WORDS[locale]
    return document.names.rules.flatMap((rule) => {
      const entry = this.#entryOf(document, rule, cases)
      if (entry === null && !hasCases(rule.id)) return []
      const title = entry === null ? words.measureCases : entry.score === null ? words.measuring : scoreText(entry.score, words)
      return [{ range: document.positions.range(rule.element.start, rule.element.nameEnd), command: commandFor(document, rule, title) }]
    })
  }

  /** What a hover over a rule says in Markdown; null: it was not measured. */
  describe(workspace: Workspace, id: string, locale: Locale): string | null {
    const found = workspace.snapshot().names.rule(id)
    const score = found === undefined ? null : (this.#entryOf(found.document, found.item, workspace.cases)?.score ?? null)
    if (score === null) return null
    const words = WORDS[locale]
    const shown = score.survivors.slice(0, SHOWN).map(({ line, before, after, killer }) => {
      const event = lastEventOf(killer)
      const cut = event.length > EVENT_UNITS ? `${event.slice(0, EVENT_UNITS)}…` : event
      return `*${words.line(line)}*: ${inlineCode(shorten(before))} → ${after === '' ? words.removed : inlineCode(shorten(after))}\n\n${fenced(cut)}`
    })
    const rest = score.survivors.length - shown.length
    return [`**${words.casesOfRule}**: ${scoreText(score, words)}`, ...shown, ...(rest > 0 ? [words.and(rest)] : [])].join('\n\n')
  }

  /** For the rule at a place: the command, where a client has no lens. @param range in the document */
  measureActions(document: ContentDocument, range: Range, locale: Locale): CodeAction[] {
    const rule = ruleAt(document, range)
    if (rule === undefined) return []
    const title = WORDS[locale].measureCasesOf(rule.id)
    return [{ title, kind: MEASURE_ACTION, command: commandFor(document, rule, title) }]
  }

  /** For the rule at a place: the cases that would notice what its cases do not. @param canCreate whether the client can create files */
  addActions(workspace: Workspace, document: ContentDocument, range: Range, canCreate: boolean, locale: Locale): CodeAction[] {
    const rule = ruleAt(document, range)
    const score = rule === undefined ? null : (this.#entryOf(document, rule, workspace.cases)?.score ?? null)
    if (rule === undefined || score === null) return []
    const words = WORDS[locale]
    const byCase = new Map<TestCase, Survivor>()
    // One case may notice several changes.
    for (const survivor of score.survivors) if (!byCase.has(survivor.killer)) byCase.set(survivor.killer, survivor)
    const add = (title: string, cases: readonly TestCase[]): CodeAction[] => {
      const edit = addCases(workspace, rule.id, cases, canCreate)
      return edit === null ? [] : [{ title, kind: CodeActionKind.RefactorRewrite, edit }]
    }
    return [
      ...(byCase.size > 1 ? add(words.addCases(byCase.size), [...byCase.keys()]) : []),
      ...[...byCase.values()].slice(0, SHOWN).flatMap(({ before, after, killer }) => add(words.addCase(shorten(before), after === '' ? words.removed : shorten(after)), [killer])),
    ]
  }

  #entryOf(document: ContentDocument, rule: DefinedRule, cases: readonly CaseText[]): Entry | null {
    const entry = this.#entries.get(rule.id)
    return entry !== undefined && entry.text === textOf(document, rule) && areSameCases(entry.cases, cases) ? entry : null
  }
}

/** Whether the rules of a document can be measured: those of the content. */
function isMeasurable({ kind, scope }: ContentDocument): boolean {
  return kind === 'rules' && scope === 'custom'
}

function ruleAt(document: ContentDocument, { start }: Range): DefinedRule | undefined {
  if (!isMeasurable(document)) return undefined
  const offset = document.positions.offsetAt(start)
  return document.names.rules.find(({ element }) => element.start <= offset && offset <= element.end)
}

function commandFor({ uri }: ContentDocument, { id }: DefinedRule, title: string): Command {
  return { title, command: MEASURE_CASES, arguments: [{ uri, rule: id } satisfies MeasuredRule] }
}

function textOf({ text }: ContentDocument, { element }: DefinedRule): string {
  return text.slice(element.start, element.end)
}

function areSameCases(some: readonly CaseText[], others: readonly CaseText[]): boolean {
  return some === others || (some.length === others.length && some.every(({ uri, text }, at) => others[at].uri === uri && others[at].text === text))
}

function scoreText({ score, killed, survived, unknown }: CaseScore, words: Words): string {
  return words.caseScore(Math.floor(score * 100), survived + unknown, killed + survived + unknown)
}

function describeMeasurement(found: Measurement | null, id: string, cases: readonly CaseText[], words: Words): string {
  const of = (text: string): string => `${words.rule} ${id}: ${text}`
  switch (found?.kind) {
    case 'score':
      return of(scoreText(found, words))
    case 'failing': {
      const line = cases[found.suite]?.cases[found.place]?.line
      const file = cases[found.suite]?.uri.split('/').at(-1) ?? ''
      return of(words.casesFail(found.count, `${file}:${line} ${found.name}`))
    }
    case 'unloadable':
      return of(words.contentUnloadable)
    case 'unloaded':
      return of(words.ruleUnloaded)
    case 'unfinished':
    case undefined:
      return of(words.notMeasured)
  }
}

function lastEventOf({ event_text, events = [] }: TestCase): string {
  return events.at(-1)?.event_text ?? event_text ?? ''
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > CHANGE_UNITS ? `${line.slice(0, CHANGE_UNITS)}…` : line
}
