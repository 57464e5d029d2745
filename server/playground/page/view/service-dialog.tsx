/** Opens content of the service: who one is, the organization, the project, and what of it. Loaded late. */
import { useEffect, useState } from 'preact/hooks'
import { type ServiceClient, ServiceRefusedError } from '../model/service-client.js'
import { readContent } from '../model/service-home.js'
import type { ProjectSummary, SessionRecord, WorkspaceRecord } from '../model/service-records.js'
import { Dialog } from './dialog.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'

interface ServiceDialogProps extends Props {
  readonly client: ServiceClient
  readonly onClose: () => void
}

/** `asking`: not known yet. `unknown`: a credential is needed. */
type Caller = { readonly state: 'asking' } | { readonly state: 'unknown'; readonly fault: string | null } | { readonly state: 'known'; readonly session: SessionRecord | null }

export function ServiceDialog(props: ServiceDialogProps) {
  const { page, texts, client, onClose } = props
  const { service: words, actions } = texts
  const [caller, setCaller] = useState<Caller>({ state: 'asking' })
  const ask = async (isFirst: boolean): Promise<void> => {
    setCaller({ state: 'asking' })
    try {
      setCaller({ state: 'known', session: await client.session() })
    } catch (error) {
      setCaller({ state: 'unknown', fault: isFirst && error instanceof ServiceRefusedError && error.status === 401 ? null : reasonOf(error, page) })
    }
  }
  useEffect(() => void ask(true), [])
  return (
    <Dialog title={words.title} closeLabel={actions.close} onClose={onClose}>
      {caller.state === 'asking' && <p class="muted">{words.asking}</p>}
      {caller.state === 'unknown' && <SignIn {...props} fault={caller.fault} onSignIn={() => void ask(false)} />}
      {caller.state === 'known' && (
        <Chooser
          {...props}
          session={caller.session}
          onSignOut={() => {
            client.setCredential(null, false)
            setCaller({ state: 'unknown', fault: null })
          }}
        />
      )}
    </Dialog>
  )
}

function SignIn({ texts, client, fault, onSignIn }: ServiceDialogProps & { readonly fault: string | null; readonly onSignIn: () => void }) {
  const { service: words } = texts
  const [credential, setCredential] = useState('')
  const [isKept, setKept] = useState(false)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        client.setCredential(credential.trim(), isKept)
        onSignIn()
      }}
    >
      <p>{words.signInHelp}</p>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <label class="field">
        {words.credential}
        <input type="password" class="credential" autocomplete="off" required value={credential} onInput={({ currentTarget: { value } }) => setCredential(value)} />
      </label>
      <label class="check">
        <input type="checkbox" checked={isKept} onChange={({ currentTarget: { checked } }) => setKept(checked)} />
        <span>
          {words.keep}
          <span class="hint">{words.keepHelp}</span>
        </span>
      </label>
      <div class="dialog-actions">
        <button type="submit" class="button primary" disabled={credential.trim() === ''}>
          {words.signIn}
        </button>
      </div>
    </form>
  )
}

interface ChooserProps extends ServiceDialogProps {
  readonly session: SessionRecord | null
  readonly onSignOut: () => void
}

function Chooser({ page, state, texts, client, session, onClose, onSignOut }: ChooserProps) {
  const { service: words } = texts
  const [organization, setOrganization] = useState(client.organization ?? session?.current_organization?.id ?? '')
  const [search, setSearch] = useState('')
  const [projects, setProjects] = useState<readonly ProjectSummary[] | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isOpening, setOpening] = useState(false)
  useEffect(() => {
    let isNewest = true
    const find = search.trim() === '' ? client.recentProjects() : client.findProjects(search.trim())
    find.then(
      (found) => {
        if (!isNewest) return
        setFault(null)
        setProjects(found)
      },
      (error: unknown) => {
        if (isNewest) setFault(reasonOf(error, page))
      },
    )
    return () => {
      isNewest = false
    }
  }, [organization, search])
  const open = async (projectId: string, workspaceId: string | null): Promise<void> => {
    if (page.home.hasUnsaved && !confirm(texts.home.leave)) return
    setOpening(true)
    try {
      const { keeper, taken, base, eventText, events } = await readContent(client, session, projectId, workspaceId)
      page.home.enter(keeper, taken, base, { events, session: false, now: null })
      void page.events.add(eventText)
      onClose()
    } catch (error) {
      setFault(reasonOf(error, page))
      setOpening(false)
    }
  }
  return (
    <>
      {session !== null && session.organizations.length > 1 && (
        <label class="field">
          {words.organization}
          <select
            value={organization}
            onChange={({ currentTarget: { value } }) => {
              client.setOrganization(value === session.current_organization?.id ? null : value)
              setOrganization(value)
              setProjects(null)
              setChosen(null)
            }}
          >
            {session.organizations.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <input
        type="search"
        class="project-search"
        placeholder={words.search}
        aria-label={words.search}
        value={search}
        onInput={({ currentTarget: { value } }) => setSearch(value)}
      />
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {projects === null && fault === null && <p class="muted">{words.asking}</p>}
      {projects?.length === 0 && <p class="muted">{words.noProjects}</p>}
      <ul class="projects" aria-busy={isOpening}>
        {projects?.map((project) => (
          <li key={project.id} class="project">
            <button type="button" class="project-name" aria-expanded={chosen === project.id} onClick={() => setChosen(chosen === project.id ? null : project.id)}>
              <span>{project.name}</span>
              <span class="muted">{words.counts(project.case_count, project.workspace_count)}</span>
              <Icon name="down" />
            </button>
            {chosen === project.id && <Contents texts={texts} client={client} page={page} state={state} project={project} isDisabled={isOpening} onOpen={open} />}
          </li>
        ))}
      </ul>
      {!client.usesCookie && (
        <p class="hint">
          <button type="button" class="link-button" onClick={onSignOut}>
            {words.signOut}
          </button>
        </p>
      )}
    </>
  )
}

interface ContentsProps extends Props {
  readonly client: ServiceClient
  readonly project: ProjectSummary
  readonly isDisabled: boolean
  readonly onOpen: (projectId: string, workspaceId: string | null) => Promise<void>
}

function Contents({ page, state, texts, client, project, isDisabled, onOpen }: ContentsProps) {
  const { service: words } = texts
  const [workspaces, setWorkspaces] = useState<readonly WorkspaceRecord[] | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => {
    client.workspaces(project.id).then(setWorkspaces, (error: unknown) => setFault(reasonOf(error, page)))
  }, [project.id])
  const date = (written: string): string => new Date(written).toLocaleDateString(state.locale)
  return (
    <ul class="contents">
      <li>
        <button type="button" class="content-name" disabled={isDisabled} onClick={() => void onOpen(project.id, null)}>
          <span>{words.itself}</span>
          <span class="muted">{date(project.updated_at)}</span>
        </button>
      </li>
      {fault !== null && <li class="fault">{fault}</li>}
      {workspaces === null && fault === null && <li class="muted">{words.asking}</li>}
      {workspaces?.map(({ id, name, updated_at }) => (
        <li key={id}>
          <button type="button" class="content-name" disabled={isDisabled} onClick={() => void onOpen(project.id, id)}>
            <span>{words.workspace(name)}</span>
            <span class="muted">{date(updated_at)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function reasonOf(error: unknown, { texts }: Props['page']): string {
  if (error instanceof ServiceRefusedError) return error.message
  if (error instanceof TypeError) return texts.service.unreachable
  throw error
}
