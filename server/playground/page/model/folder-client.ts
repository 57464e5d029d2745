/** The requests of `folder-api.ts`, and the secret that they need. */
import type { BaseFile, Folder, FolderFile, FolderIndex, FolderRefusal, FolderRefusalCode, FolderTokenHeader } from '../../folder-api.js'

const HEADER: FolderTokenHeader = 'x-playground-token'
const FRAGMENT = /^#folder=([\w-]+)$/
/** The secret is for this tab alone. */
const KEY = 'detection-content-playground.folder'

/** Takes the secret from the address, or from an earlier load of this tab. Null: the page is not opened on a folder. */
export function takeFolderToken(): string | null {
  const token = FRAGMENT.exec(location.hash)?.[1] ?? null
  try {
    if (token === null) return sessionStorage.getItem(KEY)
    history.replaceState(null, '', location.pathname + location.search)
    sessionStorage.setItem(KEY, token)
  } catch {
    // Without storage the folder is open until the page is loaded again.
  }
  return token
}

export function forgetFolderToken(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // There is nothing to forget.
  }
}

export class FolderRefusedError extends Error {
  readonly code: FolderRefusalCode
  /** The file as it is now; null: it is gone; undefined: the refusal is not about that. */
  readonly current: FolderFile | null | undefined

  constructor({ code, current }: FolderRefusal) {
    super(code)
    this.code = code
    this.current = current
  }
}

/** All methods throw a `FolderRefusedError` for a refusal, and a `TypeError` where nothing answers. */
export class FolderClient {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  async folder(): Promise<Folder> {
    return (await this.#ask('GET', 'folder')) as Folder
  }

  async base(): Promise<readonly BaseFile[]> {
    return (await this.#ask('GET', 'folder/base')) as readonly BaseFile[]
  }

  /** Waits for a change of the folder. Null: there was none for some time. */
  async changes(etag: string, signal: AbortSignal): Promise<FolderIndex | null> {
    return (await this.#ask('GET', 'folder/changes', { headers: { 'If-None-Match': `"${etag}"` }, signal })) as FolderIndex | null
  }

  async read(path: string): Promise<FolderFile> {
    return (await this.#ask('GET', fileAddress(path))) as FolderFile
  }

  async create(path: string, body: string): Promise<FolderFile> {
    return (await this.#ask('POST', fileAddress(path), { body })) as FolderFile
  }

  async save(path: string, body: string, etag: string): Promise<FolderFile> {
    return (await this.#ask('PUT', fileAddress(path), { body, headers: { 'If-Match': `"${etag}"` } })) as FolderFile
  }

  async remove(path: string, etag: string): Promise<void> {
    await this.#ask('DELETE', fileAddress(path), { headers: { 'If-Match': `"${etag}"` } })
  }

  async #ask(
    method: string,
    address: string,
    { headers = {}, ...init }: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<unknown> {
    const response = await fetch(address, { method, ...init, headers: { ...headers, [HEADER]: this.#token }, cache: 'no-store', redirect: 'error' })
    if (response.status === 304 || response.status === 204) return null
    // Another server may be at this address, such as one for the page alone.
    const answer = (await response.json().catch(() => ({ code: 'not_found' }))) as unknown
    if (!response.ok) throw new FolderRefusedError(answer as FolderRefusal)
    return answer
  }
}

function fileAddress(path: string): string {
  return `folder/files/${path.split('/').map(encodeURIComponent).join('/')}`
}
