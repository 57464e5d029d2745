/** Schemas of analysis requests, declared once: threads and routes validate with them, and the OpenAPI document contains them. */
import type { XStatic } from 'typebox/schema'
import { FILE_KINDS, LOG_FORMATS } from '#engine-data'
import { EVENT_BYTES, FILES_LIMIT, LOCATION_CHARACTERS, SELECT_CHARACTERS, SESSION_ID_CHARACTERS } from './event-limits.js'

const FILENAME_CHARACTERS = 255

/** What is written here is JSON Schema, without the builder of the routes: threads and the command line load this file, and the builder is 370 modules. */
const closed = { additionalProperties: false } as const

export const EXAMPLE_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
export const EXAMPLE_FILE = {
  filename: 'local_rules.xml',
  kind: 'rules',
  scope: 'adhoc',
  content:
    '<group name="local,">\n  <rule id="100100" level="7">\n    <if_sid>5760</if_sid>\n    <user>root</user>\n    <description>sshd: failed login of root.</description>\n  </rule>\n</group>',
} as const
export const EXAMPLE_EVENT = 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2'

const VALIDATION_FILE = {
  type: 'object',
  required: ['filename', 'kind', 'content'],
  properties: {
    filename: {
      type: 'string',
      minLength: 1,
      maxLength: FILENAME_CHARACTERS,
      description:
        'Name used in diagnostics. Files load in the order of their names, as in Wazuh. The name of a list is the path by which rules name it, such as `etc/lists/bad-ips`, without `.cdb`; the list replaces a list of that name on disk, and if several lists have one name, the last is used.',
      examples: ['local_rules.xml'],
    },
    kind: { enum: FILE_KINDS, description: 'What is in the file.' },
    scope: {
      enum: ['default', 'custom', 'adhoc'],
      default: 'adhoc',
      description: '`adhoc` for content of the caller. Diagnostics of files sent as `default` count as those of reference content.',
    },
    content: {
      type: 'string',
      description: "The file's text: rules and decoders in Wazuh's XML dialect, lists in lines of `key:value` or `key:`.",
      examples: [EXAMPLE_FILE.content],
    },
  },
  ...closed,
  description: 'A file of rules or decoders, or a list, inline.',
} as const

const RULESET_FIELDS = {
  include_disk_defaults: { type: 'boolean', default: true, description: 'Include the reference rules and decoders of the server.' },
  include_disk_custom: { type: 'boolean', default: true, description: "Include the instance's custom content." },
  files: { type: 'array', items: VALIDATION_FILE, default: [], maxItems: FILES_LIMIT, description: 'Content of the caller, on top of what is on disk; 8 MB together.' },
} as const

export const VALIDATION_REQUEST = { type: 'object', properties: RULESET_FIELDS, ...closed, description: 'A ruleset to compile and check.' } as const

const INPUT_FIELDS = {
  event: { type: 'string', minLength: 1, maxLength: EVENT_BYTES, description: 'The log, 1 byte to 8 MB of UTF-8.', examples: [EXAMPLE_EVENT] },
  log_format: { enum: LOG_FORMATS, default: 'auto', description: 'What kind of log it is. `auto`: found out by its text.' },
  location: {
    type: 'string',
    maxLength: LOCATION_CHARACTERS,
    description: 'Where the log comes from, for decoders that look at it. Absent or empty: `stdin`.',
    examples: ['/var/log/auth.log'],
  },
  session_id: {
    type: 'string',
    maxLength: SESSION_ID_CHARACTERS,
    description: 'Events with the same id, caller and ruleset are correlated, for an hour after the last one. Absent or empty: the event starts fresh.',
    examples: ['triage-42'],
  },
} as const

const LOGTEST_INPUT = { type: 'object', required: ['event'], properties: INPUT_FIELDS, ...closed, description: 'One event.' } as const

const COMPILED_HASH = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: '`summary.compiled_hash` of an earlier answer, instead of `files`: the ruleset as it was then, with what was included of the disk. Both together are refused.',
  examples: [EXAMPLE_HASH],
} as const

export const LOGTEST_REQUEST = {
  type: 'object',
  required: ['input'],
  properties: {
    ...RULESET_FIELDS,
    compiled_hash: COMPILED_HASH,
    trace: {
      type: 'boolean',
      default: true,
      description: 'Whether `trace` and `insights` are filled. Without them an event costs a fraction, and its answer is a tenth as long.',
    },
    input: LOGTEST_INPUT,
  },
  ...closed,
  description: 'An event, and the ruleset it is run on.',
} as const

/** Events of a batch that get a line. */
const ONLY = ['alerts'] as const

export const BATCH_HEAD = {
  type: 'object',
  properties: {
    ...RULESET_FIELDS,
    compiled_hash: COMPILED_HASH,
    trace: { type: 'boolean', default: false, description: 'Record every decision; costs several times the run itself.' },
    session_id: {
      type: 'string',
      maxLength: SESSION_ID_CHARACTERS,
      description: 'All events of the batch share this session, in order. Absent or empty: each event starts fresh.',
    },
    select: {
      type: 'string',
      minLength: 1,
      maxLength: SELECT_CHARACTERS,
      description: [
        'Names of what a line has, with commas between them, as `detection-content replay --select` reads them: `line`, `time`, `agent`, `host`, `location`, `program_name`, `decoder.name`, `decoder.parent`,',
        '`rule.id`, `rule.level` (or `level`), `rule.description`, `rule.groups`, `rule.attack_ids`, `rule.firedtimes`, `fields`, `previous_output`, `log`, and fields of events. What an event lacks is null.',
        'Absent: everything. Not together with `trace`.',
      ].join(' '),
      examples: ['line,rule.id,level,srcip'],
    },
    only: { enum: ONLY, description: '`alerts`: events that ran and made no alert get no line. They count as units of the plan. Absent: every event has a line.' },
  },
  ...closed,
  description: 'First line: the ruleset, and how the events are run on it. `{}` for what is on disk, with all defaults.',
} as const

export const BATCH_INPUT = {
  type: 'object',
  required: ['event'],
  properties: INPUT_FIELDS,
  ...closed,
  description: 'A further line: one event. `session_id` is that of the first line, if it is there at all.',
} as const

export type ValidationRequestBody = XStatic<typeof VALIDATION_REQUEST>
export type LogtestRequestBody = XStatic<typeof LOGTEST_REQUEST>
export type BatchHeadBody = XStatic<typeof BATCH_HEAD>
export type BatchInputBody = XStatic<typeof BATCH_INPUT>
