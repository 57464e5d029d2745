/** A project or a workspace of the service as the home of the content. Its texts are one record with one tag; each case has its own. */
import type { FileKind } from '#engine'
import { type Home, type HomeFile, homeFile, unsavedOf } from './home.js'
import { type HomeKeeper, type HomePage, NO_PAGE, type SaveResult } from './home-keeper.js'
import { type Found, prepare, type Parts, takeOver } from './home-sync.js'
import { withOwnLineEnds } from './line-ends.js'
import { atHome, firstEvent, ServiceCases, toCase } from './service-cases.js'
import { type ServiceClient, ServiceRefusedError, type WithTag } from './service-client.js'
import type { ContentRecord, ProjectRecord, ServiceFacts, SessionRecord, WorkspaceRecord } from './service-records.js'
import type { EditedEvent } from './state.js'

/** Names of the files in diagnostics of the service. */
const RULES_FILE = 'project_rules.xml'
const DECODERS_FILE = 'project_decoders.xml'
/** Roles that may write, in an organization or a project. Others may be added by the service, and then a save tells. */
const READING_ROLES: ReadonlySet<string> = new Set(['reviewer', 'read_only'])
/** Events of cases that a project without an event opens with. */
const FIRST_EVENTS = 8
/** A field of the record that somebody else changes at the same moment is merged and sent again, so often. */
const ATTEMPTS = 3
/** Between two looks at what others have saved, while somebody looks at the page. */
const LOOK_MS = 30_000

export interface ReadContent {
  readonly keeper: ServiceHome
  readonly taken: Parts
  readonly base: 'none' | null
  /** Text of events; empty: there is none. */
  readonly eventText: string
  readonly events: readonly EditedEvent[]
}

/** @param session null: a key @param workspaceId null: the content of the project itself @throws ServiceRefusedError, TypeError */
export async function readContent(client: ServiceClient, session: SessionRecord | null, projectId: string, workspaceId: string | null): Promise<ReadContent> {
  const { record: project, etag: projectTag } = await client.project(projectId)
  const { record, etag } = workspaceId === null ? { record: project, etag: projectTag } : await client.content(projectId, workspaceId)
  // What is saved between both is seen by the next look.
  const casesTag = await client.casesTag(projectId)
  const cases = (await client.cases(projectId)).flatMap((one) => toCase(one) ?? [])
  const home: Home = {
    kind: workspaceId === null ? 'project' : 'workspace',
    name: workspaceId === null ? project.name : `${project.name} / ${record.name}`,
    isReadOnly: isReadOnlyRecord(project) || isReadOnlyRecord(record) || !(await mayWrite(client, session, projectId)),
    fault: null,
    isSaving: false,
    files: new Map(),
    suites: new Map(),
    conflicts: new Map(),
    leftOut: [],
    records: new Map(cases.map((one) => [one.edited.id, atHome(one.edited.id, one)])),
    service: factsOf(client, record, projectId, workspaceId),
  }
  const edited = Array.from(home.records.values(), ({ read }) => read)
  const found = filesOf(record).map((file): Found => ({ path: file.path, file }))
  const eventText = 'event_text' in record ? record.event_text : ''
  return {
    keeper: new ServiceHome(client, projectId, workspaceId, etag, casesTag),
    taken: takeOver({ files: [], cases: edited, home }, prepare({ home, cases: edited }, found)),
    base: record.include_disk_defaults ? null : 'none',
    eventText,
    events: eventText === '' ? edited.flatMap(firstEvent).slice(0, FIRST_EVENTS) : [],
  }
}

export class ServiceHome implements HomeKeeper {
  readonly #client: ServiceClient
  readonly #projectId: string
  readonly #workspaceId: string | null
  readonly #cases: ServiceCases
  #etag: string
  #page: HomePage = NO_PAGE
  #looking: ReturnType<typeof setInterval> | null = null

  /** @param etag of the content that was read @param casesTag of its cases */
  constructor(client: ServiceClient, projectId: string, workspaceId: string | null, etag: string, casesTag: string) {
    this.#client = client
    this.#projectId = projectId
    this.#workspaceId = workspaceId
    this.#etag = etag
    this.#cases = new ServiceCases(client, projectId, casesTag)
  }

  begin(page: HomePage): void {
    this.#page = page
    void this.#measure()
    this.#looking = setInterval(this.#look, LOOK_MS)
    addEventListener('focus', this.#look)
  }

  close(): void {
    this.#page = NO_PAGE
    if (this.#looking !== null) clearInterval(this.#looking)
    removeEventListener('focus', this.#look)
  }

  async save(): Promise<SaveResult> {
    if (this.#home.conflicts.size > 0) return { failed: [], hasConflicts: true }
    const failed: { name: string; reason: string }[] = []
    let hasConflicts = false
    try {
      hasConflicts = !(await this.#saveContent())
    } catch (error) {
      failed.push({ name: this.#home.name, reason: this.#reasonOf(error) })
    }
    if (failed.length === 0) failed.push(...(await this.#cases.save(this.#page, (error) => this.#reasonOf(error))))
    this.#updateFacts({ impact: null })
    void this.#measure()
    return { failed, hasConflicts }
  }

  /** Compares the workspace, as it was saved last, with its project. */
  async compare(): Promise<void> {
    if (this.#workspaceId === null) return
    this.#updateFacts({ isComparing: true })
    try {
      this.#updateFacts({ impact: await this.#client.impact(this.#projectId, this.#workspaceId) })
    } catch (error) {
      this.#page.tell(this.#reasonOf(error))
    } finally {
      this.#updateFacts({ isComparing: false })
    }
  }

  get #home(): Home {
    return this.#page.state.home as Home
  }

  #updateFacts(facts: Partial<ServiceFacts>): void {
    this.#page.updateHome(({ service }) => ({ service: service === null ? null : { ...service, ...facts } }))
  }

  /** The gate of the project. Without it the page works as well. */
  async #measure(): Promise<void> {
    try {
      const { quality_score, quality_gate_result } = await this.#client.overview(this.#projectId)
      this.#updateFacts({ gate: { state: quality_gate_result.state, score: quality_score, failed: quality_gate_result.failed_rules.length } })
    } catch (error) {
      if (!(error instanceof ServiceRefusedError) && !(error instanceof TypeError)) throw error
      this.#updateFacts({ gate: null })
    }
  }

  /** @returns false: what others have saved meanwhile must be merged first */
  async #saveContent(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { state } = this.#page
      const change = changeOf(state.files, this.#home)
      if (change === null) return true
      try {
        const { record, etag } = await this.#client.save(this.#projectId, this.#workspaceId, change, this.#etag)
        this.#etag = etag
        this.#wrote(record, state.files)
        return true
      } catch (error) {
        if (!(error instanceof ServiceRefusedError) || (error.status !== 412 && error.status !== 409)) throw error
        // The refusal may be about something else, such as an archived project.
        if (!(await this.#takeTheirs())) throw error
        if (this.#home.conflicts.size > 0) return false
      }
    }
    return true
  }

  /** What was sent is at home now. */
  #wrote(record: ContentRecord, sent: HomePage['state']['files']): void {
    const files = new Map<number, HomeFile>()
    for (const file of filesOf(record)) {
      const known = sent.find((one) => one.kind === file.kind && one.filename === file.filename)
      if (known !== undefined) files.set(known.id, file)
    }
    this.#page.updateHome(() => ({ files }))
  }

  /** Takes over what others have saved, and says so. What is not answered now is learned by the next look, or by a save. */
  readonly #look = (): void => {
    if (document.visibilityState !== 'visible' || this.#home.isSaving) return
    void this.#followOthers().catch(() => undefined)
  }

  async #followOthers(): Promise<void> {
    const page = this.#page
    const etag = this.#etag
    const isBusy = (): boolean => page !== this.#page || etag !== this.#etag || this.#home.isSaving
    const found = await this.#client.changedContent(this.#projectId, this.#workspaceId, etag)
    if (isBusy()) return
    let isOther = false
    if (found !== null) {
      const { files, conflicts } = this.#home
      this.#take(found)
      isOther = conflicts.size !== this.#home.conflicts.size || [...this.#home.files].some(([id, { etag }]) => files.get(id)?.etag !== etag)
      if (isOther) page.tellOfOthers(this.#home.conflicts.size > 0)
    }
    if (await this.#cases.follow(page)) isOther = true
    if (!isOther || page !== this.#page) return
    this.#updateFacts({ impact: null })
    await this.#measure()
  }

  /** @returns whether the record has changed */
  async #takeTheirs(): Promise<boolean> {
    const found = await this.#client.content(this.#projectId, this.#workspaceId)
    if (found.etag === this.#etag) return false
    this.#take(found)
    return true
  }

  #take({ record, etag }: WithTag<ContentRecord>): void {
    this.#etag = etag
    const theirs = filesOf(record).map((file): Found => ({ path: file.path, file }))
    const paths = new Set(theirs.map(({ path }) => path))
    const gone = [...this.#home.files.values()].filter(({ path }) => !paths.has(path)).map(({ path }): Found => ({ path, file: null }))
    const prepared = prepare({ home: this.#home, cases: this.#page.state.cases }, [...theirs, ...gone])
    this.#page.takeOver(takeOver({ ...this.#page.state, home: this.#home }, prepared))
  }

  #reasonOf(error: unknown): string {
    if (error instanceof TypeError) return this.#page.words('unreachable')
    if (!(error instanceof ServiceRefusedError)) throw error
    if (error.status === 401) this.#page.signIn()
    return error.message
  }
}

/** The fields that differ from home; null: none. */
function changeOf(files: HomePage['state']['files'], home: Home): Partial<ContentRecord> | null {
  const kinds = new Set<FileKind>()
  const kindOf = new Map([...files.map(({ id, kind }) => [id, kind] as const), ...Array.from(home.files, ([id, { kind }]) => [id, kind as FileKind] as const)])
  for (const { id } of unsavedOf({ files, cases: [] }, home)) {
    const kind = kindOf.get(id)
    if (kind !== undefined) kinds.add(kind)
  }
  if (kinds.size === 0) return null
  const written = (id: number, content: string): string => withOwnLineEnds(home.files.get(id)?.written ?? '', content)
  const textOf = (kind: FileKind): string => {
    const file = files.find((one) => one.kind === kind)
    return file === undefined ? '' : written(file.id, file.content)
  }
  return {
    ...(kinds.has('rules') ? { rules_xml: textOf('rules') } : {}),
    ...(kinds.has('decoders') ? { decoders_xml: textOf('decoders') } : {}),
    ...(kinds.has('lists') ? { lists: files.filter(({ kind }) => kind === 'lists').map(({ id, filename, content }) => ({ name: filename, content: written(id, content) })) } : {}),
  }
}

/** The texts of a record as files. A text is its own tag. */
function filesOf({ rules_xml, decoders_xml, lists }: ContentRecord): HomeFile[] {
  const file = (kind: FileKind, filename: string, written: string): HomeFile => homeFile({ kind, path: `${kind}/${filename}`, filename, written, etag: written, isReadOnly: false })
  return [file('rules', RULES_FILE, rules_xml), file('decoders', DECODERS_FILE, decoders_xml), ...lists.map(({ name, content }) => file('lists', name, content))]
}

function factsOf(client: ServiceClient, record: ContentRecord, projectId: string, workspaceId: string | null): ServiceFacts {
  const { include_disk_defaults, include_disk_custom } = record
  const { place } = client
  const isOther = (include_disk_defaults && !place.hasReference) || (include_disk_custom && place.hasCustom)
  return {
    projectId,
    workspaceId,
    base: isOther ? 'other' : include_disk_defaults ? 'reference' : 'none',
    gate: null,
    impact: null,
    isComparing: false,
    report: client.reportAddress(projectId),
  }
}

function isReadOnlyRecord(record: ProjectRecord | WorkspaceRecord): boolean {
  return ('is_read_only' in record && record.is_read_only) || ('status' in record && record.status !== 'open')
}

/** Whether the caller may write, as far as roles say; what they do not say, a save does. */
async function mayWrite(client: ServiceClient, session: SessionRecord | null, projectId: string): Promise<boolean> {
  if (session === null || session.user.is_platform_admin) return true
  const organization = session.organizations.find(({ id }) => id === (client.organization ?? session.current_organization?.id))
  if (organization === undefined || organization.role === null || !READING_ROLES.has(organization.role)) return true
  const members = await client.members(projectId)
  return members.some(({ user_id, role }) => user_id === session.user.id && !READING_ROLES.has(role))
}
