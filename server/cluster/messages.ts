/** The messages between the supervisor and a process that serves. They carry no data of callers. */

export type FromProcess =
  /** It accepts connections. */
  | { readonly kind: 'serving' }
  /** Its threads have compiled the default ruleset. */
  | { readonly kind: 'ready' }
  /** It has taken the connection, which is closed if the process ends now. */
  | { readonly kind: 'taken'; readonly connection: number }
  /** A connection that it has taken is closed. */
  | { readonly kind: 'closed' }

export type FromSupervisor =
  /** A connection, with its socket. */
  | { readonly kind: 'connection'; readonly connection: number }
  /** Every process has been ready once. */
  | { readonly kind: 'all_ready' }
  /** Finish what runs, and end. */
  | { readonly kind: 'stop' }

/** What a process needs before the first message. Environment variables, as the settings are. */
export const VARIABLES = {
  /** Number of the process, from 1. */
  number: 'DETECTION_CONTENT_PROCESS',
  /** Folder of the sockets of `peer-calls.ts` and of the files of sessions. */
  folder: 'DETECTION_CONTENT_SOCKETS',
  /** On which the service listens, `http://host:port`. */
  address: 'DETECTION_CONTENT_ADDRESS',
} as const
