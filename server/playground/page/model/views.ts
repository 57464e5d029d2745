/** What people do with the views of the ruleset: graph, map, matrix, audit, case score and differences. */
import type { GraphFocus } from '../pictures/index.js'
import type { CaseGrading } from './case-grading.js'
import type { PageCore } from './page-core.js'
import { ruleIdAt } from './rule-at.js'
import type { EditedFile, ViewName } from './state.js'

export class Views {
  readonly #page: PageCore

  constructor(page: PageCore) {
    this.#page = page
  }

  /** @param focus null: what was shown last, or else the rule of the answer */
  open(shown: ViewName, focus: GraphFocus | null): void {
    const { views, answers, selectedEvent } = this.#page.state
    const rule = selectedEvent === null ? null : (answers.get(selectedEvent)?.report.rule ?? null)
    this.#page.store.update({ views: { shown, focus: focus ?? views?.focus ?? (rule === null ? null : { kind: 'rule', id: rule.id }) } })
    if (views?.shown !== shown) this.#page.answers.show(shown)
  }

  stopAudit(): void {
    this.#page.answers.stopAudit()
  }

  searchAgain(): void {
    this.#page.answers.differ()
  }

  /** What the cases are worth. */
  get grading(): CaseGrading {
    return this.#page.answers.grading
  }

  goOnWithAudit(): void {
    this.#page.answers.audit()
  }

  close(): void {
    this.#page.answers.stopAudit()
    this.grading.stop()
    this.#page.store.update({ views: null })
  }

  /** Shows the graph around the rule at a place of a file, or of the file where the place is in none. */
  openGraphAt(file: Pick<EditedFile, 'content' | 'filename'>, offset: number): void {
    const id = ruleIdAt(file.content, offset)
    this.open('graph', id === null ? { kind: 'file', filename: file.filename } : { kind: 'rule', id })
  }
}
