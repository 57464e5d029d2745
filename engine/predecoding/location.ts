/** The origin of an event: `[001] (web01) 10.0.0.5->/var/log/auth.log` or a plain path (BEHAVIOUR.md#location). */
export interface Origin {
  readonly location: string
  readonly agentId: string
  /** For agents: the agent's name, which replaces the header's host ('' if it has none). Undefined for local events. */
  readonly agentName: string | undefined
}

/** The location of events in `wazuh-logtest`. */
export const DEFAULT_LOCATION = 'stdin'

/** Returns null for `[` without `]`, which the reference engine rejects. @param location a byte string, not escaped */
export function readLocation(location: string): Origin | null {
  if (!location.startsWith('[')) return { location, agentId: '000', agentName: undefined }
  const close = location.indexOf(']')
  if (close < 0) return null
  const rest = location.slice(close + 2)
  let agentName = ''
  if (rest.startsWith('(')) {
    const end = rest.indexOf(')')
    if (end >= 0) agentName = rest.slice(1, end)
  }
  return { location: rest, agentId: location.slice(1, close), agentName }
}
