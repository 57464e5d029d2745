/**
 * The requests to the service from which the page came. The credential is in the memory of the page, and in the storage of its tab only if somebody asks for that.
 * It is never in an address.
 */
import type { Locale } from '#engine'
import { CASES_LIMIT } from '../../worker/limits.js'
import type { CaseRecord, ContentRecord, ImpactRecord, OverviewRecord, ProjectMember, ProjectRecord, ProjectSummary, SessionRecord, WorkspaceRecord } from './service-records.js'

const KEY = 'detection-content-playground.credential'
/** What keys of the service begin with. */
const KEY_PREFIX = 'svk_'
/** Projects that are offered for a search. */
const CHOICES = 20
const PAGE_LIMIT = 200

/** The service that has sent the page, as its page says. */
export interface ServicePlace {
  /** Address of the HTTP interface, with a slash at the end. */
  readonly address: string
  /** Whether its base is the ruleset that the page has. */
  readonly hasReference: boolean
  /** Whether it has content of its own below that of projects. */
  readonly hasCustom: boolean
}

/** Null: another server has sent the page. */
export function findService(): ServicePlace | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="service"]')
  if (meta === null) return null
  const { reference, custom } = meta.dataset
  return { address: new URL(`${meta.content}/`, document.baseURI).href, hasReference: reference === 'true', hasCustom: custom === 'true' }
}

/** The service has refused; it says why in the language of the page. */
export class ServiceRefusedError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

export interface WithTag<T> {
  readonly record: T
  readonly etag: string
}

interface Answer<T> extends WithTag<T> {
  /** Number of the records of a list, on all of its pages; null: the answer is no list. */
  readonly total: string | null
}

interface Sent {
  readonly body?: unknown
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
}

/** All methods throw a `ServiceRefusedError` for a refusal, and a `TypeError` where nothing answers. */
export class ServiceClient {
  readonly place: ServicePlace
  readonly #locale: () => Locale
  /** Null: the session of the browser. */
  #credential: string | null
  #organization: string | null = null

  constructor(place: ServicePlace, locale: () => Locale) {
    this.place = place
    this.#locale = locale
    this.#credential = readKeptCredential()
  }

  get usesCookie(): boolean {
    return this.#credential === null
  }

  /** The organization of the requests; null: that of the credential. */
  get organization(): string | null {
    return this.#organization
  }

  setOrganization(id: string | null): void {
    this.#organization = id
  }

  /** Uses a credential from now on; null: the session of the browser. @param isKept whether the tab remembers it */
  setCredential(credential: string | null, isKept: boolean): void {
    this.#credential = credential
    this.#organization = null
    try {
      if (credential !== null && isKept) sessionStorage.setItem(KEY, credential)
      else sessionStorage.removeItem(KEY)
    } catch {
      // Without storage it lasts as long as the page.
    }
  }

  /** Who the caller is. Null: a key, which is of one organization. */
  async session(): Promise<SessionRecord | null> {
    if (this.#credential?.startsWith(KEY_PREFIX) !== true) return (await this.#ask<SessionRecord>('GET', 'auth/me')).record
    await this.recentProjects()
    return null
  }

  async recentProjects(): Promise<readonly ProjectSummary[]> {
    return (await this.#ask<{ readonly projects: readonly ProjectSummary[] }>('GET', 'platform/dashboard')).record.projects
  }

  async findProjects(search: string): Promise<readonly ProjectSummary[]> {
    return (await this.#ask<readonly ProjectSummary[]>('GET', `platform/projects?sort=name&order=asc&limit=${CHOICES}&search=${encodeURIComponent(search)}`)).record
  }

  async workspaces(projectId: string): Promise<readonly WorkspaceRecord[]> {
    return (await this.#ask<readonly WorkspaceRecord[]>('GET', `${pathOf(projectId)}/workspaces?limit=${PAGE_LIMIT}`)).record
  }

  project(projectId: string): Promise<WithTag<ProjectRecord>> {
    return this.#ask('GET', pathOf(projectId))
  }

  /** @param workspaceId null: the content of the project itself */
  content(projectId: string, workspaceId: string | null): Promise<WithTag<ProjectRecord | WorkspaceRecord>> {
    return this.#ask('GET', pathOf(projectId, workspaceId))
  }

  /** The same if it is another one than that of a tag; null: it is that one. */
  async changedContent(projectId: string, workspaceId: string | null, etag: string): Promise<WithTag<ProjectRecord | WorkspaceRecord> | null> {
    const answer = await this.#ask<ProjectRecord | WorkspaceRecord | null>('GET', pathOf(projectId, workspaceId), { ifNoneMatch: etag })
    return answer.record === null ? null : { record: answer.record, etag: answer.etag }
  }

  save(projectId: string, workspaceId: string | null, change: Partial<ContentRecord>, etag: string): Promise<WithTag<ContentRecord>> {
    return this.#ask('PATCH', pathOf(projectId, workspaceId), { body: change, ifMatch: etag })
  }

  /** As many cases as the page has room for. */
  async cases(projectId: string): Promise<readonly CaseRecord[]> {
    const found: CaseRecord[] = []
    for (;;) {
      const { record } = await this.#ask<readonly CaseRecord[]>('GET', `${pathOf(projectId)}/cases?sort=created_at&order=asc&limit=${PAGE_LIMIT}&offset=${found.length}`)
      found.push(...record)
      if (record.length < PAGE_LIMIT || found.length >= CASES_LIMIT) return found.slice(0, CASES_LIMIT)
    }
  }

  /** Differs as soon as a case is added, changed or removed: it has their number and the newest change. */
  async casesTag(projectId: string): Promise<string> {
    const { record, total } = await this.#ask<readonly CaseRecord[]>('GET', `${pathOf(projectId)}/cases?sort=updated_at&order=desc&limit=1`)
    return [total, ...record.map(({ id, updated_at }) => `${id} ${updated_at}`)].join(' ')
  }

  case(projectId: string, id: string): Promise<WithTag<CaseRecord>> {
    return this.#ask('GET', `${pathOf(projectId)}/cases/${encodeURIComponent(id)}`)
  }

  createCase(projectId: string, testCase: object): Promise<WithTag<CaseRecord>> {
    return this.#ask('POST', `${pathOf(projectId)}/cases`, { body: testCase })
  }

  changeCase(projectId: string, id: string, change: object, etag: string): Promise<WithTag<CaseRecord>> {
    return this.#ask('PATCH', `${pathOf(projectId)}/cases/${encodeURIComponent(id)}`, { body: change, ifMatch: etag })
  }

  async deleteCase(projectId: string, id: string): Promise<void> {
    await this.#ask('DELETE', `${pathOf(projectId)}/cases/${encodeURIComponent(id)}`)
  }

  async members(projectId: string): Promise<readonly ProjectMember[]> {
    return (await this.#ask<readonly ProjectMember[]>('GET', `${pathOf(projectId)}/members?limit=${PAGE_LIMIT}`)).record
  }

  async overview(projectId: string): Promise<OverviewRecord> {
    return (await this.#ask<OverviewRecord>('GET', `${pathOf(projectId)}/overview`)).record
  }

  async impact(projectId: string, workspaceId: string): Promise<ImpactRecord> {
    return (await this.#ask<ImpactRecord>('POST', `${pathOf(projectId)}/impact/${encodeURIComponent(workspaceId)}`)).record
  }

  reportAddress(projectId: string): string | null {
    // A link sends the cookie alone, for the organization of the session.
    return this.usesCookie && this.#organization === null ? `${this.place.address}${pathOf(projectId)}/report` : null
  }

  async #ask<T>(method: string, path: string, { body, ifMatch, ifNoneMatch }: Sent = {}): Promise<Answer<T>> {
    const credential = this.#credential
    const response = await fetch(this.place.address + path, {
      method,
      cache: 'no-store',
      redirect: 'error',
      // With a credential of its own the page does not act for the session of the browser.
      credentials: credential === null ? 'same-origin' : 'omit',
      headers: {
        Accept: 'application/json',
        'x-locale': this.#locale(),
        ...(credential === null ? {} : credential.startsWith(KEY_PREFIX) ? { 'X-API-Key': credential } : { Authorization: `Bearer ${credential}` }),
        ...(this.#organization === null ? {} : { 'X-Org-Id': this.#organization }),
        ...(ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` }),
        ...(ifNoneMatch === undefined ? {} : { 'If-None-Match': `"${ifNoneMatch}"` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const isEmpty = response.status === 204 || response.status === 304
    const answer = (isEmpty ? null : await response.json().catch(() => null)) as unknown
    if (!response.ok && !isEmpty) throw new ServiceRefusedError(response.status, messageOf(answer) ?? String(response.status))
    const { headers } = response
    return { record: answer as T, etag: /"([^"]*)"/.exec(headers.get('ETag') ?? '')?.[1] ?? '', total: headers.get('X-Total-Count') }
  }
}

function pathOf(projectId: string, workspaceId: string | null = null): string {
  const project = `platform/projects/${encodeURIComponent(projectId)}`
  return workspaceId === null ? project : `${project}/workspaces/${encodeURIComponent(workspaceId)}`
}

function messageOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null || !('message' in answer) || typeof answer.message !== 'string') return null
  return 'hint' in answer && typeof answer.hint === 'string' && answer.hint !== '' ? `${answer.message} ${answer.hint}` : answer.message
}

function readKeptCredential(): string | null {
  try {
    return sessionStorage.getItem(KEY)
  } catch {
    return null
  }
}
