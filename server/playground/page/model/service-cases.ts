/**
 * The cases of a project of the service: read, followed and saved, each as a record of its own. A case that others change is replaced here if it was not edited here;
 * otherwise what is here stays, and somebody is told before it is saved.
 */
import { isIniCase } from '#engine'
import { type CaseAtHome, changedCases, type Home } from './home.js'
import type { HomePage } from './home-keeper.js'
import { type ServiceClient, ServiceRefusedError } from './service-client.js'
import type { CaseRecord } from './service-records.js'
import { type EditedCase, type EditedEvent, newEvent } from './state.js'
import { readCase } from './written-work.js'

/** A case as the service has it. */
export interface CaseAtService {
  readonly edited: EditedCase
  readonly record: CaseRecord
}

/** The cases of a page after others have saved. */
export interface TakenCases {
  readonly cases: readonly EditedCase[]
  readonly records: ReadonlyMap<number, CaseAtHome>
  /** Whether something is shown that others have saved. */
  readonly isOther: boolean
  /** Names of cases that were changed here and there; what is here stays. */
  readonly both: readonly string[]
}

/** Null: a case that the page cannot run. */
export function toCase(record: CaseRecord): CaseAtService | null {
  const { event_text, events, ...rest } = record as CaseRecord & { readonly event_text?: unknown; readonly events?: unknown }
  const hasEvents = Array.isArray(events) && events.length > 0
  const edited = readCase({ ...rest, ...(hasEvents ? { events } : { event_text }) })
  return edited === null ? null : { edited, record }
}

/** The event with which a case begins, with its expectation; none: it has several. */
export function firstEvent({ testCase }: EditedCase): EditedEvent[] {
  if (isIniCase(testCase)) return []
  const { event_text, log_format, location, expected_rule, expect_no_rule } = testCase
  if (event_text === undefined) return []
  return [newEvent(event_text, { format: log_format ?? 'auto', location: location ?? '', expected: expected_rule ?? (expect_no_rule === true ? '-' : '') })]
}

export function atHome(id: number, { edited, record }: CaseAtService): CaseAtHome {
  return { id: record.id, updatedAt: record.updated_at, read: { ...edited, id } }
}

/** @param theirs all cases of the service that the page can run */
export function takeCases(cases: readonly EditedCase[], records: Home['records'], theirs: readonly CaseAtService[]): TakenCases {
  const ids = new Map(Array.from(records, ([id, known]) => [known.id, id]))
  const left = new Set(records.keys())
  const now = new Map(cases.map((one) => [one.id, one]))
  const next = new Map(records)
  const both: string[] = []
  let isOther = false
  for (const their of theirs) {
    const id = ids.get(their.record.id)
    const known = id === undefined ? undefined : records.get(id)
    if (id !== undefined) left.delete(id)
    if (known?.updatedAt === their.record.updated_at) continue
    const at = id ?? their.edited.id
    const read = atHome(at, their)
    const mine = now.get(at)
    next.set(at, read)
    if (known === undefined || mine === known.read || (mine !== undefined && JSON.stringify(mine.testCase) === JSON.stringify(read.read.testCase))) {
      now.set(at, read.read)
      isOther = true
    } else both.push((mine ?? known.read).testCase.name)
  }
  for (const id of left) {
    const mine = now.get(id)
    next.delete(id)
    if (mine === undefined) continue
    if (mine === records.get(id)?.read) {
      now.delete(id)
      isOther = true
    } else both.push(mine.testCase.name)
  }
  return { cases: [...now.values()], records: next, isOther, both }
}

export class ServiceCases {
  readonly #client: ServiceClient
  readonly #projectId: string
  /** Tag of the cases that were read last. */
  #tag: string

  constructor(client: ServiceClient, projectId: string, tag: string) {
    this.#client = client
    this.#projectId = projectId
    this.#tag = tag
  }

  /** Shows what others have saved. @returns whether it was something. @throws ServiceRefusedError, TypeError */
  async follow(page: HomePage): Promise<boolean> {
    const before = page.state.home?.records
    const tag = await this.#client.casesTag(this.#projectId)
    if (tag === this.#tag) return false
    const theirs = (await this.#client.cases(this.#projectId)).flatMap((record) => toCase(record) ?? [])
    const { home, cases } = page.state
    // What was saved here meanwhile is looked at the next time.
    if (home === null || home.isSaving || home.records !== before) return false
    this.#tag = tag
    const taken = takeCases(cases, home.records, theirs)
    if (taken.isOther) page.takeOver({ files: page.state.files, cases: taken.cases, home: { ...home, records: taken.records } })
    else page.updateHome(() => ({ records: taken.records }))
    if (taken.both.length > 0) page.tellOfCases(taken.both)
    else if (taken.isOther) page.tellOfOthers(false)
    return taken.isOther
  }

  /** Writes what differs. @param reasonOf says why the service has refused @returns what could not be saved */
  async save(page: HomePage, reasonOf: (error: unknown) => string): Promise<{ name: string; reason: string }[]> {
    const failed: { name: string; reason: string }[] = []
    const records = (): Home['records'] => page.state.home?.records ?? new Map()
    const { added, changed, removed } = changedCases(page.state, { records: records() })
    const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
      await work().catch((error: unknown) => {
        failed.push({ name, reason: reasonOf(error) })
      })
    }
    // The same object as that of the page: it is not changed then.
    const wrote = (read: EditedCase, { id, updated_at }: CaseRecord): void =>
      page.updateHome((home) => ({ records: new Map(home.records).set(read.id, { id, updatedAt: updated_at, read }) }))
    for (const one of added)
      await attempt(one.testCase.name, async () => {
        wrote(one, (await this.#client.createCase(this.#projectId, one.testCase)).record)
      })
    for (const one of changed)
      await attempt(one.testCase.name, async () => {
        const { id, etag } = await this.#unchanged(page, records().get(one.id))
        wrote(one, (await this.#client.changeCase(this.#projectId, id, one.testCase, etag)).record)
      })
    for (const id of removed)
      await attempt(records().get(id)?.read.testCase.name ?? '', async () => {
        try {
          await this.#client.deleteCase(this.#projectId, (await this.#unchanged(page, records().get(id))).id)
        } catch (error) {
          if (!(error instanceof ServiceRefusedError) || error.status !== 404) throw error
        }
        page.updateHome((home) => ({ records: new Map([...home.records].filter(([known]) => known !== id)) }))
      })
    return failed
  }

  /** The case at home, if it is the one that was read. */
  async #unchanged(page: HomePage, known: CaseAtHome | undefined): Promise<{ readonly id: string; readonly etag: string }> {
    const { record, etag } = await this.#client.case(this.#projectId, known?.id ?? '')
    if (record.updated_at !== known?.updatedAt) throw new ServiceRefusedError(412, page.words('file_changed'))
    return { id: record.id, etag }
  }
}
