/**
 * Where people and programs find the service: links in mail, on pages and in the log are made of this, never of what a request says of its host. Invariant:
 * what the operator has set comes first, then what the service knows of itself.
 */
import type { Config } from './config.js'

const API_PATH = '/api/v1'
/** Addresses of every interface of the machine are no address of one; on the machine itself this one leads to it. */
const ANY_INTERFACE: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])
const THIS_MACHINE = 'localhost'

export class PublicAddress {
  readonly #config: Pick<Config, 'publicBaseUrl' | 'apiPublicBaseUrl'>
  #listening: string

  constructor(config: Pick<Config, 'host' | 'port' | 'publicBaseUrl' | 'apiPublicBaseUrl'>) {
    this.#config = config
    this.#listening = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`
  }

  /** Told once the service listens: its port may have been chosen by the system. @param url `http://host:port` */
  listensAt(url: string): void {
    this.#listening = url
  }

  /** Whether the operator has set it; what is known without that leads to this machine, or network, alone. */
  get isSet(): boolean {
    return this.#config.publicBaseUrl !== null || this.#config.apiPublicBaseUrl !== null
  }

  /** Of the pages that mails link to, without a slash at its end: those of this service, or of a front end at `PUBLIC_BASE_URL` that has pages of its own at the same paths. */
  get pages(): string {
    return this.#config.publicBaseUrl ?? this.own
  }

  /** Of this service, without a slash at its end. */
  get own(): string {
    const { apiPublicBaseUrl: api } = this.#config
    if (api === null) return this.#config.publicBaseUrl ?? this.local
    return api.endsWith(API_PATH) ? api.slice(0, -API_PATH.length) : new URL(api).origin
  }

  /** Of the interface, without a slash at its end. */
  get api(): string {
    return this.#config.apiPublicBaseUrl ?? `${this.own}${API_PATH}`
  }

  /** Of this service for who is on its machine or, where it listens to one, in its network. */
  get local(): string {
    const url = new URL(this.#listening)
    if (ANY_INTERFACE.has(url.hostname)) url.hostname = THIS_MACHINE
    return url.origin
  }
}
