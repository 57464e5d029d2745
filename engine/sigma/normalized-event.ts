/**
 * How the texts and fields of an event are named in the rules that are written, and an event under these names. Wazuh 5 normalizes events into its Common Schema, which is
 * based on the Elastic Common Schema; which field of a log becomes which is decided by its decoders. These names are therefore an assumption, and the only one of them.
 */
import type { Event } from '../event/event.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { describeFields } from '../logtest/describe-outcome.js'
import { fromByteString } from '../source/byte-string.js'

/** Names of texts and static fields; dynamic fields keep theirs. */
export const NORMALIZED_NAMES = {
  log: 'message',
  program_name: 'process.name',
  hostname: 'host.hostname',
  location: 'log.file.path',
  srcip: 'source.ip',
  dstip: 'destination.ip',
  srcport: 'source.port',
  dstport: 'destination.port',
  protocol: 'network.transport',
  action: 'event.action',
  srcuser: 'user.name',
  dstuser: 'user.target.name',
  id: 'event.code',
  status: 'event.outcome',
  url: 'url.original',
  data: 'data',
  extra_data: 'extra_data',
  system_name: 'host.name',
} as const satisfies Readonly<Record<'log' | 'program_name' | 'hostname' | 'location' | (typeof STATIC_FIELDS)[number], string>>

/** The field whose values are counted apart: the agent. */
export const AGENT_FIELD = 'wazuh.agent.id'

/** Where a rule looks, and what an event is: a category and a decoder of Wazuh 4. */
export interface LogSource {
  readonly category: string
  /** Absent: any decoder. */
  readonly service?: string
}

export interface NormalizedEvent {
  readonly logsource: LogSource
  readonly fields: Readonly<Record<string, string>>
}

export function normalizedEvent(event: Event): NormalizedEvent {
  const fields: Record<string, string> = { [NORMALIZED_NAMES.log]: fromByteString(event.log), [NORMALIZED_NAMES.location]: fromByteString(event.location) }
  if (event.programName !== undefined) fields[NORMALIZED_NAMES.program_name] = fromByteString(event.programName)
  if (event.hostname !== undefined) fields[NORMALIZED_NAMES.hostname] = fromByteString(event.hostname)
  const statics: ReadonlySet<string> = new Set(STATIC_FIELDS)
  for (const [name, value] of Object.entries(describeFields(event))) fields[statics.has(name) ? NORMALIZED_NAMES[name as keyof typeof NORMALIZED_NAMES] : name] ??= value
  return { logsource: { category: event.type, ...(event.decoder === null ? {} : { service: sourceName(fromByteString(event.decoder.name)) }) }, fields }
}

/** Values of log sources are in lower case and without blanks. */
export function sourceName(name: string): string {
  return name.toLowerCase().replaceAll(' ', '_')
}
