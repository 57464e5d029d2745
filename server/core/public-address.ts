/**
 * The public addresses of the service. Links in mail, on pages and in the log are built from these, never from request headers. Settings take precedence over
 * the address at which the service listens.
 */
import type { Config } from './config.js'

const API_PATH = '/api/v1'
/** Wildcard addresses can't be opened; `localhost` can, on the machine itself. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])
const LOCALHOST = 'localhost'

export class PublicAddress {
  readonly #config: Pick<Config, 'publicBaseUrl' | 'apiPublicBaseUrl'>
  #listening: string

  constructor(config: Pick<Config, 'host' | 'port' | 'publicBaseUrl' | 'apiPublicBaseUrl'>) {
    this.#config = config
    this.#listening = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`
  }

  /** Called when the service listens: the system may have chosen the port. @param url `http://host:port` */
  listensAt(url: string): void {
    this.#listening = url
  }

  /** Whether the operator has set an address; otherwise links work on this machine or network only. */
  get isSet(): boolean {
    return this.#config.publicBaseUrl !== null || this.#config.apiPublicBaseUrl !== null
  }

  /** Base address of the pages that mails link to, without a trailing slash: this service, or a front end at `PUBLIC_BASE_URL` with pages at the same paths. */
  get pages(): string {
    return this.#config.publicBaseUrl ?? this.own
  }

  /** Base address of this service, without a trailing slash. */
  get own(): string {
    const { apiPublicBaseUrl: api } = this.#config
    if (api === null) return this.#config.publicBaseUrl ?? this.local
    return api.endsWith(API_PATH) ? api.slice(0, -API_PATH.length) : new URL(api).origin
  }

  /** Base address of the interface, without a trailing slash. */
  get api(): string {
    return this.#config.apiPublicBaseUrl ?? `${this.own}${API_PATH}`
  }

  /** Address at which the service listens, without a trailing slash; `localhost` for a wildcard address. */
  get local(): string {
    const url = new URL(this.#listening)
    if (WILDCARDS.has(url.hostname)) url.hostname = LOCALHOST
    return url.origin
  }
}
